"""Guarantees of the store, on each database."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from kdscan.errors import UsageError
from kdscan.event.plan import next_round
from kdscan.event.store import Store, open_store
from kdscan.event.store.corrections import add_correction, corrections, effective, undo
from kdscan.event.store.events import (
    ensure_event,
    ensure_player,
    events,
    find_event,
    players,
    set_active,
    set_event_detail,
)
from kdscan.event.store.games import games, remove_games, set_game
from kdscan.event.store.readings import (
    add_reading,
    sheet,
    sheets,
)
from tests.event.entries import MODELS, entry, kept, one_photo
from tests.readings import make_sheet


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
        for other in (second, back.id, 999):  # undone, an undo, unknown
            with pytest.raises(UsageError):
                undo(db, other, "Ada")
    with store.read() as db:
        rows = corrections(db, event.id)
        assert [r.who for r in rows] == ["Ada", "Bob", "Ada", "Ada", "Ada"]
        assert sheet(db, found.id) == found
        assert all(r.at.tzinfo is not None for r in rows)


def test_games_seat_players(store: Store) -> None:
    with store.write() as db:
        event = ensure_event(db, "e")
        a, b, c = (ensure_player(db, event.id, name).id for name in "abc")
        game = set_game(db, event.id, 1, 2, [b, a])
        set_game(db, event.id, 1, 1, [c])
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
