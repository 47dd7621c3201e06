"""Standings, by hand-worked examples of the Mind Sports Olympiad's rules, and by properties."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kdscan.event.games import Game, Seat
from kdscan.event.standings import spread_but_best, standings


def played(round_: int, *scores: tuple[str, int, str, int]) -> list[Game]:
    return [
        Game(round_, table, (Seat(a, points=x), Seat(b, points=y)))
        for table, (a, x, b, y) in enumerate(scores, 1)
    ]


def bye(round_: int, player: str) -> Game:
    return Game(round_, 99, (Seat(player),))


def order(games: Iterable[Game], *players: str) -> list[tuple[int, str, str]]:
    return [(line.rank, line.player, line.decided_by) for line in standings(players, games)]


def test_head_to_head_comes_before_the_spread() -> None:
    # A and B have two wins each; A beat B by one point, B's spread is far larger.
    games = [
        *played(1, ("A", 31, "B", 30), ("C", 20, "D", 10)),
        *played(2, ("A", 21, "C", 20), ("B", 90, "D", 10)),
        *played(3, ("A", 10, "D", 20), ("B", 90, "C", 10)),
    ]
    assert order(games)[:2] == [(1, "A", "head_to_head"), (2, "B", "head_to_head")]


def test_head_to_head_needs_all_others_in_the_tie() -> None:
    # A, B, C beat each other in a ring: the spread decides, the best result left out.
    games = [
        *played(1, ("A", 50, "B", 10), ("C", 30, "D", 29)),  # A +40, B -40
        *played(2, ("B", 40, "C", 10), ("A", 30, "D", 29)),  # B +30, C -30
        *played(3, ("C", 15, "A", 10), ("B", 30, "D", 29)),  # C +5, A -5
    ]
    lines = standings((), games)
    # A: 40, 1, -5 -> -4; B: -40, 30, 1 -> -39; C: 1, -30, 5 -> -29.
    assert [(x.player, x.spread, x.decided_by) for x in lines[:3]] == [
        ("A", -4, "spread"),
        ("C", -29, "spread"),
        ("B", -39, "spread"),
    ]


def test_who_lost_to_all_others_in_the_tie_is_last_of_it() -> None:
    # A, B, C have one win; C lost to A and B, each by one point, and has the best spread.
    games = [
        *played(1, ("A", 11, "C", 10), ("D", 30, "B", 10)),
        *played(2, ("B", 11, "C", 10), ("D", 40, "A", 10)),
        *played(3, ("C", 99, "D", 0)),
    ]
    lines = [line for line in standings((), games) if line.score == 1]
    assert [(x.rank, x.player, x.decided_by) for x in lines] == [
        (2, "B", "spread"),
        (3, "A", "spread"),
        (4, "C", "head_to_head"),
    ]


def test_sonneborn_berger_after_an_equal_spread() -> None:
    # A and B: a win by 10 and a loss by 5 each; A beat the stronger opponent.
    games = [
        *played(1, ("A", 20, "C", 10), ("B", 20, "D", 10), ("E", 20, "F", 10)),
        *played(2, ("E", 15, "A", 10), ("F", 15, "B", 10), ("C", 30, "D", 10)),
    ]
    lines = {line.player: line for line in standings((), games)}
    assert (lines["A"].spread, lines["B"].spread) == (-5, -5)
    assert (lines["A"].sonneborn_berger, lines["B"].sonneborn_berger) == (1, 0)
    assert lines["A"].decided_by == "sonneborn_berger"
    assert lines["A"].rank < lines["B"].rank


def test_players_whom_nothing_separates_share_the_place() -> None:
    games = played(1, ("A", 20, "B", 10), ("C", 20, "D", 10), ("E", 0, "F", 9))
    assert order(games) == [
        (1, "A", "shared"),
        (1, "C", "shared"),
        (1, "F", "shared"),
        (4, "B", "shared"),
        (4, "D", "shared"),
        (4, "E", "shared"),
    ]


def test_a_bye_waits_until_somebody_played() -> None:
    paired = Game(2, 1, (Seat("A", points=30), Seat("B")))
    games = [*played(1, ("A", 30, "B", 10)), bye(1, "C"), paired, bye(2, "C")]
    scores = {line.player: line.score for line in standings((), games)}
    assert scores == {"A": 1, "B": 0, "C": 1}
    games[2] = Game(2, 1, (Seat("A", points=30), Seat("B", points=31)))
    scores = {line.player: line.score for line in standings((), games)}
    assert scores == {"A": 1, "B": 1, "C": 2}


def test_a_walkover_is_a_win_by_nothing_over_the_player_who_did_not_come() -> None:
    game = Game(1, 1, (Seat("A"), Seat("B")), walkover="A")
    results = {
        player: [(result.opponent, result.score, result.spread) for result in game.results[player]]
        for player in "AB"
    }
    assert results == {"A": [("B", 1, 0)], "B": [("A", 0, 0)]}
    lines = {line.player: line for line in standings((), [game])}
    assert (lines["A"].wins, lines["B"].losses) == (1, 1)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[str], list[Game]]:
    names = [f"P{i}" for i in range(draw(st.integers(2, 9)))]
    games = []
    for round_ in range(1, draw(st.integers(0, 5)) + 1):
        seats = draw(st.permutations(names))
        for table, (a, b) in enumerate(zip(seats[::2], seats[1::2], strict=False), 1):
            x, y = draw(st.tuples(st.integers(0, 60), st.integers(0, 60)))
            games.append(Game(round_, table, (Seat(a, points=x), Seat(b, points=y))))
        if len(seats) % 2:
            games.append(bye(round_, seats[-1]))
    return names, games


@given(tournaments())
def test_tables_are_consistent(event: tuple[list[str], list[Game]]) -> None:
    names, games = event
    lines = standings(names, games)
    assert sorted(line.player for line in lines) == sorted(names)
    assert sum(line.score for line in lines) == len(games)  # every game, and bye, gives one point
    ranks = [line.rank for line in lines]
    assert ranks[0] == 1 and ranks == sorted(ranks)
    for place, line in enumerate(lines, 1):
        assert line.rank <= place
        assert line.rank == place or ranks[place - 2] == line.rank
        assert line.score == line.wins + line.draws / 2 + line.byes
    assert [line.score for line in lines] == sorted((x.score for x in lines), reverse=True)
    assert sum(line.wins for line in lines) == sum(line.losses for line in lines)


@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_of_games_and_names_changes_nothing(
    event: tuple[list[str], list[Game]], lots: object
) -> None:
    import random

    assert isinstance(lots, random.Random)
    names, games = event
    mixed, others = games[:], names[:]
    lots.shuffle(mixed)
    lots.shuffle(others)
    assert standings(others, mixed) == standings(names, games)


def test_a_table_of_four_is_a_third_of_a_game_against_each_other() -> None:
    table = Game(
        1, 1, tuple(Seat(p, points=n) for p, n in zip("ABCD", (60, 50, 50, 20), strict=True))
    )
    lines = {line.player: line for line in standings((), [table])}
    # A beat three; B and C beat one and drew one; D beat nobody.
    assert [round(lines[p].score, 9) for p in "ABCD"] == [1, 0.5, 0.5, 0]
    assert (lines["A"].wins, lines["B"].losses, lines["D"].losses) == (1, 1, 1)
    # A beat B, C (a half each) and D: a third of each score.
    assert round(lines["A"].sonneborn_berger, 9) == round((0.5 + 0.5 + 0) / 3, 9)
    own = list(table.results["A"])
    assert [(one.opponent, one.spread) for one in own] == [("B", 10), ("C", 10), ("D", 40)]
    assert spread_but_best(own) == 0
    second = Game(2, 1, table.seats[:2]).results["A"]
    assert spread_but_best([*own, *second]) == 10  # the mean of 10, 10 and 40 was the best
    won = Game(2, 1, (Seat("A", points=99), Seat("B", points=9))).results["A"]
    assert spread_but_best([*own, *won]) == 20  # that mean


def test_several_in_front_at_a_table_of_three_have_drawn() -> None:
    table = Game(1, 1, (Seat("A", points=9), Seat("B", points=9), Seat("C", points=1)))
    lines = {line.player: line for line in standings((), [table])}
    assert (lines["A"].draws, lines["B"].draws, lines["C"].losses) == (1, 1, 1)
    assert [lines[p].score for p in "ABC"] == [0.75, 0.75, 0]
    four = Game(1, 1, tuple(Seat(p, points=n) for p, n in zip("ABCD", (9, 9, 1, 1), strict=True)))
    lines = {line.player: line for line in standings((), [four])}
    assert [(lines[p].draws, lines[p].losses) for p in "ABCD"] == [(1, 0), (1, 0), (0, 1), (0, 1)]
