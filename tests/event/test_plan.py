"""Rounds are paired as the event's rules say, and nothing that was played is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kdscan.errors import UsageError
from kdscan.event.event import event_state
from kdscan.event.plan import drop, enter_players, next_round, pairing_rows, set_result, unpair
from kdscan.event.rules import RuleChanges, ensure_rules
from kdscan.event.store import Store, open_store
from kdscan.event.store.events import ensure_player
from kdscan.event.store.games import games
from kdscan.event.store.records import Event
from kdscan.paper.ids import MOST_OF_PLAYER
from tests.event.entries import came_in
from tests.readings import make_sheet, with_evidence


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("plan") / "cup.sqlite")) as opened:
        yield opened


def cup(store: Store, name: str, players: str, asked: RuleChanges | None = None) -> Event:
    """A new event with these players."""
    with store.write() as db:
        event = ensure_rules(db, name, asked or RuleChanges())
        for player in players:
            ensure_player(db, event.id, player)
    return event


def test_tables_have_as_many_seats_as_the_rules_say(store: Store) -> None:
    event = cup(store, "four", "ABCDEFG", RuleChanges("kingdomino", seats=4))
    with store.write() as db:
        _, paired = next_round(db, event)
        assert sorted(len(game.seats) for game in games(db, event.id)) == [3, 4]
        assert paired.bye is None
        with pytest.raises(UsageError, match="a walkover needs two players"):
            set_result(db, event, 1, 1, "Zoe", walkover="A")


def test_no_more_rounds_are_paired_than_are_planned(store: Store) -> None:
    event = cup(store, "short", "AB", RuleChanges(rounds=1))
    with store.write() as db:
        next_round(db, event)
        set_result(db, event, 1, 1, "Zoe", points=[("A", 40), ("B", 30)])
        with pytest.raises(UsageError, match="all rounds are paired"):
            next_round(db, event)


def test_a_round_that_has_begun_is_neither_paired_again_nor_taken_back(store: Store) -> None:
    event = cup(store, "begun", "AB")
    with store.write() as db:
        next_round(db, event, 1)
        set_result(db, event, 1, 1, "Zoe", points=[("A", 40)])
        seats = [game.seats for game in games(db, event.id)]
        with pytest.raises(UsageError, match="has results; withdraw them"):
            next_round(db, event, 2, again=True)
        with pytest.raises(UsageError, match="has results; withdraw them"):
            unpair(db, event, 1)
        assert [game.seats for game in games(db, event.id)] == seats


def test_a_round_is_paired_again_before_it_is_played_and_the_next_after(store: Store) -> None:
    event = cup(store, "again", "ABCD")
    with store.write() as db:
        next_round(db, event, 1)
        with pytest.raises(UsageError, match=r"missing: 2, the first in round 1, table 1 \(., .\)"):
            next_round(db, event)
        round_, found = next_round(db, event, 2, again=True)
        assert (round_, len(found.tables)) == (1, 2)
        assert [(game.round, game.table) for game in games(db, event.id)] == [(1, 1), (1, 2)]


def test_who_has_left_is_not_paired_until_they_come_back(store: Store) -> None:
    event, nobody = cup(store, "left", "ABC"), cup(store, "empty", "")
    with store.write() as db:
        drop(db, event, "AC")
        with pytest.raises(UsageError, match=r"too few players \(1\)"):
            next_round(db, event)
        drop(db, event, "C", active=True)
        _, found = next_round(db, event)
        assert [sorted(seats) for seats in found.tables] == [["B", "C"]]
        with pytest.raises(UsageError, match="no such player in empty"):
            drop(db, nobody, "A")


def test_a_round_with_a_sheet_in_doubt_has_begun(store: Store) -> None:
    event = cup(store, "doubt", "AB")
    with store.write() as db:
        next_round(db, event, 1)
    # Another person's name is on it, so that no seat has points.
    came_in(store, "x.jpg", with_evidence(make_sheet(), sheet_id="X/1/1/Q"), event="doubt")
    with store.write() as db:
        with pytest.raises(UsageError, match="already come in"):
            next_round(db, event, 2, again=True)
        with pytest.raises(UsageError, match="already come in"):
            unpair(db, event, 1)


def test_only_the_last_round_is_taken_back(store: Store) -> None:
    event = cup(store, "two", "AB")
    with store.write() as db:
        next_round(db, event)
        set_result(db, event, 1, 1, "Zoe", points=[("A", 40), ("B", 30)])
        next_round(db, event)
        with pytest.raises(UsageError, match="no longer the last one"):
            unpair(db, event, 1)
        unpair(db, event, 2)
        assert [game.round for game in games(db, event.id)] == [1]


def test_the_last_result_is_withdrawn_and_none_that_nobody_entered(store: Store) -> None:
    event = cup(store, "none", "AB")
    with store.write() as db:
        next_round(db, event)
        for points in (30, 40):
            set_result(db, event, 1, 1, "Zoe", points=[("A", points)])
        set_result(db, event, 1, 1, "Zoe")
        assert {seat.points for seat in event_state(db, event).games[0].seats} == {30, None}
        set_result(db, event, 1, 1, "Zoe")
        with pytest.raises(UsageError, match="round 1, table 1: no result has been entered"):
            set_result(db, event, 1, 1, "Zoe")


def test_no_two_players_have_one_code_and_everybody_keeps_it(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    longest = "D" * MOST_OF_PLAYER
    named = f"Ada,A\nAbe,A\nBob,2\nCleo,\nDora,{longest}\nEve,{longest}D\n"
    path.write_text(f"name,player\n{named}")
    event = cup(store, "codes", "")
    with store.write() as db:
        enter_players(db, event, path)
        next_round(db, event)

        def codes() -> dict[object, object]:
            return {row["name"]: row["player"] for row in pairing_rows(db, event, 1)}

        before = codes()
        numbers = {"Abe": "2", "Bob": "3", "Cleo": "4", "Eve": "6"}
        assert before == numbers | {"Ada": "A", "Dora": longest}
        path.write_text("name,player\nCleo,A\nAbe,B\nAda,C\n")
        enter_players(db, event, path)
        assert codes() == before


def test_a_player_without_a_name_is_not_entered(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "players.csv"
    path.write_text("name,round\nAda,1\n,1\n")
    event = cup(store, "nameless", "")
    with store.write() as db, pytest.raises(UsageError, match="row 3: this player has no name"):
        enter_players(db, event, path)
