"""Which die can make which half of a domino."""

from __future__ import annotations

import pytest

from kdscan.rules.duel.audit.shields import LAW, THE_DICE, Half
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import DICE, Face


@pytest.mark.parametrize("coat", list(Coat))
def test_a_joker_takes_the_castles_cross(coat: Coat) -> None:
    for die, faces in enumerate(DICE):
        shown, joker = Face(coat, 0) in faces, any(face.joker for face in faces)
        for castle in (False, True):
            assert (THE_DICE.squares(die, Half(coat, 0, castle)) >= 0) == (shown or joker)


def test_a_shown_coat_fills_a_square_a_joker_none() -> None:
    """Two dots that two dice show fill two squares of the dot's line; with a cross none."""
    showing = [die for die, faces in enumerate(DICE) if Face(Coat.DOT, 0) in faces]
    most = THE_DICE.domino(Half(Coat.DOT, 0), Half(Coat.DOT, 0)).most
    assert most[Coat.DOT] == min(2, len(showing))
    crossed = THE_DICE.domino(Half(Coat.DOT, 0, castle=True), Half(Coat.DOT, 1))
    assert not any(crossed.most.values())


@pytest.mark.parametrize("coat", list(Coat))
def test_where_the_castles_cross_may_lie_on_several_shields_it_changes_no_domino(
    coat: Coat,
) -> None:
    """The search asks about one such place for all."""
    others = [Half(other, n) for other in Coat for n in range(3)]
    for crosses in (1, 2, 3):
        taken, own = Half(coat, crosses - 1, castle=True), Half(coat, crosses)
        if not (THE_DICE.shows(coat, crosses - 1) and THE_DICE.shows(coat, crosses)):
            continue
        for other in others:
            with_it, without = THE_DICE.domino(taken, other), THE_DICE.domino(own, other)
            if with_it.pairs and without.pairs:
                assert with_it.most == without.most


def test_dice_make_a_domino_only_with_two_dice() -> None:
    assert THE_DICE.domino(Half(Coat.DOT, 1), Half(Coat.LINE, 1)).pairs == frozenset()
    assert THE_DICE.domino(Half(Coat.FILLED, 2), Half(Coat.CHECKED, 2)).pairs == frozenset()
    assert THE_DICE.domino(Half(Coat.DOT, 0), Half(Coat.DOT, 0)).most[Coat.DOT] == 2
    assert THE_DICE.domino(Half(Coat.LINE, 0), Half(Coat.LINE, 0)).most[Coat.LINE] == 2
    # Checked without a cross is on the second die alone; the other can only be a joker.
    assert THE_DICE.domino(Half(Coat.CHECKED, 0), Half(Coat.CHECKED, 0)).most[Coat.CHECKED] == 1
    assert THE_DICE.domino(Half(Coat.DOUBLE_DOT, 1), Half(Coat.DOUBLE_LINE, 1)).pairs == {0b0011}
    assert THE_DICE.domino(Half(Coat.DOT, 0, castle=True), Half(Coat.DOT, 0)).most[Coat.DOT] == 1


def test_the_rulebooks_alone_allow_two_crosses_on_a_die() -> None:
    assert LAW.shows(Coat.DOT, 2) and not LAW.shows(Coat.DOT, 3)
    assert not LAW.shows(Coat.DOT, -1)
    assert not THE_DICE.shows(Coat.DOT, 2)
    assert LAW.domino(Half(Coat.DOT, 3), Half(Coat.DOT, 0)).pairs == frozenset()
