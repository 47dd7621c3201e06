"""Reads the code printed on a spellbook."""

from __future__ import annotations

from kdscan.detection.qr import read_printed
from kdscan.kinds.spellbook.place import PlacedBook
from kdscan.records import Photo


def read_book_code(photo: Photo, book: PlacedBook) -> str | None:
    """The text of a spellbook's printed code, or None if none can be read."""
    code = book.layout.code
    return None if code is None else read_printed(photo, code, book.to_photo)
