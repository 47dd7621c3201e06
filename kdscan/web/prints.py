"""The prints that an event knows, as its page sees them. Everything here blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import Connection

from kdscan.event.pile import Pile
from kdscan.event.prints import (
    EventPrints,
    add_learned_prints,
    add_print,
    event_prints,
    is_of_pad,
    piles,
)
from kdscan.event.store.files import load_prints
from kdscan.event.store.photos import read_sheets
from kdscan.event.store.schema import PrintRow
from kdscan.imaging.formats import png
from kdscan.templates.drawing import draw_template
from kdscan.templates.geometry import with_corners
from kdscan.templates.library import StoredTemplate, parse_template, to_stored
from kdscan.web.answers import not_found
from kdscan.web.schemas import KnownPrint


class Prints(EventPrints):
    """An event's prints as its page sees them, by number."""

    def hashes(self) -> tuple[str, ...]:
        """SHA-256 of the prints' files, which are stored among the photos."""
        return tuple(row.sha256 for row in self.rows())

    def all(self) -> list[KnownPrint]:
        """Each readable print, for JSON."""
        return [_print_json(row, one) for row in self.rows() for one in self._load(row)]

    def picture(self, number: int) -> bytes:
        """A print's picture as PNG; raises ApiError 404."""
        return self._get(number).picture_png

    def piles(self) -> list[Pile]:
        """Sheets from which a print may be learned; none if automatic learning is switched off."""
        return list(piles(self.store, self.event_id)) if self.learns() else []

    def taught(self, files: Sequence[bytes]) -> list[int]:
        """Save automatically learned prints; returns the photos to read again."""
        found = add_learned_prints(self.store, self.event_id, files)
        with self.store.read() as db:
            return self._to_read_again(db, [one.name for one in found])

    def _to_read_again(self, db: Connection, names: Sequence[str]) -> list[int]:
        """The photos with sheets that may bear prints of these names."""
        others = {row.name for row in event_prints(db, self.event_id)} - set(names)
        maps = (sheet for sheet in read_sheets(db, event_id=self.event_id) if is_of_pad(sheet.data))
        return sorted({s.photo_id for s in maps if s.data["layout"] not in others})

    def add(self, data: bytes) -> tuple[KnownPrint, list[int]]:
        """Save a print that a worker learned; returns it, and the photos to read again with it."""
        one = parse_template(data, "print")
        with self.store.write() as db:
            row = add_print(self.store, db, self.event_id, one)
            unknown = self._to_read_again(db, [one.name])
        return _print_json(row, one), unknown

    def found(self, number: int) -> bytes:
        """A print with everything that was found in it, as PNG; raises ApiError 404."""
        return png(draw_template(self._get(number)))

    def set_corners(self, number: int, corners_xy: Sequence[Sequence[float]]) -> list[int]:
        """Correct the corners of a print's grid permanently; returns the photos to read again.

        Raises ApiError 404, and LayoutError for corners that no sheet has.
        """
        one = self._get(number)
        again = replace(with_corners(one, np.array(corners_xy, np.float64)), by_itself=False)
        filed = to_stored(again, one.head.learned)
        parse_template(filed.data, one.name)  # a print that could not be read again would be lost
        with self.store.write() as db:
            add_print(self.store, db, self.event_id, filed)
            return self._to_read_again(db, [one.name])

    def _get(self, number: int) -> StoredTemplate:
        for one in self._load(self._row(number)):
            return one
        raise not_found("print")

    def _row(self, number: int) -> PrintRow:
        for row in self.rows():
            if row.id == number:
                return row
        raise not_found("print")

    def _load(self, row: PrintRow) -> tuple[StoredTemplate, ...]:
        """The print of a row; none if its file is missing or damaged."""
        return load_prints(self.store.photos.root, [row.sha256])

    def forget_numbered(self, number: int) -> None:
        """Make the event forget a print; if it was learned automatically, automatic learning is
        switched off. Raises ApiError 404."""
        row = self._row(number)
        known = self._load(row)
        self.forget(row.name)
        if any(one.by_itself for one in known):
            self.switch(False)


def _print_json(row: PrintRow, one: StoredTemplate) -> KnownPrint:
    return {
        "id": row.id,
        "name": row.name,
        "sheets": one.sheets,
        "by_itself": one.by_itself,
        "learned": one.head.learned,
        # A print that is learned again may get the same number, and pictures are cached forever.
        "picture": f"/api/prints/{row.id}/picture.png?{row.sha256[:12]}",
        "found": f"/api/prints/{row.id}/found.png?{row.sha256[:12]}",
    }
