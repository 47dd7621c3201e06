"""Which sheets of an event may teach a print."""

from __future__ import annotations

from dataclasses import replace

from kdscan.event.events import open_row
from kdscan.event.prints import EventPrints, piles
from kdscan.event.store import Store
from tests.event.entries import came_in, sqlite_store
from tests.readings import make_sheet, with_evidence
from tests.templates.made import made_template

store = sqlite_store


def test_a_print_is_improved_once_there_are_twice_as_many_sheets(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "Cup")
    EventPrints(store, event.id).save(replace(made_template("pad 1"), sheets=4, by_itself=True))

    def brought(layout: str, count: int) -> list[list[str]]:
        """So many sheets came in, and the layouts of the sheets of each pile."""
        for n in range(count):
            sheet = with_evidence(make_sheet(), layout=layout)
            came_in(store, f"{layout} {n}.jpg", sheet)
        return [[one.layout for one in pile] for pile in piles(store, event.id)]

    assert brought("pad 1", 7) == []
    assert brought("unknown", 3) == []
    assert brought("kdscan-a5", 4) == []
    assert brought("unknown", 4) == [["unknown"] * 4]
    assert brought("pad 1", 8) == [["pad 1"] * 8, ["unknown"] * 4]
