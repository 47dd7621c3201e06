"""Guarantees of the store, on each database."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection

from kdscan.errors import NoSheetFound, ReaderDied, UsageError
from kdscan.tournament.plan import next_round
from kdscan.tournament.store import Store, open_store
from kdscan.tournament.store.corrections import add_correction, corrections, effective, undo
from kdscan.tournament.store.events import (
    ensure_event,
    ensure_player,
    events,
    find_event,
    players,
    set_active,
    set_event_detail,
)
from kdscan.tournament.store.games import games, remove_games, set_game
from kdscan.tournament.store.photos import (
    add_file,
    add_photo,
    files,
    get_photo,
    photos,
    set_pages,
)
from kdscan.tournament.store.prints import pages_read
from kdscan.tournament.store.readings import (
    add_reading,
    readings,
    sheet,
    sheets,
)
from kdscan.tournament.store.records import Event, PhotoRow
from tests.readings import make_kingdom, make_sheet
from tests.tournament.entries import MODELS, entry, kept

SHA = "ab" * 32


def one_photo(db: Connection) -> tuple[Event, PhotoRow]:
    """An event with one photo."""
    event = ensure_event(db, "e")
    return event, add_photo(db, event.id, SHA, ".jpg", 10)


def test_events_and_players_are_made_once(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "Spring cup")
        assert ensure_event(db, "Spring cup") == event
        ada = ensure_player(db, event.id, "Ada", club="Łódź")
        assert ensure_player(db, event.id, "Ada", rating=1500).id == ada.id
        bob = ensure_player(db, event.id, "Боб")
        set_active(db, [bob.id], False)
        set_event_detail(db, event.id, "rounds", 5)
    with store.read() as db:
        assert find_event(db, "Spring cup").details == {"rounds": 5}
        assert [e.name for e in events(db)] == ["Spring cup"]
        found = players(db, event.id)
    assert [(p.name, p.active, p.details) for p in found] == [
        ("Ada", True, {"club": "Łódź", "rating": 1500}),
        ("Боб", False, {}),
    ]
    assert abs(event.created_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_what_makes_no_event_is_refused(store: Store) -> None:
    with store.write() as db:
        ensure_event(db, "Spring cup")
        with pytest.raises(UsageError, match="needs a name"):
            ensure_event(db, " ", "duel")
        with pytest.raises(UsageError, match="event of duel, not kingdomino"):
            ensure_event(db, "Spring cup", "kingdomino")
    with store.read() as db, pytest.raises(UsageError, match="Spring cup"):
        find_event(db, "Autumn cup")


def test_an_exception_leaves_nothing_behind(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.write() as db:
        ensure_event(db, "Spring cup")
        raise ZeroDivisionError
    with store.read() as db:
        assert events(db) == []


def test_a_photo_is_one_however_often_it_comes(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        assert add_photo(db, event.id, SHA, ".jpg", 10) == photo
        assert add_photo(db, ensure_event(db, "f").id, SHA, ".jpg", 10) != photo
        first = add_file(db, event.id, "b.jpg", photo.id)
        assert add_file(db, event.id, "b.jpg", photo.id) == first
        add_file(db, event.id, "a.jpg", photo.id, source="web", details={"round": 2})
    with store.read() as db:
        assert len(photos(db, event.id)) == 1
        named = files(db, event.id, photo.id)
        assert [(f.name, f.source, f.details) for f in named] == [
            ("a.jpg", "web", {"round": 2}),
            ("b.jpg", "batch", {}),
        ]


def test_a_file_that_could_not_be_read_gives_way_to_one_that_can(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "e")
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
        event = ensure_event(db, "cup")
        ids = [add_photo(db, event.id, f"{n}b" * 32, ".jpg", 10).id for n in range(3)]
        for _ in range(2):  # as often as they come
            for photo in ids:
                add_file(db, event.id, "image.jpg", photo)
        add_file(db, event.id, "image.jpg (2)", ids[0])
        found = [(row.name, row.photo_id) for row in files(db, event.id)]
    assert found == [
        ("image.jpg", ids[0]),
        ("image.jpg (2)", ids[1]),
        ("image.jpg (2) (2)", ids[0]),
        ("image.jpg (3)", ids[2]),
    ]


def test_a_round_that_is_said_later_holds(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "cup")
        photo = add_photo(db, event.id, SHA, ".jpg", 10)
        for details in ({}, {"round": 3}, {}):
            add_file(db, event.id, "a.jpg", photo.id, details=details)
        assert [row.details for row in files(db, event.id)] == [{"round": 3}]


def test_what_was_read_is_known(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "e")
        photo = add_photo(db, event.id, SHA, ".pdf", 10)
        set_pages(db, photo.id, 3)
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
        before = list(sheets(db, event.id))
        assert not add_reading(db, photo, 0, MODELS, entry(), [], 0.5)
        # New models find the two in another order, and with other doubts.
        better = make_sheet(origin_xy=(103, 698))
        assert add_reading(db, photo, 0, "models-2", entry(better, one), kept(better, one), 0.4)
    with store.read() as db:
        after = {s.id: s for s in sheets(db, event.id)}
        assert [r.models for r in readings(db, [photo.id])] == [MODELS, "models-2"]
        newest = readings(db, [photo.id])[-1]
    assert [s.review for s in before] == [False, True]
    assert before[0].data == entry(one)["sheets"][0]
    assert before[1].kept == kept(two)[0]
    assert sorted(after) == sorted(s.id for s in before)
    assert [after[s.id].number for s in before] == [1, 0]
    assert after[before[1].id].review is False
    assert newest.entry == entry(better, one)


def test_what_newer_models_do_not_find_is_no_sheet_unless_a_person_spoke_of_it(
    store: Store,
) -> None:
    here, there = make_sheet(), make_sheet(origin_xy=(100, 700))
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(here, there), kept(here, there), 0.5)
        add_reading(db, photo, 0, "models-2", entry(error=ReaderDied("gone")), [], 0.5)
        assert len(list(sheets(db, event.id))) == 2  # that a process died says nothing of sheets
        one, _ = sheets(db, event.id)
        add_correction(db, event.id, "confirmed", True, "Ada", sheet_id=one.id)
        add_reading(db, photo, 0, "models-2", entry(error=NoSheetFound("none")), [], 0.5)
    with store.read() as db:
        assert [sheet.id for sheet in sheets(db, event.id)] == [one.id]


def test_a_sheet_stays_as_long_as_another_photo_is_said_to_show_it(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "e")
        photos = [add_photo(db, event.id, sha * 32, ".jpg", 10) for sha in ("1a", "2b")]
        for photo in photos:
            add_reading(db, photo, 0, MODELS, entry(make_sheet()), kept(make_sheet()), 0.5)
        one, other = sheets(db, event.id)
        add_correction(db, event.id, "same_as", one.id, "Ada", sheet_id=other.id)
        add_reading(db, photos[0], 0, "models-2", entry(error=NoSheetFound("none")), [], 0.5)
        assert [sheet.id for sheet in sheets(db, event.id)] == [one.id, other.id]


def test_another_kind_of_sheet_in_the_same_place_is_another_sheet(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(make_sheet()), kept(make_sheet()), 0.5)
        (before,) = sheets(db, event.id)
        add_correction(db, event.id, "confirmed", True, "Ada", sheet_id=before.id)
        kingdom = make_kingdom()
        add_reading(db, photo, 0, "models-2", entry(kingdom), kept(kingdom), 0.5)
        kinds = {sheet.id: sheet.kind for sheet in sheets(db, event.id)}
    assert kinds.pop(before.id) == "duel_map"
    assert list(kinds.values()) == ["kingdom"]


def test_a_page_without_a_sheet_is_a_reading_too(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(error=NoSheetFound("none")), [], 0.1)
        assert [r.error_code for r in readings(db, [photo.id])] == ["no_sheet"]
        assert list(sheets(db, event.id)) == []


def test_corrections_are_added_and_taken_back(store: Store) -> None:
    with store.write() as db:
        event, photo = one_photo(db)
        add_reading(db, photo, 0, MODELS, entry(make_sheet()), kept(make_sheet()), 0.1)
        (found,) = sheets(db, event.id)

        def say(field: str, new: object, who: str = "Ada") -> int:
            return add_correction(db, event.id, field, new, who, sheet_id=found.id, old=None).id

        def held() -> dict[str, object]:
            rows = corrections(db, event.id, sheet_id=found.id)
            return {field: row.new for field, row in effective(rows).items()}

        first = say("cell:0,1", {"coat": "dot", "crosses": 0})
        second = say("cell:0,1", {"coat": "dot", "crosses": 2}, "Bob")
        say("castle", False)
        assert held() == {"cell:0,1": {"coat": "dot", "crosses": 2}, "castle": False}
        back = undo(db, second, "Ada")
        assert held()["cell:0,1"] == {"coat": "dot", "crosses": 0}
        undo(db, first, "Ada")
        assert held() == {"castle": False}
        undo(db, back.id, "Cid")
        assert held()["cell:0,1"] == {"coat": "dot", "crosses": 2}
        with pytest.raises(UsageError):
            undo(db, second, "Ada")
        with pytest.raises(UsageError):
            undo(db, 999, "Ada")
    with store.read() as db:
        rows = corrections(db, event.id)
        assert [r.who for r in rows] == ["Ada", "Bob", "Ada", "Ada", "Ada", "Cid"]
        assert sheet(db, found.id) == found
        assert all(r.at.tzinfo is not None for r in rows)


def test_games_seat_players(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "e")
        a, b, c = (ensure_player(db, event.id, name).id for name in "abc")
        game = set_game(db, event.id, 1, 2, [a, b])
        set_game(db, event.id, 1, 1, [c])
        assert set_game(db, event.id, 1, 2, [b, a]) == game
        set_game(db, event.id, 2, 1, [a, c])
    with store.write() as db:
        table = [(g.round, g.table, g.seats) for g in games(db, event.id)]
        assert table == [(1, 1, (c,)), (1, 2, (b, a)), (2, 1, (a, c))]
        add_correction(db, event.id, "result", {str(a): 12}, "Ada", game_id=game)
        remove_games(db, event.id, 2)
        assert [g.round for g in games(db, event.id)] == [1, 1]
        with pytest.raises(UsageError):
            remove_games(db, event.id, 1)
        rows = corrections(db, event.id, game_id=game)
        assert effective(rows)["result"].new == {str(a): 12}
        undo(db, rows[0].id, "Ada")
        remove_games(db, event.id, 1)
        assert not games(db, event.id)
        assert [row.new for row in corrections(db, event.id)] == [{str(a): 12}, None]


def test_two_programs_write_in_turn(store_url: str) -> None:
    """Both read before they write, and change one row too; neither loses what the other wrote."""
    with open_store(store_url) as store, store.write() as db:
        event = ensure_event(db, "e")

    def work(name: str) -> None:
        with open_store(store_url) as mine:
            for n in range(20):
                with mine.write() as db:
                    players(db, event.id)
                    ensure_player(db, event.id, f"{name}{n}")
                    ensure_player(db, event.id, f"both{n}")
                    set_event_detail(db, event.id, f"{name}{n}", n)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(store_url) as store, store.read() as db:
        assert len(players(db, event.id)) == 60
        assert len(find_event(db, "e").details) == 40


def test_a_round_that_two_desks_pair_at_once_is_paired_once(store_url: str) -> None:
    with open_store(store_url) as store, store.write() as db:
        event = ensure_event(db, "e")
        for n in range(20):
            ensure_player(db, event.id, f"P{n}")
    together, said = threading.Barrier(3), []

    def work() -> None:
        with open_store(store_url) as mine:
            together.wait()
            try:
                with mine.write() as db:
                    said.append(str(next_round(db, event)[0]))
            except UsageError as error:
                said.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("points are still missing" in one for one in said) == 2 and "1" in said


def test_who_reads_sees_one_moment(store_url: str) -> None:
    with open_store(store_url) as store, open_store(store_url) as other:
        with store.write() as db:
            event = ensure_event(db, "e")
        with store.read() as db:
            assert players(db, event.id) == []
            with other.write() as writing:
                ensure_player(writing, event.id, "Ada")
            assert players(db, event.id) == []
        with store.read() as db:
            assert [one.name for one in players(db, event.id)] == ["Ada"]
