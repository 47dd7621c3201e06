"""The prints that an event knows, as its page sees them. All of it blocks."""

from __future__ import annotations

from typing import Any

from kdscan.prints.file import FiledPrint, parse_print
from kdscan.tournament.store import Store
from kdscan.tournament.store.prints import add_print, event_prints, forget_print, load_prints
from kdscan.tournament.store.readings import sheets
from kdscan.tournament.store.records import Event, PrintRow
from kdscan.vision.identify import UNKNOWN
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
        for row in self.rows():
            for one in load_prints(self.store.photos.root, [row.sha256]):
                if row.id == number:
                    return one.picture_png
        raise not_found("print")

    def add(self, data: bytes) -> tuple[Json, list[int]]:
        """Keep a print that a worker learned; returns it, and the photos to read again by it."""
        one = parse_print(data, "print")
        with self.store.write() as db:
            add_print(self.store, db, self.event.id, one)
            (row,) = [r for r in event_prints(db, self.event.id) if r.name == one.name]
            unknown = {
                sheet.photo_id
                for sheet in sheets(db, self.event.id)
                if sheet.data.get("layout") == UNKNOWN
            }
        return _print_json(row, one), sorted(unknown)

    def forget(self, number: int) -> None:
        """Have the event forget a print; raises ApiError 404."""
        with self.store.write() as db:
            for row in event_prints(db, self.event.id):
                if row.id == number:
                    forget_print(db, self.event.id, row.name)
                    return
        raise not_found("print")


def _print_json(row: PrintRow, one: FiledPrint) -> Json:
    return {
        "id": row.id,
        "name": row.name,
        "sheets": one.sheets,
        "learned": one.head.learned,
        "picture": f"/api/prints/{row.id}/picture.png",
    }
