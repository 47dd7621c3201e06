"""Photos, their names, and what was read on them, on each database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from kdscan.errors import NoSheetFound, ReaderDied
from kdscan.event.actions import ConfirmSheet, SamePaper
from kdscan.event.events import load, open_row, perform
from kdscan.event.log import Author
from kdscan.event.store import Store
from kdscan.event.store.photos import add_file, add_photo, add_reading, files, read_sheets
from kdscan.event.store.schema import PhotoRow
from kdscan.sheets.base import AnyReading
from tests.event.entries import MODELS, SHA, entry, kept, one_photo
from tests.readings import make_kingdom, make_sheet


def read(
    db: Connection, photo: PhotoRow, *sheets: AnyReading, models: str = MODELS, **more: Any
) -> bool:
    """The first page of a photo was read, and this is what was found there."""
    return add_reading(db, photo, 0, models, entry(*sheets, **more), kept(*sheets), 0.5)


def test_a_photo_is_one_however_often_it_comes(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        assert add_photo(db, event.id, SHA, ".jpg", 10) == photo
        assert add_photo(db, open_row(db, "f").id, SHA, ".jpg", 10) != photo
        first = add_file(db, event.id, "b.jpg", photo.id)
        assert add_file(db, event.id, "b.jpg", photo.id) == first
        add_file(db, event.id, "a.jpg", photo.id, source="web", details={"round": 2})
    with store.read() as db:
        assert len(load(db, event.id).photos) == 1
        named = sorted(files(db, event.id), key=lambda file: file.name)
        assert [(f.name, f.source, f.details) for f in named] == [
            ("a.jpg", "web", {"round": 2}),
            ("b.jpg", "batch", {}),
        ]


def test_a_file_that_could_not_be_read_gives_way_to_one_that_can(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "e")
        for reason in ("gone", "still gone"):
            add_file(
                db, event.id, "a.jpg", None, error={"code": "unreadable_image", "message": reason}
            )
        assert [f.error_message for f in files(db, event.id)] == ["still gone"]
        photo = add_photo(db, event.id, SHA, ".jpg", 10)
        add_file(db, event.id, "a.jpg", photo.id)
        assert [(f.error_code, f.photo_id) for f in files(db, event.id)] == [(None, photo.id)]


def test_of_photos_of_one_name_the_later_ones_are_numbered(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "cup")
        ids = [add_photo(db, event.id, f"{n}b" * 32, ".jpg", 10).id for n in range(3)]
        for _ in range(2):  # as often as they come
            for photo in ids:
                add_file(db, event.id, "image.jpg", photo)
        add_file(db, event.id, "image.jpg (2)", ids[0])
        found = sorted((row.name, row.photo_id) for row in files(db, event.id))
    assert found == [
        ("image.jpg", ids[0]),
        ("image.jpg (2)", ids[1]),
        ("image.jpg (2) (2)", ids[0]),
        ("image.jpg (3)", ids[2]),
    ]


def test_a_round_that_is_said_later_holds(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "cup")
        photo = add_photo(db, event.id, SHA, ".jpg", 10)
        for details in ({}, {"round": 3}, {}):
            add_file(db, event.id, "a.jpg", photo.id, details=details)
        assert [row.details for row in files(db, event.id)] == [{"round": 3}]


def test_what_newer_models_do_not_find_is_no_sheet_unless_a_person_spoke_of_it(
    store: Store,
) -> None:
    here, there = make_sheet(), make_sheet(origin_xy=(100, 700))
    with store.write() as db:
        event, photo = one_photo(db)
        read(db, photo, here, there)
        read(db, photo, models="models-2", error=ReaderDied("gone"))
        one, _ = read_sheets(db, event_id=event.id)  # that it died says nothing of sheets
        perform(db, load(db, event.id), Author("Ada"), ConfirmSheet(one.id))
        read(db, photo, models="models-2", error=NoSheetFound("none"))
    with store.read() as db:
        assert [sheet.id for sheet in read_sheets(db, event_id=event.id)] == [one.id]


def test_a_sheet_stays_as_long_as_another_photo_is_said_to_show_it(store: Store) -> None:
    with store.write() as db:
        event = open_row(db, "e")
        photos = [add_photo(db, event.id, sha * 32, ".jpg", 10) for sha in ("1a", "2b")]
        for photo in photos:
            read(db, photo, make_sheet())
        one, other = read_sheets(db, event_id=event.id)
        perform(db, load(db, event.id), Author("Ada"), SamePaper(other.id, one.id))
        read(db, photos[0], models="models-2", error=NoSheetFound("none"))
        assert [sheet.id for sheet in read_sheets(db, event_id=event.id)] == [one.id, other.id]


def test_another_kind_of_sheet_in_the_same_place_is_another_sheet(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        read(db, photo, make_sheet())
        (before,) = read_sheets(db, event_id=event.id)
        perform(db, load(db, event.id), Author("Ada"), ConfirmSheet(before.id))
        kingdom = make_kingdom()
        read(db, photo, kingdom, models="models-2")
        kinds = {sheet.id: sheet.kind for sheet in read_sheets(db, event_id=event.id)}
    assert kinds.pop(before.id) == "duel_map"
    assert list(kinds.values()) == ["kingdom"]
