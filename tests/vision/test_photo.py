"""Every format that a photo comes in, and every way in which a file can be bad."""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from kdscan.errors import ImageTooLarge, PhotoError, UnreadableImage
from kdscan.records import Photo
from kdscan.vision import photo as photo_module
from kdscan.vision.photo import decode, load_photos, open_photos
from kdscan.vision.pyramid import level

# Four colours in four corners: any turn, mirroring or swap of channels shows.
TILE = np.zeros((64, 96, 3), np.uint8)
TILE[:32, :48], TILE[:32, 48:] = (220, 30, 30), (30, 200, 40)
TILE[32:, :48], TILE[32:, 48:] = (40, 40, 210), (230, 220, 60)


def tile() -> Image.Image:
    return Image.fromarray(TILE)


def encoded(image: Image.Image, form: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def heic(image: Image.Image, **options: object) -> bytes:
    stream = io.BytesIO()
    pillow_heif.from_pillow(image).save(stream, quality=95, **options)
    return stream.getvalue()


def assert_same(bgr: NDArray[np.uint8], rgb: NDArray[np.uint8], within: float = 4.0) -> None:
    assert bgr.shape == rgb.shape
    assert np.abs(bgr[..., ::-1].astype(int) - rgb).mean() < within


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_exif_orientation_is_applied(form: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"quality": 95} if form in ("JPEG", "WEBP") else {}
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


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_large_jpeg_that_is_cut_off_is_refused(
    monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    monkeypatch.setattr(photo_module, "LARGE_PIXELS", 1)
    data = encoded(tile().resize((960, 640)), "JPEG", quality=95)
    with pytest.raises(UnreadableImage, match="cut off"):
        decode(data[: int(keep * len(data))])[0]


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
    ],
)
def test_colours_survive(image: Image.Image, form: str) -> None:
    options = {"quality": 95} if form in ("JPEG", "WEBP") else {}
    assert_same(decode(encoded(image, form, **options))[0].bgr, TILE, within=12)


@pytest.mark.parametrize(
    ("mode", "form"), [("L", "JPEG"), ("L", "PNG"), ("1", "PNG"), ("1", "TIFF")]
)
def test_grey_becomes_three_equal_channels(mode: str, form: str) -> None:
    image = tile().convert(mode)
    want = np.asarray(image.convert("RGB"))
    assert_same(decode(encoded(image, form))[0].bgr, want)


@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_16_bit_keeps_its_range(form: str) -> None:
    ramp = np.linspace(0, 65535, 64 * 96).reshape(64, 96).astype(np.uint16)
    bgr = decode(encoded(Image.fromarray(ramp), form))[0].bgr
    assert np.abs(bgr[..., 0].astype(int) - (ramp >> 8)).max() <= 1


def test_float_grey_is_spread() -> None:
    ramp = np.linspace(0, 1, 64 * 96).reshape(64, 96).astype(np.float32)
    bgr = decode(encoded(Image.fromarray(ramp), "TIFF"))[0].bgr
    assert (bgr.min(), bgr.max()) == (0, 255)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "HEIC"])
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


def test_an_animation_is_its_first_frame() -> None:
    data = encoded(tile(), "WEBP", save_all=True, append_images=[tile().rotate(180)], quality=95)
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


def pdf_of(*pages: tuple[Image.Image, float], password: str | None = None) -> bytes:
    """A PDF of pictures that fill their page; the number is pixels an inch."""
    stream = io.BytesIO()
    canvas = Canvas(stream, encrypt=password)
    for image, dpi in pages:
        width, height = (72 * n / dpi for n in image.size)
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(image), 0, 0, width, height)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


@pytest.mark.parametrize("dpi", [72, 200, 600])
def test_pdf_is_rendered_as_fine_as_its_scan(dpi: int) -> None:
    turned = tile().transpose(Image.Transpose.ROTATE_90)
    pages = decode(pdf_of((tile(), dpi), (turned, dpi)))
    assert len(pages) == 2
    assert abs(pages[0].width - 96) <= 1
    assert abs(pages[1].width - 64) <= 1
    assert pages[0].bgr[5, 5].tolist() == pytest.approx([30, 30, 220], abs=6)
    assert pages[1].page == 1


def test_drawn_pdf_is_rendered_at_300_dpi() -> None:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(144, 72))
    canvas.drawString(10, 10, "a drawing")
    canvas.save()
    assert (decode(stream.getvalue())[0].width, decode(stream.getvalue())[0].height) == (600, 300)


def test_a_poster_is_rendered_small() -> None:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(14000, 200))
    canvas.drawString(10, 10, "long")
    canvas.save()
    assert decode(stream.getvalue())[0].width == pytest.approx(6000, abs=2)


def test_a_pdf_with_a_password_says_so() -> None:
    with pytest.raises(UnreadableImage, match="password"):
        decode(pdf_of((tile(), 100), password="secret"))


def test_a_pdf_holding_a_huge_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo_module, "MAX_PIXELS", 96 * 64 - 1)
    with pytest.raises(ImageTooLarge, match="96 × 64"):
        decode(pdf_of((tile(), 100)))[0]


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_claiming(width: int, height: int, *extra: bytes) -> bytes:
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = png_chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(extra) + body + png_chunk(b"IEND", b"")


def jpeg_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(tile(), "JPEG"))
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [png_claiming(60_000, 60_000), jpeg_claiming(60_000, 60_000), jpeg_claiming(12_000, 10_001)],
)
def test_too_many_pixels_are_refused_from_the_header(data: bytes) -> None:
    with pytest.raises(ImageTooLarge, match="pixels"):
        decode(data)


BOMB = zlib.compress(b"\0" * 300_000_000, 9)


@pytest.mark.parametrize(
    "chunk",
    [png_chunk(b"zTXt", b"Comment\0\0" + BOMB), png_chunk(b"iCCP", b"profile\0\0" + BOMB)],
    ids=["zTXt", "iCCP"],
)
def test_a_bomb_beside_the_pixels_does_not_go_off(chunk: bytes) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(PhotoError):
        decode(png_claiming(64, 64, chunk))[0]
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 100_000


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "HEIC", "PDF"])
def test_a_cut_off_file_is_refused(form: str, keep: float) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))
    data = {
        "HEIC": lambda: heic(noise),
        "PDF": lambda: pdf_of((noise, 100)),
    }.get(form, lambda: encoded(noise, form))()
    with pytest.raises(PhotoError) as caught:
        decode(data[: int(len(data) * keep)])[0]
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "data",
    [
        b"hello, I am a letter\n" * 40,
        b"\xff\xd8\xff\xe0 only the beginning",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"II*\0\xff\xff\xff\xff",
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
        b"%PDF-1.7\nnothing more",
        b"PK\x03\x04" + b"\0" * 100,
        b"GIF89a\x01\0\x01\0\0\0\0",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        bytes(range(256)) * 8,
    ],
)
def test_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableImage):
        decode(data)[0]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    with pytest.raises(UnreadableImage, match="empty"):
        open_photos(tmp_path / "empty.jpg")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="no such file"):
        open_photos(tmp_path / "nowhere.jpg")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="folder"):
        open_photos(tmp_path)


def test_a_device_is_refused() -> None:
    with pytest.raises(UnreadableImage, match="not a regular file"):
        open_photos(os.devnull)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything"
)
def test_no_permission_is_said(tmp_path: Path) -> None:
    path = tmp_path / "secret.jpg"
    path.write_bytes(encoded(tile(), "JPEG"))
    path.chmod(0)
    with pytest.raises(UnreadableImage, match="permission"):
        open_photos(path)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(UnreadableImage):
        open_photos("a\0b.jpg")
    with pytest.raises(UnreadableImage):
        open_photos("x" * 5000)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(photo_module.MAX_BYTES + 1)  # sparse: takes no room on the disk
    with pytest.raises(ImageTooLarge, match="MB"):
        open_photos(path)


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo_module, "MAX_PAGES", 1)
    with pytest.raises(ImageTooLarge, match="pages"):
        decode(pdf_of((tile(), 100), (tile(), 100)))


def test_one_broken_page_leaves_the_others() -> None:
    turned = tile().transpose(Image.Transpose.ROTATE_180)
    data = bytearray(
        encoded(tile(), "TIFF", save_all=True, append_images=[turned], compression="tiff_deflate")
    )
    with Image.open(io.BytesIO(data)) as image:
        start = image.tag_v2[273][0]  # type: ignore[attr-defined]  # StripOffsets
    data[start : start + 8] = b"\xff" * 8
    pages = decode(bytes(data))
    with pytest.raises(UnreadableImage):
        pages[0]
    assert_same(pages[1].bgr, TILE[::-1, ::-1])
