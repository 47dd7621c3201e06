"""The prints that an event knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import LayoutError
from kdscan.event.archive import load_event, save_event
from kdscan.event.events import find_row, open_row
from kdscan.event.prints import EventPrints, pages_read, reading_version
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import add_photo, add_reading
from kdscan.templates.library import to_stored
from tests.readings import make_book, make_sheet, paid_game
from tests.templates.made import made_template


def prints_of(store: Store, event: str = "cup") -> EventPrints:
    with store.write() as db:
        return EventPrints(store, open_row(db, event).id)


def names(prints: EventPrints) -> list[str]:
    return [one.name for one in prints.load()]


def test_prints_are_an_event_s_own(store: Store) -> None:
    prints = prints_of(store)
    for name in ("moor", "Atlas"):
        prints.save(made_template(name))
    assert names(prints) == ["Atlas", "moor"]
    assert names(prints_of(store, "other")) == []
    assert prints.get("ATLAS").data == to_stored(made_template("Atlas")).data
    prints.forget("atlas")
    assert names(prints) == ["moor"]
    with pytest.raises(LayoutError, match="known: moor"):
        prints.forget("atlas")


def test_an_event_takes_its_prints_along(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "one.sqlite")) as store:
        saved = prints_of(store).save(made_template("club"))
        save_event(store, "cup", tmp_path / "cup.kdscan")
    with open_store(str(tmp_path / "two.sqlite")) as store:
        loaded = load_event(store, tmp_path / "cup.kdscan")
        assert loaded.photos == 0
        with store.read() as db:
            event = find_row(db, "cup")
        (one,) = EventPrints(store, event.id).load()
        assert one.data == saved.data


def test_a_new_print_has_only_pages_read_anew_that_it_may_change(store: Store) -> None:
    def entry(*sheets: tuple[str, str]) -> dict[str, object]:
        report = PhotoReport("a.jpg", sheets=(make_sheet(), make_book(paid_game().spellbook)))
        map_json, book_json = photo_json(report)["sheets"]
        found = [
            (map_json if kind == "duel_map" else book_json) | {"kind": kind, "layout": layout}
            for kind, layout in sheets
        ]
        return {"error": None, "sheets": found}

    pages = [
        [("duel_map", "kdscan-a5")],
        [("duel_map", "unknown")],
        [("duel_map", "kdscan-a5"), ("duel_map", "moor")],
        [("duel_spellbook", "kdscan-a5-spellbook")],
        [],
    ]
    name, other = reading_version("marks-1", ["a" * 64]), ["b" * 64]
    with store.write() as db:
        event = open_row(db, "cup")
        photo = add_photo(db, event.id, "c" * 64, ".jpg", 1)
        for page, sheets in enumerate(pages):
            add_reading(db, photo, page, name, entry(*sheets), [None] * len(sheets), 0.1)
        assert sorted(pages_read(db, photo.id, "marks-1", other)) == [0, 3, 4]
        assert pages_read(db, photo.id, "marks-2", other) == {}
        # What was a sheet of ours by mistake, and is none now, is read anew.
        add_reading(db, photo, 0, "marks-1", entry(("duel_map", "unknown")), [None], 0.1)
        assert sorted(pages_read(db, photo.id, "marks-1", other)) == [3, 4]
