"""Every format that a photo comes in: colours, orientation, levels, sizes."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image, ImageOps, PngImagePlugin

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.files.photos import format_of
from kdscan.imaging import formats
from kdscan.imaging.photo import decode, load_photos
from kdscan.imaging.picture import level
from tests.imaging.photos import FORMATS, TILE, assert_same, encoded, heic, tagged, tiff, tile

LOSSY = {"quality": 95}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIC"])
def test_exif_orientation_is_applied_once(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = tile()
    if form == "HEIC":
        data = heic(stored, exif=exif.tobytes())
    else:
        options = {} if form in ("PNG", "TIFF") else LOSSY
        data = encoded(stored, form, exif=exif, **options)
    stored.getexif()[0x0112] = orientation
    assert_same(decode(data)[0].bgr, np.asarray(ImageOps.exif_transpose(stored)))


@pytest.mark.parametrize("orientation", [1, 6, 7])
@pytest.mark.parametrize("size", [(96, 64), (95, 64), (96, 63)])
def test_a_large_jpeg_is_halved_first(
    monkeypatch: pytest.MonkeyPatch, orientation: int, size: tuple[int, int]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(tile().crop((0, 0, *size)), "JPEG", exif=exif, **LOSSY)
    whole = decode(data)[0]
    monkeypatch.setattr(formats, "LARGE_PIXELS", 1)
    photo = decode(data)[0]
    assert (photo.width, photo.height) == (whole.width, whole.height)
    half = level(photo, 1)
    assert ("bgr" not in vars(photo)) == (size == (96, 64))  # an odd edge would shift the rest
    assert np.abs(half.astype(int) - level(whole, 1)).mean() < 2
    assert (photo.bgr == whole.bgr).all()


def test_a_png_of_linear_light_is_as_bright_as_others() -> None:
    levels = np.asarray(tile()) / 255
    linear = np.where(levels > 0.04045, ((levels + 0.055) / 1.055) ** 2.4, levels / 12.92)
    info = PngImagePlugin.PngInfo()
    info.add(b"gAMA", struct.pack(">I", 100_000))
    data = encoded(Image.fromarray(np.uint8(np.round(linear * 255))), "PNG", pnginfo=info)
    assert np.abs(decode(data)[0].bgr[..., ::-1].astype(int) - np.asarray(tile())).mean() < 3


def test_inks_that_are_not_those_of_adobe_are_read_as_printed() -> None:
    inks = Image.fromarray(255 - np.asarray(tile().convert("CMYK")), "CMYK")
    data = encoded(inks, "JPEG", **LOSSY)
    at = data.index(b"\xff\xee")
    assert_same(decode(data[:at] + data[at + 16 :])[0].bgr, np.asarray(tile()))


@pytest.mark.parametrize("make", FORMATS.values(), ids=FORMATS)
def test_colours_survive_whatever_the_name(make: object, tmp_path: Path) -> None:
    path = tmp_path / "photo.dat"
    path.write_bytes(make(tile()))  # type: ignore[operator]
    (photo,) = load_photos(path)
    assert_same(photo.bgr, TILE, within=12)
    assert (photo.name, photo.page) == (str(path), 0)


@pytest.mark.parametrize(
    ("mode", "form"),
    [("L", "JPEG"), ("L", "PNG"), ("1", "PNG"), ("1", "TIFF"), ("L", "HEIC"), ("CMYK", "JPEG")]
    + [("CMYK", "TIFF"), ("P", "PNG"), ("LA", "PNG"), ("P", "GIF")],
)
def test_every_mode_becomes_three_channels(mode: str, form: str) -> None:
    image = tile().convert(mode)
    data = heic(image) if form == "HEIC" else encoded(image, form)
    assert_same(decode(data)[0].bgr, np.asarray(image.convert("RGB")), within=6)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "HEIC", "AVIF", "palette", "TIFF"])
@pytest.mark.parametrize("opacity", [0, 100])
def test_what_is_transparent_lies_on_white(form: str, opacity: int) -> None:
    image = tile()
    image.putalpha(opacity)
    if form == "palette":
        image = tile().quantize(16)
        data = encoded(image, "PNG", transparency=bytes([opacity] * 16))
    else:
        data = heic(image) if form == "HEIC" else encoded(image, form)
    expected = (255 + (TILE - 255.0) * opacity / 255).astype(np.uint8)
    assert_same(decode(data)[0].bgr, expected, within=8)


def raw_photo() -> bytes:
    """A raw photo as cameras write them: a preview, and behind it what the sensor saw."""
    stream = io.BytesIO()
    with tifffile.TiffWriter(stream) as raw:
        raw.write(TILE, photometric="rgb", subfiletype=1, subifds=1)
        raw.write(RAMP, photometric="cfa", extratags=[(33421, "H", 2, (2, 2), True)])
    return stream.getvalue()


RAMP = np.linspace(0, 4095, 64 * 96).reshape(64, 96).astype(np.uint16)


@pytest.mark.parametrize(
    "data",
    [
        encoded(Image.fromarray(RAMP), "PNG"),
        encoded(Image.fromarray(RAMP), "TIFF"),
        tiff(RAMP.astype(np.float32), photometric="minisblack"),
        tiff(TILE.astype(np.float32), photometric="rgb"),
        *(tagged(tile(), 259, coding) for coding in (34712, 50001)),  # JPEG 2000, WebP
        tiff(RAMP.astype(np.uint32) << 20, photometric="minisblack"),
        tiff(RAMP << 4, photometric="minisblack", compression="zlib", byteorder=">"),
        tiff(RAMP << 4, photometric="miniswhite"),
        tiff(np.stack([RAMP << 4] * 3), photometric="rgb", planarconfig="separate"),
        raw_photo(),
    ],
    ids=[
        "PNG",
        "TIFF",
        "float",
        "floats",
        "jp2",
        "webp",
        "32",
        "swapped",
        "white",
        "planes",
        "raw",
    ],
)
def test_raw_levels_are_refused_as_such(data: bytes) -> None:
    with pytest.raises(UnreadableImage, match="levels of a sensor"):
        decode(data)[0]


def test_16_bit_colour_keeps_its_range() -> None:
    assert_same(decode(tiff(TILE.astype(np.uint16) * 257, photometric="rgb"))[0].bgr, TILE)
    grey = tile().convert("L")
    assert_same(decode(tagged(grey, 262, 0))[0].bgr[..., 0], 255 - np.asarray(grey))


def box(*brands: bytes, size: int | None = None) -> bytes:
    """The first box of a file in the container of HEIF: its main brand, a version, the others."""
    main, *others = brands
    length = 8 * 2 + 4 * len(others) if size is None else size
    return struct.pack(">I", length) + b"ftyp" + main + bytes(4) + b"".join(others) + bytes(100)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        *((box(brand), "HEIC") for brand in (b"heic", b"heix", b"hevc", b"mif1", b"msf1")),
        (box(b"heic", b"mif1", b"MiHE", b"tmap"), "HEIC"),
        (box(b"mif1", b"avif", b"heic"), "HEIC"),  # coded both ways
        (box(b"avif", b"mif1", b"miaf"), "AVIF"),
        (box(b"mif1", b"miaf", b"avif"), "AVIF"),
        (box(b"isom", b"mp41") + b"heicavif", None),
        (struct.pack(">I", 24) + b"ftypisomheicmp41mp42", None),  # heic is where the version stands
        (box(b"isom", b"mp41", size=2**32 - 1), None),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"", None),
    ],
)
def test_formats_are_told_by_their_first_bytes(data: bytes, kind: str | None) -> None:
    assert format_of(data) == kind


@pytest.mark.parametrize(
    "before",
    [
        *(b"\xff\xff", b"\xff\xff\xff", b"\xff\xd0\xff\xd7\xff\x01"),
        b"\xff\xfe\0\x0b\xff\xc0\0\x11\x08\0\x01\0\x01",
    ],
    ids=["filled up", "filled up oddly", "no lengths", "a comment that looks like a frame"],
)
def test_the_size_of_a_jpeg_is_its_frames(before: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(tile(), "JPEG", quality=95)
    start, tables, end = (data.index(mark) for mark in (b"\xff\xdb", b"\xff\xc4", b"\xff\xda"))
    data = data[:start] + before + data[tables:end] + data[start:]
    monkeypatch.setattr(formats, "LARGE_PIXELS", 1)
    photo = decode(data)[0]
    assert photo.half is not None and (photo.width, photo.height) == (96, 64)
    assert_same(photo.bgr, TILE)


def png_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(tile(), "PNG"))
    data[16:24] = struct.pack(">II", width, height)
    return bytes(data)


def jpeg_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(tile(), "JPEG"))
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def heic_claiming(width: int, height: int) -> bytes:
    data = bytearray(heic(tile()))
    at = data.index(b"ispe") + 8  # width and height follow a version
    data[at : at + 8] = struct.pack(">II", width, height)
    return bytes(data)


@pytest.mark.parametrize("claiming", [png_claiming, jpeg_claiming, heic_claiming])
def test_sizes_are_checked_before_pixels_are_decoded(claiming: object) -> None:
    with pytest.raises(ImageTooLarge, match="12000 × 10001 pixels, but the limit is 120 megapix"):
        decode(claiming(12_000, 10_001))  # type: ignore[operator]
    if claiming is not heic_claiming:
        with pytest.raises(UnreadableImage, match="no pixels"):
            decode(claiming(64, 0))  # type: ignore[operator]
