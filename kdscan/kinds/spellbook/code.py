"""Whose spellbook is this? Reads the code that is printed on it."""

from __future__ import annotations

from kdscan.detection.qr import read_printed
from kdscan.kinds.spellbook.place import PlacedBook
from kdscan.records import Photo


def read_book_code(photo: Photo, book: PlacedBook) -> str | None:
    """What the code on a spellbook says, None where there is none to be read."""
    code = book.layout.code
    return None if code is None else read_printed(photo, code, book.to_photo)
