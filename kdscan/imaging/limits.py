"""What is refused before it is decoded: files and pictures that are too large, unknown formats."""

from __future__ import annotations

from kdscan.errors import ImageTooLarge, UnreadableImage

MAX_PIXELS = 120_000_000
"""Most pixels of one picture: more than the 108 megapixels of phones; 360 MB as BGR."""

MAX_BYTES = 200_000_000
"""Largest file; a scan of a hundred pages is smaller."""

MAX_PAGES = 2000
"""Most pages of one file."""

FORMATS = "JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP, GIF, PDF"


def check_bytes(size: int) -> None:
    """Raise `ImageTooLarge` for a file of more than `MAX_BYTES`."""
    if size > MAX_BYTES:
        raise ImageTooLarge(
            "the file is {size} MB, but the limit is {most} MB; save it smaller or split it",
            size=f"{size / 1e6:.0f}",
            most=MAX_BYTES // 1_000_000,
        )


def check_size(width: int, height: int) -> None:
    """Raise `ImageTooLarge` for more than `MAX_PIXELS`, `UnreadableImage` for none."""
    if width <= 0 or height <= 0:
        raise UnreadableImage("the picture has no pixels; take or export it again")
    if width * height > MAX_PIXELS:
        raise ImageTooLarge(
            "the picture claims {width} × {height} pixels, but the limit is {most} megapixels; "
            "save it smaller",
            width=width,
            height=height,
            most=MAX_PIXELS // 1_000_000,
        )


def check_pages(count: int) -> None:
    """Raise `ImageTooLarge` for a file of more than `MAX_PAGES`."""
    if count > MAX_PAGES:
        raise ImageTooLarge(
            "the file has {pages} pages, but the limit is {most}; split it",
            pages=count,
            most=MAX_PAGES,
        )


def unknown_format() -> UnreadableImage:
    """The error for a file of an unsupported format."""
    return UnreadableImage(
        "this is not a picture that kdscan knows; save it as {formats}", formats=FORMATS
    )
