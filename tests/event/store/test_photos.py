"""Photos and their names, on each database."""

from __future__ import annotations

from kdscan.event.events import open_row
from kdscan.event.store import Store
from kdscan.event.store.photos import (
    add_file,
    add_photo,
    files,
    photos,
)
from tests.event.entries import SHA, one_photo


def test_a_photo_is_one_however_often_it_comes(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        assert add_photo(db, event.id, SHA, ".jpg", 10) == photo
        assert add_photo(db, open_row(db, "f").id, SHA, ".jpg", 10) != photo
        first = add_file(db, event.id, "b.jpg", photo.id)
        assert add_file(db, event.id, "b.jpg", photo.id) == first
        add_file(db, event.id, "a.jpg", photo.id, source="web", details={"round": 2})
    with store.read() as db:
        assert len(photos(db, event.id)) == 1
        named = sorted(files(db, event.id, [photo.id]), key=lambda file: file.name)
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
