"""Who won a game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdscan.event.games import Game, Seat, SheetScore, outcome_of
from kdscan.rules.winner import Outcome, Worth


def seats(*scores: tuple[int, int, int]) -> list[Seat]:
    return [
        Seat(f"P{key}", SheetScore(key, 1, 1, f"P{key}", Worth(*score)))
        for key, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ([(50, 5, 0), (49, 9, 0)], Outcome((0,), "score")),
        ([(50, 5, 0), (50, 6, 0)], Outcome((1,), "largest_domain")),
        ([(50, 6, 3), (50, 6, 4)], Outcome((1,), "crowns")),
        ([(50, 6, 4), (50, 6, 4)], Outcome((0, 1), "draw")),
    ],
)
def test_winner_by_the_rules(scores: list[tuple[int, int, int]], outcome: Outcome) -> None:
    assert outcome_of(seats(*scores)) == outcome


def test_an_arbiters_points_stand_for_the_sheet() -> None:
    first, second = seats((50, 5, 0), (40, 5, 0))
    assert Game(1, 1, (first, second)).outcome == Outcome((0,), "score")
    assert Game(1, 1, (first, replace(second, points=51))).outcome == Outcome((1,), "score")
    # Equal by the arbiter's word, and not by the sheets: their domains prove nothing.
    assert Game(1, 1, (first, replace(second, points=50))).outcome == Outcome((0, 1), "draw")
    assert Game(1, 1, (replace(first, points=50), second)).outcome == Outcome((0,), "score")


def test_at_a_table_of_three_ties_are_broken_among_those_in_front() -> None:
    # The third has the largest domain of all, but fewer points.
    three = seats((50, 6, 4), (50, 6, 5), (49, 9, 9))
    assert outcome_of(three) == Outcome((1,), "crowns")
    assert outcome_of(three[:1] + three[2:]) == Outcome((0,), "score")
