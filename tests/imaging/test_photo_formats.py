"""Every format that a photo comes in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo
from PIL.TiffImagePlugin import OPEN_INFO

from kdscan.imaging import photo as photo_module
from kdscan.imaging.photo import decode, decode_here, load_photos
from kdscan.imaging.picture import Photo
from kdscan.imaging.pyramid import level
from tests.imaging.photos import TILE, assert_same, encoded, heic, tagged, tile


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_exif_orientation_is_applied(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"quality": 95} if form in ("JPEG", "WEBP", "AVIF") else {}
    stored = tile()
    data = encoded(stored, form, exif=exif, **options)
    stored.getexif()[0x0112] = orientation
    upright = np.asarray(ImageOps.exif_transpose(stored))
    assert upright.shape[:2] == ((64, 96) if orientation < 5 else (96, 64))
    assert_same(decode(data)[0].bgr, upright)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("size", [(96, 64), (95, 64), (96, 63)])
def test_a_large_jpeg_is_halved_first(
    monkeypatch: pytest.MonkeyPatch, orientation: int, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(photo_module, "LARGE_PIXELS", 1)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = tile().crop((0, 0, *size))
    whole = Photo(decode(encoded(stored, "JPEG", exif=exif, quality=95)).read(0))
    photo = decode(encoded(stored, "JPEG", exif=exif, quality=95))[0]
    assert (photo.width, photo.height) == (whole.width, whole.height)
    half = level(photo, 1)
    assert ("bgr" not in vars(photo)) == (size == (96, 64))  # an odd edge would shift the rest
    assert half.shape == level(whole, 1).shape
    assert np.abs(half.astype(int) - level(whole, 1)).mean() < 2
    assert level(photo, 2).shape == level(whole, 2).shape
    assert (photo.bgr == whole.bgr).all()


def png_text(text: str) -> PngInfo:
    info = PngInfo()
    info.add_text("Comment", text)
    return info


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {"comment": b"%PDF-1.7", "quality": 95}),
        ("PNG", {"pnginfo": png_text("%PDF-1.7")}),
        ("GIF", {"comment": b"%PDF-1.7"}),
    ],
)
def test_a_picture_that_mentions_pdf_is_no_pdf(form: str, options: dict[str, object]) -> None:
    data = encoded(tile(), form, **options)
    assert b"%PDF-" in data[:1024]
    assert_same(decode(data)[0].bgr, TILE)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_heic_is_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = tile()
    data = heic(stored, exif=exif.tobytes())
    stored.getexif()[0x0112] = orientation
    assert_same(decode(data)[0].bgr, np.asarray(ImageOps.exif_transpose(stored)))


@pytest.mark.parametrize(
    ("image", "form"),
    [
        (tile().quantize(16), "PNG"),
        (tile().convert("CMYK"), "JPEG"),
        (tile().convert("CMYK"), "TIFF"),
        (tile(), "TIFF"),
        (tile(), "WEBP"),
        (tile(), "AVIF"),
        (tile(), "BMP"),
        (tile(), "GIF"),
    ],
)
def test_colours_survive(image: Image.Image, form: str) -> None:
    options = {"quality": 95} if form in ("JPEG", "WEBP", "AVIF") else {}
    assert_same(decode(encoded(image, form, **options))[0].bgr, TILE, within=12)


@pytest.mark.parametrize(
    ("mode", "form"), [("L", "JPEG"), ("L", "PNG"), ("1", "PNG"), ("1", "TIFF")]
)
def test_grey_becomes_three_equal_channels(mode: str, form: str) -> None:
    image = tile().convert(mode)
    want = np.asarray(image.convert("RGB"))
    assert_same(decode(encoded(image, form))[0].bgr, want)


@pytest.mark.skipif(
    all(mode != "La" for mode, _ in OPEN_INFO.values()), reason="this Pillow refuses such a file"
)
def test_grey_that_was_multiplied_by_its_opacity_lies_on_white() -> None:
    extra_samples = 338  # TIFF 6.0, page 31
    half = Image.new("LA", (9, 9), (50, 128))
    bgr = decode_here(tagged(half, extra_samples, 1))[0].bgr
    assert np.abs(bgr.astype(int) - (50 + 127)).max() <= 2


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_a_picture_of_any_height_is_converted_whole(mode: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (1300, 9, len(mode)), np.uint8)
    noise[..., 3:] = 255
    assert_same(decode(encoded(Image.fromarray(noise), "PNG"))[0].bgr, noise[..., :3], within=0.1)


def test_what_is_half_transparent_lies_on_white() -> None:
    image = tile()
    image.putalpha(100)
    expected = (255 + (TILE - 255.0) * 100 / 255).astype(np.uint8)
    assert_same(decode(encoded(image, "PNG"))[0].bgr, expected, within=1)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "HEIC", "AVIF"])
def test_transparent_becomes_white(form: str) -> None:
    alpha = np.zeros((64, 96), np.uint8)
    alpha[:, :48] = 255
    image = Image.fromarray(np.dstack([TILE, alpha]))
    data = heic(image) if form == "HEIC" else encoded(image, form)
    bgr = decode(data)[0].bgr
    assert bgr[:, 56:].min() > 240
    assert_same(bgr[:, :40], TILE[:, :40], within=8)


def test_transparent_palette_becomes_white() -> None:
    image = tile().quantize(16)
    clear = image.getpixel((0, 0))
    bgr = decode(encoded(image, "PNG", transparency=clear))[0].bgr
    assert bgr[5, 5].tolist() == [255, 255, 255]
    assert_same(bgr[32:], TILE[32:], within=12)


def test_a_name_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(encoded(tile(), "JPEG", quality=95))
    (got,) = load_photos(path)
    assert_same(got.bgr, TILE)
    assert (got.name, got.page) == (str(path), 0)


def test_bytes_after_the_jpeg_do_no_harm() -> None:
    # Motion photos carry a film behind the picture.
    assert_same(decode(encoded(tile(), "JPEG", quality=95) + b"film" * 999)[0].bgr, TILE)


def test_a_tiffs_thumbnail_is_no_page() -> None:
    small = tile().resize((48, 32))
    small.encoderinfo = {"tiffinfo": {254: 1}}  # NewSubfileType: a smaller version of another page
    data = encoded(tile(), "TIFF", save_all=True, append_images=[small, tile().rotate(180)])
    pages = decode(data)
    assert len(pages) == 2
    assert_same(pages[0].bgr, TILE)
    assert_same(pages[1].bgr, TILE[::-1, ::-1])
    alone = decode(encoded(small, "TIFF", tiffinfo={254: 1}))
    assert alone[0].bgr.shape == (32, 48, 3)


@pytest.mark.parametrize("form", ["WEBP", "AVIF", "GIF"])
def test_an_animation_is_its_first_frame(form: str) -> None:
    data = encoded(tile(), form, save_all=True, append_images=[tile().rotate(180)], quality=95)
    pages = decode(data)
    assert len(pages) == 1
    assert_same(pages[0].bgr, TILE)


def test_tiff_pages_are_photos() -> None:
    turned = tile().transpose(Image.Transpose.ROTATE_180)
    pages = decode(encoded(tile(), "TIFF", save_all=True, append_images=[turned]))
    assert len(pages) == 2
    assert_same(pages[1].bgr, TILE[::-1, ::-1])
    assert_same(pages[0].bgr, TILE)
    assert [p.page for p in (pages[0], pages[1])] == [0, 1]
    with pytest.raises(IndexError):
        pages[2]


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
    monkeypatch.setattr(photo_module, "LARGE_PIXELS", 1)
    photo = decode(data)[0]
    assert photo.half is not None and (photo.width, photo.height) == (96, 64)
    assert_same(photo.bgr, TILE)
