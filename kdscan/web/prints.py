"""The prints that an event knows, as its page sees them. All of it blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from sqlalchemy import Connection

from kdscan.prints.drawing import draw_print
from kdscan.prints.file import FiledPrint, filed, parse_print
from kdscan.prints.learn import put_right
from kdscan.tournament.pads import (
    Pile,
    keep_taught,
    learns_by_itself,
    piles,
    switch_learning,
)
from kdscan.tournament.store import Store
from kdscan.tournament.store.events import get_event
from kdscan.tournament.store.prints import (
    add_print,
    event_prints,
    forget_print,
    is_of_pad,
    load_prints,
)
from kdscan.tournament.store.readings import sheets
from kdscan.tournament.store.records import Event, PrintRow
from kdscan.web.answers import not_found

Json = dict[str, Any]


class Prints:
    """The store's prints as one event's page sees them."""

    def __init__(self, store: Store, event: Event) -> None:
        self.store, self.event = store, event

    def rows(self) -> list[PrintRow]:
        """What the event knows, by name."""
        with self.store.read() as db:
            return event_prints(db, self.event.id)

    def hashes(self) -> tuple[str, ...]:
        """SHA-256 of the prints' files, which lie among the photos."""
        return tuple(row.sha256 for row in self.rows())

    def all(self) -> list[Json]:
        """Each print that can be read, for JSON."""
        found = []
        for row in self.rows():
            for one in load_prints(self.store.photos.root, [row.sha256]):
                found.append(_print_json(row, one))
        return found

    def picture(self, number: int) -> bytes:
        """A print's picture as PNG; raises ApiError 404."""
        return self._get(number)[1].picture_png

    def learns(self) -> bool:
        """Whether the event learns prints by itself."""
        with self.store.read() as db:
            event = get_event(db, self.event.id)
        return event is not None and learns_by_itself(event)

    def switch(self, on: bool) -> None:
        """Have the event learn prints by itself, or no more."""
        with self.store.write() as db:
            switch_learning(db, self.event.id, on)

    def piles(self) -> list[Pile]:
        """Sheets that may teach a print by themselves; none where nobody wants that."""
        return list(piles(self.store, self.event.id)) if self.learns() else []

    def taught(self, files: Sequence[bytes]) -> list[int]:
        """Keep the prints that sheets taught by themselves; returns the photos to read again."""
        found = keep_taught(self.store, self.event.id, files)
        with self.store.read() as db:
            return self._to_read_again(db, [one.name for one in found])

    def _to_read_again(self, db: Connection, names: Sequence[str]) -> list[int]:
        """The photos with sheets that may bear prints of these names."""
        others = {row.name for row in event_prints(db, self.event.id)} - set(names)
        maps = (sheet for sheet in sheets(db, self.event.id) if is_of_pad(sheet.data))
        return sorted({s.photo_id for s in maps if s.data["layout"] not in others})

    def add(self, data: bytes) -> tuple[Json, list[int]]:
        """Keep a print that a worker learned; returns it, and the photos to read again by it."""
        one = parse_print(data, "print")
        with self.store.write() as db:
            add_print(self.store, db, self.event.id, one)
            (row,) = [r for r in event_prints(db, self.event.id) if r.name == one.name]
            unknown = self._to_read_again(db, [one.name])
        return _print_json(row, one), unknown

    def found(self, number: int) -> bytes:
        """What was found in a print, drawn over it, as PNG; raises ApiError 404."""
        return cv2.imencode(".png", draw_print(self._get(number)[1]))[1].tobytes()

    def put_right(self, number: int, corners_xy: Sequence[Sequence[float]]) -> list[int]:
        """Have a print's grid lie where a person says, for good; returns the photos to read again.

        Raises ApiError 404, and LayoutError for corners that no sheet has.
        """
        _, one = self._get(number)
        again = replace(put_right(one, np.array(corners_xy, np.float64)), by_itself=False)
        with self.store.write() as db:
            add_print(self.store, db, self.event.id, filed(again, one.head.learned))
            return self._to_read_again(db, [one.name])

    def _get(self, number: int) -> tuple[PrintRow, FiledPrint]:
        for row in self.rows():
            for one in load_prints(self.store.photos.root, [row.sha256]):
                if row.id == number:
                    return row, one
        raise not_found("print")

    def forget(self, number: int) -> None:
        """Have the event forget a print, and learn none by itself if it had learned that one so;
        raises ApiError 404."""
        with self.store.write() as db:
            for row in event_prints(db, self.event.id):
                if row.id == number:
                    forget_print(db, self.event.id, row.name)
                    known = load_prints(self.store.photos.root, [row.sha256])
                    if any(one.by_itself for one in known):
                        switch_learning(db, self.event.id, False)
                    return
        raise not_found("print")


def _print_json(row: PrintRow, one: FiledPrint) -> Json:
    return {
        "id": row.id,
        "name": row.name,
        "sheets": one.sheets,
        "by_itself": one.by_itself,
        "learned": one.head.learned,
        # A print that is learned anew may have the same number, and pictures are kept for ever.
        "picture": f"/api/prints/{row.id}/picture.png?{row.sha256[:12]}",
        "found": f"/api/prints/{row.id}/found.png?{row.sha256[:12]}",
    }
