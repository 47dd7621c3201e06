"""Kingdoms in one photo share a box: a domino in one cannot be in the other."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.picture import Floats
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES
from kdscan.rules.kingdomino.variants import PLAIN
from kdscan.sheets.kingdom.interpret import decode_kingdoms
from kdscan.sheets.kingdom.model import KingdomEvidence
from kdscan.sheets.kingdom.posterior import condition_on_box, enumerate_kingdoms
from tests.readings import make_kingdom

MINE = """## w m+++ . .
. . . . .
. . . . .
. . . . .
. . . . ."""


def believed(text: str, doubt: dict[tuple[int, int], Floats]) -> Floats:
    kingdom = Kingdom.parse(text)
    probs = np.zeros((5, 5, len(SQUARE_CLASSES)))
    probs[..., SQUARE_CLASSES.index(("empty", 0))] = 1
    for cell, square in kingdom.squares.items():
        probs[cell] = np.eye(len(SQUARE_CLASSES))[
            SQUARE_CLASSES.index((square.terrain.value, square.crowns))
        ]
    probs[kingdom.castle] = np.eye(len(SQUARE_CLASSES))[SQUARE_CLASSES.index(("castle", 0))]
    for cell, share in doubt.items():
        probs[cell] = share
    return probs.reshape(25, -1)


def half(one: tuple[str, int], two: tuple[str, int]) -> Floats:
    share = np.zeros(len(SQUARE_CLASSES))
    share[SQUARE_CLASSES.index(one)], share[SQUARE_CLASSES.index(two)] = 0.45, 0.55
    return share


def test_a_kingdom_alone_is_weighed_as_it_stands() -> None:
    """However many kingdoms it may be."""
    doubt = {(4, col): half(("empty", 0), ("wheat", 0)) for col in range(5)}
    ballot = enumerate_kingdoms(believed(MINE, doubt | {(3, 0): doubt[4, 0]}), PLAIN)
    (same,), together = condition_on_box([ballot])
    assert (same, together) == (ballot, True)


def test_totals_have_their_probabilities_the_best_first() -> None:
    """That of the likeliest kingdom comes first, even if others together are likelier."""
    share = np.zeros(len(SQUARE_CLASSES))
    for kind, p in (("forest", 0.25), ("lake", 0.26)):
        share[SQUARE_CLASSES.index((kind, 0))] = p
    share[[SQUARE_CLASSES.index(("mine", 1)), SQUARE_CLASSES.index(("mine", 3))]] = 0.09, 0.4
    totals = enumerate_kingdoms(believed(MINE, {(0, 2): share}), PLAIN).totals()
    assert [total for total, _ in totals] == [3, 0, 1]
    assert [p for _, p in totals] == pytest.approx([0.4, 0.51, 0.09])


def test_the_likelier_castle_is_it_and_an_unlikely_one_is_not_tried() -> None:
    """Odds of 0.9 to 0.1 against 0.3 to 0.7, and of one in twenty."""
    places = {(0, 0): 0.9, (1, 1): 0.3, (1, 2): 0.05}
    shares = {}
    for at, p in places.items():
        shares[at] = np.zeros(len(SQUARE_CLASSES))
        shares[at][[CASTLE, EMPTY]] = p, 1 - p
    found = enumerate_kingdoms(believed(MINE, shares), PLAIN)
    weights: dict[object, float] = {}
    for one in found.candidates:
        castle = one.kingdom.castle
        weights[castle] = weights.get(castle, 0) + one.weight
    assert weights == pytest.approx({(0, 0): 0.949, (1, 1): 0.045}, abs=0.001)


def test_a_domino_seen_surely_in_one_kingdom_is_not_in_the_other() -> None:
    """Beside wheat lies one mine of three crowns in the box, and one of one crown."""
    sure = enumerate_kingdoms(believed(MINE, {}), PLAIN)
    unsure = enumerate_kingdoms(believed(MINE, {(0, 2): half(("mine", 1), ("mine", 3))}), PLAIN)
    assert unsure.best.kingdom.squares[0, 2].crowns == 3
    (first, second), together = condition_on_box([sure, unsure])
    assert together
    assert first.best.kingdom.squares[0, 2].crowns == 3
    assert second.best.kingdom.squares[0, 2].crowns == 1
    assert second.p_total > 0.95
    assert abs(second.total_weight - unsure.total_weight) < 1e-9


def test_a_neighbour_that_shares_no_domino_changes_nothing() -> None:
    sure = enumerate_kingdoms(believed(MINE, {}), PLAIN)
    unsure = enumerate_kingdoms(
        believed(MINE.replace("w", "f"), {(0, 2): half(("forest", 0), ("lake", 0))}), PLAIN
    )
    (_, second), together = condition_on_box([sure, unsure])
    assert together
    for one, before in zip(second.candidates, unsure.candidates, strict=True):
        assert one.weight == pytest.approx(before.weight)


def test_that_one_box_cannot_hold_what_is_less_likely_is_held_against_nobody() -> None:
    sure = enumerate_kingdoms(believed(MINE, {}), PLAIN)
    unsure = enumerate_kingdoms(believed(MINE, {(0, 2): half(("mine", 3), ("mine", 1))}), PLAIN)
    (_, second), together = condition_on_box([sure, unsure])
    assert together
    assert second.best.kingdom.squares[0, 2].crowns == 1


def test_two_sure_kingdoms_that_share_a_domino_are_reported_as_they_lie() -> None:
    one = make_kingdom(MINE)
    read = decode_kingdoms([KingdomEvidence(one.rectified, one.probs, PLAIN)] * 2)
    assert [str(r.kingdom) for r in read] == [str(one.kingdom)] * 2
    assert [[p.code for p in r.problems] for r in read] == [["not_from_one_box"]] * 2


def test_an_unlawful_neighbour_is_held_against_nobody() -> None:
    broken = make_kingdom(MINE.replace("w", "m+"))
    sound = make_kingdom(MINE.replace("m+++", "f"))
    read = decode_kingdoms([KingdomEvidence(r.rectified, r.probs, PLAIN) for r in (sound, broken)])
    assert read[0].problems == ()
    assert read[0].confidence > 0.98
    assert [p.code for p in read[1].problems] == ["not_laid_lawfully"]
