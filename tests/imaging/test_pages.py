"""Every picture in a file is a page: TIFF, HEIC, MPO, PDF; previews, masks and films are none."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import numpy as np
import pillow_heif
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.imaging import formats
from kdscan.imaging.photo import decode
from kdscan.imaging.rare_formats import open_file
from tests.imaging.photos import TILE, assert_same, encoded, pdf_objects, pdf_of, tile


def turned() -> Image.Image:
    return tile().rotate(180)


def assert_tile_and_turned(data: bytes) -> None:
    pages = decode(data)
    assert_same(pages[1].bgr, TILE[::-1, ::-1])
    assert_same(pages[0].bgr, TILE)
    assert [page.page for page in pages] == [0, 1]
    with pytest.raises(IndexError):
        pages[2]


def test_pages_of_a_tiff_but_no_thumbnails() -> None:
    assert_tile_and_turned(encoded(tile(), "TIFF", save_all=True, append_images=[turned()]))
    small = tile().resize((48, 32))
    small.encoderinfo = {"tiffinfo": {254: 1}}  # NewSubfileType: a smaller version of another page
    assert_tile_and_turned(encoded(tile(), "TIFF", save_all=True, append_images=[small, turned()]))
    alone = decode(encoded(small, "TIFF", tiffinfo={254: 1}))
    assert alone[0].bgr.shape == (32, 48, 3)


@pytest.mark.parametrize("primary", [0, 1])
def test_pictures_of_a_heic_the_primary_one_first(primary: int) -> None:
    pictures = [tile(), turned()][:: 1 if primary == 0 else -1]
    several, stream = pillow_heif.from_pillow(pictures[0]), io.BytesIO()
    several.add_from_pillow(pictures[1])
    several.save(stream, quality=95, primary_index=primary)
    assert_tile_and_turned(stream.getvalue())


def mpo(second: bytes, kind: int = 0) -> bytes:
    """A JPEG of two pictures (CIPA DC-007); kind: of the second."""
    data = bytearray(encoded(tile(), "MPO", save_all=True, append_images=[turned()], quality=95))
    first = data.index(b"\xff\xd8\xff", 100)
    entry = data.index(struct.pack("<II", 0x030000, first)) + 16
    data[entry : entry + 8] = struct.pack("<II", kind, len(second))
    return bytes(data[:first]) + second


@pytest.mark.parametrize("kind", [0, 0x020001, 0x020002])
def test_pictures_of_an_mpo(kind: int) -> None:
    assert_tile_and_turned(mpo(encoded(turned(), "JPEG", quality=95), kind))


@pytest.mark.parametrize(
    "data",
    [
        mpo(encoded(turned().resize((48, 32)), "JPEG")),
        mpo(encoded(turned(), "JPEG"), 0x010001),
        mpo(encoded(turned(), "JPEG", comment=b"http://ns.adobe.com/hdr-gain-map/1.0/ hdrgm:")),
        mpo(b"no picture"),
        encoded(tile(), "JPEG", quality=95) + b"\0\0\0\x18ftypmp42" + bytes(999),
    ],
    ids=["smaller", "preview", "gain map", "nothing", "motion photo"],
)
def test_what_comes_with_a_jpeg_is_no_page(data: bytes) -> None:
    pages = decode(data)
    assert len(pages) == 1
    assert_same(pages[0].bgr, TILE)


def test_a_broken_page_leaves_the_others() -> None:
    data = bytearray(
        encoded(tile(), "TIFF", save_all=True, append_images=[turned()], compression="tiff_deflate")
    )
    with Image.open(io.BytesIO(data)) as image:
        start = image.tag_v2[273][0]  # type: ignore[attr-defined]  # StripOffsets
    data[start : start + 8] = b"\xff" * 8
    pages = decode(bytes(data))
    with pytest.raises(UnreadableImage, match="TIFF is damaged"):
        pages[0]
    assert_same(pages[1].bgr, TILE[::-1, ::-1])


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_PAGES", 1)
    with pytest.raises(ImageTooLarge, match="2 pages, but the limit is 1"):
        open_file(pdf_of((tile(), 100), (tile(), 100)))


def drawn(size: tuple[float, float], draw: Callable[[Canvas], object]) -> tuple[int, int]:
    """Width and height in pixels of a PDF's page of this size in points."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size)
    draw(canvas)
    canvas.save()
    photo = decode(stream.getvalue())[0]
    return photo.width, photo.height


@pytest.mark.parametrize("dpi", [72, 150, 200, 600])
def test_a_scan_in_a_pdf_comes_pixel_by_pixel(dpi: int) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 96, 3), np.uint8)
    pages = decode(pdf_of((Image.fromarray(noise), dpi), (turned(), dpi)))
    assert_same(pages[0].bgr, noise, within=1)
    assert_same(pages[1].bgr, TILE[::-1, ::-1])


def picture(canvas: Canvas, size: tuple[int, int], *place: float) -> None:
    canvas.drawImage(ImageReader(tile().resize(size)), *place)


def strips(canvas: Canvas) -> None:
    """A scan in twenty strips over a background of one pixel."""
    picture(canvas, (1, 1), 0, 0, 216, 144)
    for top in range(20):
        picture(canvas, (600, 20), 0, 7.2 * top, 216, 7.2)


def form(canvas: Canvas) -> None:
    """As programs do that put pages together, in whatever unit they like."""
    canvas.beginForm("page", 0, 0, 960, 640)
    picture(canvas, (432, 288), 0, 0, 960, 640)
    canvas.endForm()
    canvas.scale(216 / 960, 144 / 640)
    canvas.doForm("page")


def layers(*sizes: int) -> Callable[[Canvas], None]:
    """Scanners part a page into its colours and, finer, its text."""

    def draw(canvas: Canvas) -> None:
        for size in sizes:
            picture(canvas, (96 * size, 64 * size), 0, 0, 216, 144)

    return draw


def masked(canvas: Canvas) -> None:
    """Lines in a mask, finer than the colours."""
    lines = Image.merge("RGBA", [*tile().split(), Image.new("L", (96, 64), 99)])
    canvas.drawImage(ImageReader(lines), 0, 0, 216, 144, mask="auto")


def written_on(canvas: Canvas) -> None:
    picture(canvas, (108, 72), 0, 0, 216, 144)
    canvas.line(10, 10, 200, 100)


@pytest.mark.parametrize(
    ("draw", "high"),
    [
        (strips, 400),
        (form, 288),
        (written_on, 300),
        (masked, 300),
        (layers(1, 2), 128),
        (layers(2, 1), 128),
        (lambda canvas: picture(canvas, (96, 64), 10, 10, 0.48 * 216, 0.48 * 144), 600),
        (lambda canvas: picture(canvas, (96, 64), 10, 10, 0.52 * 216, 0.52 * 144), 123),
    ],
    ids=["strips", "form", "written on", "mask", "text above", "text below", "logo", "scan"],
)
def test_the_finest_pictures_of_some_size_give_a_page_its_resolution(
    draw: Callable[[Canvas], object], high: int
) -> None:
    assert drawn((216, 144), draw)[1] == high


def test_a_password_is_told() -> None:
    with pytest.raises(UnreadableImage, match="password"):
        decode(pdf_of((tile(), 100), password="secret"))
    with pytest.raises(UnreadableImage, match="damaged"):
        decode(pdf_objects(b"<</Pages 2 0 R>>", b"<</Kids[]/Count 0>>"))


def test_what_is_attached_to_a_pdf_follows_its_pages() -> None:
    inner = pdf_of((tile(), 100))
    pages = decode(
        pdf_objects(
            b"<</Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>>>",
            b"<</Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
            b"<</F(a)/EF<</F 5 0 R>>>>",
            b"<</Length %d>>stream\n%b\nendstream" % (len(inner), inner),
        )
    )
    assert len(pages) == 2
    assert_same(pages[1].bgr, TILE)


def test_a_page_with_a_huge_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _, read = open_file(pdf_of((Image.new("L", (2000, 1000)), 100)))
    assert read(0, True)[0].shape == (1000, 2000, 3)
    monkeypatch.setattr(formats, "MAX_PIXELS", 1_999_999)
    with pytest.raises(ImageTooLarge, match="2000 × 1000 pixels, but the limit is 1 megapixels"):
        read(0, True)
