"""Pairing the next round: properties of every pairing, and small ones worked by hand."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.event.games import Game, Seat
from kdscan.event.standings import standings
from kdscan.event.swiss import Tables, pair, repeats, seat


def play(tables: Tables, round_: int, lots: random.Random) -> list[Game]:
    return [
        Game(round_, table, tuple(Seat(p, points=lots.randrange(60)) for p in players))
        for table, players in enumerate(tables, 1)
    ]


def won(round_: int, *results: tuple[str, str]) -> list[Game]:
    """The first of each pair wins."""
    return [
        Game(round_, table, (Seat(a, points=20), Seat(b, points=10)))
        for table, (a, b) in enumerate(results, 1)
    ]


def test_the_bye_goes_to_the_last_who_had_none() -> None:
    assert pair("ABCDE")[-1] == ("E",)
    games = [*won(1, ("A", "C"), ("B", "D")), Game(1, 3, (Seat("E"),))]
    assert pair("ABCDE", games)[-1] in (("C",), ("D",))  # no points; E has had a bye


def test_when_all_have_met_it_says_so() -> None:
    games = won(1, ("A", "B"))
    again = pair("AB", games)
    assert list(again) == repeats(again, games) == [("A", "B")]
    bye = [Game(1, 1, (Seat("A"),))]
    assert repeats(pair(["A"], bye), bye) == [("A",)]


def test_nobody_plays_nobody() -> None:
    assert pair([]) == ()


def test_lots_are_the_seeds() -> None:
    names = [f"P{i}" for i in range(20)]
    assert pair(names, seed=3) == pair(names, seed=3)
    assert pair(names, seed=3) != pair(names, seed=4)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 17), st.integers(0, 2**16))
def test_five_rounds_are_sound(n: int, seed: int) -> None:
    lots = random.Random(seed)
    names = [f"P{i:02}" for i in range(n)]
    games: list[Game] = []
    for round_ in range(1, 6):
        tables = pair(names, games, seed)
        assert sorted(itertools.chain(*tables)) == names
        assert [len(seats) for seats in tables].count(1) == n % 2
        if n >= 12:  # enough that five rounds always find new opponents
            assert not repeats(tables, games)
        games += play(tables, round_, lots)


def _cost(names: list[str], games: list[Game], pairs: list[tuple[str, ...]]) -> tuple[int, float]:
    """A bye is a pair of one, as good as a game against the lowest score."""
    score = {line.player: line.score for line in standings(names, games)}
    met = {frozenset(seat.player for seat in game.seats) for game in games}
    lowest = min(score.values())
    apart = [score[p[0]] - (score[p[1]] if len(p) == 2 else lowest) for p in pairs]
    return sum(frozenset(p) in met for p in pairs), sum(gap**2 for gap in apart)


def _all_pairings(names: list[str]) -> list[list[tuple[str, ...]]]:
    if not names:
        return [[]]
    first, *rest = names
    found: list[list[tuple[str, ...]]] = [
        [(first, other), *others]
        for other in rest
        for others in _all_pairings([name for name in rest if name != other])
    ]
    if len(names) % 2:
        found += [[(first,), *others] for others in _all_pairings(rest)]
    return found


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**16), st.integers(1, 4), st.sampled_from([7, 8]))
def test_no_pairing_is_better(seed: int, rounds: int, n: int) -> None:
    """Against all 105 pairings: fewest repeats, then closest scores."""
    lots = random.Random(seed)
    names = [f"P{i}" for i in range(n)]
    games: list[Game] = []
    for round_ in range(1, rounds + 1):
        games += play(pair(names, games, seed), round_, lots)
    chosen = list(pair(names, games, seed))
    best = min(_cost(names, games, pairs) for pairs in _all_pairings(names))
    assert _cost(names, games, chosen) == best


@given(st.integers(2, 30), st.integers(3, 4), st.integers(0, 99))
def test_tables_of_three_or_four_seat_everybody_evenly(n: int, most: int, seed: int) -> None:
    names = [f"P{k}" for k in range(n)]
    tables = seat(names, (), seed, most=most)
    assert sorted(itertools.chain(*tables)) == sorted(names)
    sizes = [len(table) for table in tables]
    assert max(sizes) <= most and min(sizes) >= 2 and max(sizes) - min(sizes) <= 1


def test_nobody_of_a_table_meets_again_while_that_is_possible() -> None:
    names = [f"P{k:02}" for k in range(16)]
    games: list[Game] = []
    for round_ in (1, 2, 3):
        tables = seat(names, games, 7 if round_ == 1 else None, most=4)
        assert not repeats(tables, games), round_
        if round_ == 2:  # those who won sit together, and so on down
            scores = {line.player: line.score for line in standings(names, games)}
            assert all(len({scores[p] for p in table}) == 1 for table in tables)
        for number, table in enumerate(tables, 1):
            seats = tuple(Seat(name, points=int(name[1:])) for name in table)
            games.append(Game(round_, number, seats))


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("players", range(4, 11))
def test_nobody_of_a_small_field_meets_twice_up_to_a_round_robin(
    players: int, stated: bool
) -> None:
    names = [f"P{n}" for n in range(players)]
    for rounds in {3, players // 2 + 1, players - 1 + players % 2}:
        chance, games = random.Random(rounds), list[Game]()
        for number in range(1, rounds + 1):
            left = rounds - number if stated else None
            tables = pair(names, games, number, rounds_left=left)
            assert not repeats(tables, games)
            games += play(tables, number, chance)
