"""The parts of the audit: dice, and the replay, which trusts nothing."""

from __future__ import annotations

import pytest

from kdscan.game.duel.audit import Step, Witness, replay
from kdscan.game.duel.audit.dominoes import LAW, Half, the_dice
from kdscan.game.duel.audit.witness import BrokenWitnessError
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from tests.game.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401


def test_dice_make_a_domino_only_with_two_dice() -> None:
    dice = the_dice()
    assert dice.domino(Half(Coat.DOT, 1), Half(Coat.LINE, 1)).pairs == 0
    assert dice.domino(Half(Coat.FILLED, 2), Half(Coat.CHECKED, 2)).pairs == 0
    assert dice.domino(Half(Coat.DOT, 0), Half(Coat.DOT, 0)).most[Coat.DOT] == 2
    assert dice.domino(Half(Coat.LINE, 0), Half(Coat.LINE, 0)).most[Coat.LINE] == 2
    # Checked without a cross is on the second die alone; the other can only be a joker.
    assert dice.domino(Half(Coat.CHECKED, 0), Half(Coat.CHECKED, 0)).most[Coat.CHECKED] == 1
    assert dice.domino(Half(Coat.DOUBLE_DOT, 1), Half(Coat.DOUBLE_LINE, 1)).pairs == 0b000001
    assert dice.domino(Half(Coat.DOT, 0, castle=True), Half(Coat.DOT, 0)).most[Coat.DOT] == 1
    joker = Half(Coat.FILLED, 0, castle=True)
    assert not the_dice(False).domino(joker, Half(Coat.CHECKED, 0)).most[Coat.CHECKED]


def test_the_rulebooks_alone_allow_two_crosses_on_a_die() -> None:
    assert LAW.shows(Coat.DOT, 2) and not LAW.shows(Coat.DOT, 3)
    assert not LAW.shows(Coat.DOT, -1)
    assert not the_dice().shows(Coat.DOT, 2)
    assert LAW.domino(Half(Coat.DOT, 3), Half(Coat.DOT, 0)).pairs == 0


# The replay, which trusts nothing


TWO = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
FAR = board_of(". . dd dd . . .", ". . . ## . . .", "l l . . . . .")
MANY = board_of(". . dd dd+++ . . .", ". . . ## . . .", EMPTY_ROW)


@pytest.mark.parametrize(
    ("board", "witness", "message"),
    [
        (TWO, Witness(()), "do not fill"),
        (TWO, Witness((Step(((1, 2), (1, 2))),)), "not two free shields"),
        (TWO, Witness((Step(((1, 3), (1, 4))),)), "not two free shields"),
        (FAR, Witness((Step(((1, 2), (3, 1))),)), "not side by side"),
        (FAR, Witness((Step(((3, 0), (3, 1))),)), "the domino is not connected"),
        (FAR, Witness((Step(((3, 0), (3, 1)), Coat.DOT),)), "dot's wizard is not at hand"),
        (FAR, Witness((Step(((1, 3), (3, 1)), Coat.LINE),)), "drawn apart is not connected"),
        (TWO, Witness((Step(((1, 2), (1, 3))),), castle=(1, 2)), "brings -1 crosses"),
        (MANY, Witness((Step(((1, 2), (1, 3))),)), "brings 3 crosses"),
    ],
)
def test_a_broken_witness_is_found_out(board: Board, witness: Witness, message: str) -> None:
    with pytest.raises(BrokenWitnessError, match=message):
        replay(board, witness)


def test_a_power_is_used_once(short_book: None) -> None:
    """Two dots win the wizard of a short book; he draws one domino apart, not two."""
    board = board_of("f f . . c c .", ". . d ## . . .", ". . d . . . .")
    first = Step(((2, 2), (3, 2)))
    apart = Step(((1, 0), (1, 1)), Coat.DOT), Step(((1, 4), (1, 5)), Coat.DOT)
    one = board_of("f f . . . . .", ". . d ## . . .", ". . d . . . .")
    replay(one, Witness((first, apart[0])))
    with pytest.raises(BrokenWitnessError, match="step 3: the dot's wizard is not at hand"):
        replay(board, Witness((first, *apart)))


def test_a_wizards_cross_is_checked_against_its_time(short_book: None) -> None:
    board = board_of(". . c c . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    checked, other = Step(((1, 2), (1, 3))), Step(((2, 4), (2, 5)))
    replay(board, Witness((other, checked), wizard=(2, 4)))
    with pytest.raises(BrokenWitnessError, match="came before its shield"):
        replay(board, Witness((checked, other), wizard=(2, 4)))
    none = board_of(". . f f . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    with pytest.raises(BrokenWitnessError, match="never won"):
        replay(none, Witness((other, checked), wizard=(2, 4)))
