"""PDFs: scans pixel by pixel, drawings at a resolution of our own, and what is refused."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.imaging import limits
from kdscan.imaging.photo import decode, decode_here
from tests.imaging.photos import pdf_objects, pdf_of, tile


def drawn(size: tuple[float, float], draw: Callable[[Canvas], object]) -> bytes:
    """A PDF of one page, in points."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size)
    draw(canvas)
    canvas.save()
    return stream.getvalue()


@pytest.mark.parametrize("dpi", [72, 150, 200, 600])
def test_a_scan_comes_pixel_by_pixel(dpi: int) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 96, 3), np.uint8)
    turned = tile().transpose(Image.Transpose.ROTATE_90)
    pages = decode(pdf_of((Image.fromarray(noise), dpi), (turned, dpi)))
    assert [(page.width, page.height) for page in (pages[0], pages[1])] == [(96, 64), (64, 96)]
    assert np.abs(pages[0].bgr[..., ::-1].astype(int) - noise).mean() < 1
    assert pages[1].bgr[5, 5].tolist() == [40, 200, 30]
    assert pages[1].page == 1


@pytest.mark.parametrize(
    ("size", "pixels"),
    [((144, 72), (600, 300)), ((14_000, 700), (6000, 300)), ((700, 14_000), (300, 6000))],
)
def test_a_drawing_has_300_dpi_a_poster_fewer(
    size: tuple[int, int], pixels: tuple[int, int]
) -> None:
    photo = decode(drawn(size, lambda canvas: canvas.drawString(10, 10, "a drawing")))[0]
    assert (photo.width, photo.height) == pixels


@pytest.mark.parametrize(("share", "high"), [(0.48, 600), (0.52, 123)], ids=["a logo", "a scan"])
def test_a_picture_on_a_quarter_of_the_page_is_its_scan(share: float, high: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(tile()), 10, 10, share * 216, share * 144)

    assert decode(drawn((216, 144), draw))[0].height == high


def test_a_scan_in_a_form_comes_pixel_by_pixel() -> None:
    """Programs that put pages together draw each in a form, in whatever unit it likes."""

    def draw(canvas: Canvas) -> None:
        canvas.beginForm("page", 0, 0, 960, 640)
        canvas.drawImage(ImageReader(tile()), 0, 0, 960, 640)
        canvas.endForm()
        canvas.scale(0.05, 0.05)
        canvas.doForm("page")

    photo = decode_here(drawn((48, 32), draw))[0]
    assert (photo.width, photo.height) == (96, 64)


@pytest.mark.parametrize("sizes", [(1, 2), (2, 1)])
def test_of_pictures_on_top_of_each_other_the_finest_counts(sizes: tuple[int, ...]) -> None:
    """Scanners part a page into its colours and, finer, its text."""

    def draw(canvas: Canvas) -> None:
        for size in sizes:
            layer = ImageReader(tile().resize((96 * size, 64 * size)))
            canvas.drawImage(layer, 0, 0, 216, 144)

    photo = decode(drawn((216, 144), draw))[0]
    assert (photo.width, photo.height) == (192, 128)


def test_a_password_is_said() -> None:
    with pytest.raises(UnreadableImage, match="password"):
        decode(pdf_of((tile(), 100), password="secret"))


def test_one_without_pages_is_refused() -> None:
    empty = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"
    with pytest.raises(UnreadableImage):
        decode(pdf_objects(*empty))


def test_one_holding_a_huge_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = pdf_of((Image.new("L", (2000, 1000)), 100))
    monkeypatch.setattr(limits, "MAX_PIXELS", 2_000_000)
    assert decode_here(pages)[0].width == 2000
    monkeypatch.setattr(limits, "MAX_PIXELS", 1_999_999)
    with pytest.raises(ImageTooLarge, match="2000 × 1000 pixels, but the limit is 1 megapixels"):
        decode_here(pages)[0]


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PAGES", 1)
    assert len(decode_here(pdf_of((tile(), 100)))) == 1
    with pytest.raises(ImageTooLarge, match="2 pages, but the limit is 1"):
        decode_here(pdf_of((tile(), 100), (tile(), 100)))
