"""Events, their log and versions, on each database; what older stores said still holds."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.events import events, find_event, find_row, load, open_event, open_row, perform
from kdscan.event.log import Author, entries
from kdscan.event.store import Store, open_store
from tests.event.entries import came_in, do, event_of, number_of, states
from tests.event.store.older import AT, make_older
from tests.readings import make_sheet


def test_an_event_is_found_by_its_name_or_as_the_only_one(store: Store) -> None:
    with store.write() as db:
        with pytest.raises(UsageError, match="there is no event yet"):
            find_row(db, None)
        cup = open_row(db, "Spring cup")
        assert open_row(db, "Spring cup") == cup == find_row(db, None)
        with pytest.raises(UsageError, match="needs a name"):
            open_row(db, " ")
        with pytest.raises(UsageError, match="this is an event of duel, not kingdomino"):
            open_row(db, "Spring cup", "kingdomino")
        with pytest.raises(UsageError, match="there are: Spring cup"):
            open_row(db, "spring  Cup ")
        open_row(db, "Other")
        with pytest.raises(UsageError, match="there are several events"):
            find_row(db, None)
        assert [event.name for event in events(db)] == ["Spring cup", "Other"]


def test_every_action_is_kept_with_who_and_when(store: Store) -> None:
    do(store, act.AddPlayer("Ada"), act.AddPlayer("Боб"), by=Author("Zoe"))
    event = do(store, act.DropPlayer("Ada"), by=Author("Łucja"))
    with store.read() as db:
        log = entries(db, event.id)
    assert [(one.who, one.role, type(one.action).__name__) for one in log] == [
        ("Zoe", "desk", "AddPlayer"),
        ("Zoe", "desk", "AddPlayer"),
        ("Łucja", "desk", "DropPlayer"),
    ]
    assert log[0].at == log[1].at < log[2].at
    assert event.version == 2
    with store.write() as db, pytest.raises(UsageError, match="invisible or invalid characters"):
        perform(db, event, Author("a\u202eb"), act.AddPlayer("Eve"))


def test_several_programs_write_to_one_event_and_nothing_is_lost(store: Store) -> None:
    with store.write() as db:
        event = open_event(db, "Cup")
    problems = []

    def write(name: str) -> None:
        known = event
        try:
            for n in range(8):
                with store.write() as db:
                    known, _ = perform(db, known, Author(name), act.AddPlayer(f"{name}{n}"))
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "AB"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    now = event_of(store)
    assert (len(now.names.players), now.version) == (16, 16)
    assert sorted(player.number for player in now.names.players) == list(range(1, 17))


def test_a_loaded_event_takes_only_what_has_changed(store: Store) -> None:
    came_in(store, "a.jpg", make_sheet(confidence=0.999))
    came_in(store, "b.jpg", make_sheet(confidence=0.99))
    before = event_of(store)
    with store.read() as db:
        assert load(db, before.id, before) is before
    do(store, act.CorrectShield(number_of(before, "a.jpg"), (0, 0), None))
    with store.read() as db:
        later, afresh = load(db, before.id, before), load(db, before.id)
    assert (later.sheets, later.log, later.files) == (afresh.sheets, afresh.log, afresh.files)
    other = number_of(before, "b.jpg")
    assert later.sheets[other] is before.sheets[other]


def test_what_older_stores_said_is_a_log_and_says_the_same(store_url: str) -> None:
    with open_store(store_url) as store:
        for name in ("a.jpg", "b.jpg", "c.jpg"):
            came_in(store, name, make_sheet(confidence=0.99), details={"round": 1})
        a, b, c = (number_of(event_of(store), name) for name in ("a.jpg", "b.jpg", "c.jpg"))
        said: tuple[tuple[Any, ...], ...] = (
            (a, None, "place", None, {"round": 1, "table": 1, "player": "Ada", "code": None}, None),
            (b, None, "cell:0,0", None, {"coat": None, "crosses": 0}, None),
            (b, None, "same_as", None, 0, None),
            (c, None, "ignored", None, True, None),
            (None, 1, "result", {"2": None}, {"2": 12}, None),
            (a, None, "confirmed", None, True, None),
            (a, None, "confirmed", True, None, 6),
            (None, 2, "result", {}, {"walkover": 3}, None),
            (None, None, "player:Dan", True, False, None),
        )
        names = ("sheet_id", "game_id", "field", "old", "new", "undoes")
        with store.write() as db:
            event = open_row(db, "Cup")
            make_older(
                db,
                player=[
                    {"id": n, "event_id": event.id, "name": name, "active": n < 4, "details": {}}
                    for n, name in enumerate(("Ada", "Bob", "Cleo", "Dan"), 1)
                ],
                game=[
                    {"id": n, "event_id": event.id, "round": 1, "table": n, "details": {}}
                    for n in (1, 2)
                ],
                seat=[
                    {"id": n, "game_id": -(-n // 2), "number": n % 2, "player_id": n}
                    for n in range(1, 5)
                ],
                correction=[
                    {"id": n, "event_id": event.id, "who": "Zoe", "at": AT}
                    | dict(zip(names, row, strict=True))
                    for n, row in enumerate(said, 1)
                ],
            )
    with open_store(store_url) as store:
        with store.read() as db:
            loaded = find_event(db, "Cup")
        assert loaded.assignments[a].player == "Ada"
        assert {
            name: len(loaded.sheets[n].brief.waits)
            for name, n in zip("abc", (a, b, c), strict=True)
        } == {"a": 0, "b": 0, "c": 0}
        assert ({*loaded.said.ignored}, loaded.said.same_as) == ({c}, {b: 0})
        assert not loaded.sheets[a].brief.confirmed
        assert states(store, loaded)["b.jpg"]["cells"][0]["coat"] is None
        assert [player.active for player in loaded.names.players] == [True, True, True, False]
        one, two = loaded.games
        assert {seat.player: seat.total for seat in one.seats} == {
            "Ada": make_sheet().score.total,
            "Bob": 12,
        }
        assert two.walkover == "Cleo"
        assert not loaded.unsaved  # the upgrade has stored what was computed
