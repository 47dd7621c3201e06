"""Readings and the sheets that follow from them, on each database."""

from __future__ import annotations

from kdscan.errors import NoSheetFound, ReaderDied
from kdscan.event.actions import ConfirmSheet, SamePaper
from kdscan.event.events import load, open_row, perform
from kdscan.event.log import Author
from kdscan.event.store import Store
from kdscan.event.store.photos import (
    add_photo,
    get_photo,
    set_pages,
)
from kdscan.event.store.prints import pages_read
from kdscan.event.store.readings import (
    add_reading,
    read_sheets,
    readings,
)
from tests.event.entries import MODELS, SHA, entry, kept, one_photo
from tests.readings import make_kingdom, make_sheet


def test_what_was_read_is_known(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "e")
        photo = add_photo(db, event.id, SHA, ".pdf", 10)
        set_pages(db, photo, 3)
        scan = get_photo(db, photo.id)
        assert scan is not None
        assert pages_read(db, scan.id, MODELS, ()) == {}
        add_reading(db, scan, 1, MODELS, entry(), [], 0.1)
        assert pages_read(db, scan.id, MODELS, ()) == {1: None}
        assert pages_read(db, scan.id, "models-2", ()) == {}


def test_a_page_is_read_once_by_each_version_of_the_models(store: Store) -> None:
    one, two = make_sheet(), make_sheet(doubtful=[(0, 1)], origin_xy=(100, 700))
    with store.write() as db:
        event, photo = one_photo(db)
        assert add_reading(db, photo, 0, MODELS, entry(one, two), kept(one, two), 0.5)
        before = list(read_sheets(db, event_id=event.id))
        assert not add_reading(db, photo, 0, MODELS, entry(), [], 0.5)
        # New models find the two in another order, and with other doubts.
        better = make_sheet(origin_xy=(103, 698))
        assert add_reading(db, photo, 0, "models-2", entry(better, one), kept(better, one), 0.4)
    with store.read() as db:
        after = {s.id: s for s in read_sheets(db, event_id=event.id)}
        assert [r.models for r in readings(db, [photo.id])] == [MODELS, "models-2"]
        newest = readings(db, [photo.id])[-1]
    assert [s.data["review"] for s in before] == [False, True]
    assert before[0].data == entry(one)["sheets"][0]
    assert before[1].kept == kept(two)[0]
    assert sorted(after) == sorted(s.id for s in before)
    assert [after[s.id].number for s in before] == [1, 0]
    assert after[before[1].id].data["review"] is False
    assert newest.entry == entry(better, one)


def test_what_newer_models_do_not_find_is_no_sheet_unless_a_person_spoke_of_it(
    store: Store,
) -> None:
    here, there = make_sheet(), make_sheet(origin_xy=(100, 700))
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(here, there), kept(here, there), 0.5)
        add_reading(db, photo, 0, "models-2", entry(error=ReaderDied("gone")), [], 0.5)
        assert (
            len(list(read_sheets(db, event_id=event.id))) == 2
        )  # that a process died says nothing of sheets
        one, _ = read_sheets(db, event_id=event.id)
        perform(db, load(db, event.id), Author("Ada"), ConfirmSheet(one.id))
        add_reading(db, photo, 0, "models-2", entry(error=NoSheetFound("none")), [], 0.5)
    with store.read() as db:
        assert [sheet.id for sheet in read_sheets(db, event_id=event.id)] == [one.id]


def test_a_sheet_stays_as_long_as_another_photo_is_said_to_show_it(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "e")
        photos = [add_photo(db, event.id, sha * 32, ".jpg", 10) for sha in ("1a", "2b")]
        for photo in photos:
            add_reading(db, photo, 0, MODELS, entry(make_sheet()), kept(make_sheet()), 0.5)
        one, other = read_sheets(db, event_id=event.id)
        perform(db, load(db, event.id), Author("Ada"), SamePaper(other.id, one.id))
        add_reading(db, photos[0], 0, "models-2", entry(error=NoSheetFound("none")), [], 0.5)
        assert [sheet.id for sheet in read_sheets(db, event_id=event.id)] == [one.id, other.id]


def test_another_kind_of_sheet_in_the_same_place_is_another_sheet(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(make_sheet()), kept(make_sheet()), 0.5)
        (before,) = read_sheets(db, event_id=event.id)
        perform(db, load(db, event.id), Author("Ada"), ConfirmSheet(before.id))
        kingdom = make_kingdom()
        add_reading(db, photo, 0, "models-2", entry(kingdom), kept(kingdom), 0.5)
        kinds = {sheet.id: sheet.kind for sheet in read_sheets(db, event_id=event.id)}
    assert kinds.pop(before.id) == "duel_map"
    assert list(kinds.values()) == ["kingdom"]


def test_a_page_without_a_sheet_is_a_reading_too(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(error=NoSheetFound("none")), [], 0.1)
        assert [r.error_code for r in readings(db, [photo.id])] == ["no_sheet"]
        assert list(read_sheets(db, event_id=event.id)) == []
