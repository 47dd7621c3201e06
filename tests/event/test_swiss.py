"""Pairing the next round: properties of every pairing, and small ones worked by hand."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.event.games import Game, Seat
from kdscan.event.standings import standings
from kdscan.event.swiss import Pairing, pair, seat


def play(pairing: Pairing, round_: int, lots: random.Random) -> list[Game]:
    games = [
        Game(round_, table, tuple(Seat(p, points=lots.randrange(60)) for p in players))
        for table, players in enumerate(pairing.tables, 1)
    ]
    if pairing.bye is not None:
        games.append(Game(round_, len(games) + 1, (Seat(pairing.bye),)))
    return games


def won(round_: int, *results: tuple[str, str]) -> list[Game]:
    """The first of each pair wins."""
    return [
        Game(round_, table, (Seat(a, points=20), Seat(b, points=10)))
        for table, (a, b) in enumerate(results, 1)
    ]


def test_the_bye_goes_to_the_last_who_had_none() -> None:
    first = pair("ABCDE")
    assert (first.bye, first.again) == ("E", ())
    games = [*won(1, ("A", "C"), ("B", "D")), Game(1, 3, (Seat("E"),))]
    second = pair("ABCDE", games)
    assert second.bye in ("C", "D")  # no points; E has had a bye


def test_when_all_have_met_it_says_so() -> None:
    games = won(1, ("A", "B"))
    again = pair("AB", games)
    assert again.tables == (("A", "B"),)
    assert again.again == ("A – B",)
    alone = pair(["A"], [Game(1, 1, (Seat("A"),))])
    assert alone == Pairing((), "A", second_bye=True)


def test_nobody_and_twice() -> None:
    assert pair([]) == Pairing((), None)
    with pytest.raises(ValueError, match="twice"):
        pair(["A", "B", "A"])


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
        pairing = pair(names, games, seed)
        seated = [*itertools.chain(*pairing.tables), *([pairing.bye] if n % 2 else [])]
        assert sorted(map(str, seated)) == names
        assert (pairing.bye is None) == (n % 2 == 0)
        if n >= 12:  # enough that five rounds always find new opponents
            assert pairing.again == () and not pairing.second_bye
        games += play(pairing, round_, lots)


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
    found = pair(names, games, seed)
    chosen = [*found.tables, *([(found.bye,)] if found.bye is not None else [])]
    best = min(_cost(names, games, pairs) for pairs in _all_pairings(names))
    assert _cost(names, games, chosen) == best


@given(st.integers(2, 30), st.integers(3, 4), st.integers(0, 99))
def test_tables_of_three_or_four_seat_everybody_evenly(n: int, most: int, seed: int) -> None:
    names = [f"P{k}" for k in range(n)]
    found = seat(names, (), seed, most=most)
    assert sorted(name for table in found.tables for name in table) == sorted(names)
    sizes = [len(table) for table in found.tables]
    assert max(sizes) <= most and min(sizes) >= 2 and max(sizes) - min(sizes) <= 1
    assert found.bye is None and not found.again


def test_nobody_of_a_table_meets_again_while_that_is_possible() -> None:
    names = [f"P{k:02}" for k in range(16)]
    games: list[Game] = []
    for round_ in (1, 2, 3):
        found = seat(names, games, 7 if round_ == 1 else None, most=4)
        assert not found.again, round_
        if round_ == 2:  # those who won sit together, and so on down
            scores = {line.player: line.score for line in standings(names, games)}
            assert all(len({scores[p] for p in table}) == 1 for table in found.tables)
        for number, table in enumerate(found.tables, 1):
            seats = tuple(Seat(name, points=int(name[1:])) for name in table)
            games.append(Game(round_, number, seats))


@pytest.mark.parametrize("players", range(4, 11))
def test_nobody_of_a_small_field_meets_twice_up_to_a_round_robin(players: int) -> None:
    names = [f"P{n}" for n in range(players)]
    for rounds in {3, players // 2 + 1, players - 1 + players % 2}:
        chance, games = random.Random(rounds), list[Game]()
        for number in range(1, rounds + 1):
            pairing = pair(names, games, number, rounds_left=rounds - number)
            assert not pairing.again and not pairing.second_bye
            for table, (a, b) in enumerate(pairing.tables, 1):
                seats = (Seat(name, points=chance.randrange(20, 60)) for name in (a, b))
                games.append(Game(number, table, tuple(seats)))
            if pairing.bye:
                games.append(Game(number, 99, (Seat(pairing.bye),)))
