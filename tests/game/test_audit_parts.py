"""The parts of the audit: dice, proofs, and the replay, which trusts nothing."""

from __future__ import annotations

import pytest

from kdscan.game.duel.audit import Step, Witness, replay
from kdscan.game.duel.audit.dominoes import LAW, Half, the_dice
from kdscan.game.duel.audit.pairing import smallest_uncovered
from kdscan.game.duel.audit.reach import Proof, smallest_unreached
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.audit.witness import BrokenWitnessError
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import number
from tests.game.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401


def test_dice_make_a_domino_only_with_two_dice() -> None:
    dice = the_dice()
    assert dice.domino(Half(Coat.DOT, 1), Half(Coat.LINE, 1)).pairs == 0
    assert dice.domino(Half(Coat.FILLED, 2), Half(Coat.CHECKED, 2)).pairs == 0
    assert dice.domino(Half(Coat.DOT, 0), Half(Coat.DOT, 0)).most == (2, 0, 0)
    assert dice.domino(Half(Coat.LINE, 0), Half(Coat.LINE, 0)).most == (0, 2, 0)
    # Checked without a cross is on the second die alone; the other can only be a joker.
    assert dice.domino(Half(Coat.CHECKED, 0), Half(Coat.CHECKED, 0)).most == (0, 0, 1)
    assert dice.domino(Half(Coat.DOUBLE_DOT, 1), Half(Coat.DOUBLE_LINE, 1)).pairs == 0b000001
    assert dice.domino(Half(Coat.DOT, 0, castle=True), Half(Coat.DOT, 0)).most == (1, 0, 0)
    assert (
        not the_dice(False).domino(Half(Coat.FILLED, 0, castle=True), Half(Coat.CHECKED, 0)).most[2]
    )


def test_the_rulebooks_alone_allow_two_crosses_on_a_die() -> None:
    assert LAW.shows(Coat.DOT, 2) and not LAW.shows(Coat.DOT, 3)
    assert not LAW.shows(Coat.DOT, -1)
    assert not the_dice().shows(Coat.DOT, 2)
    assert LAW.domino(Half(Coat.DOT, 3), Half(Coat.DOT, 0)).pairs == 0


def test_spare_shields_need_no_neighbours() -> None:
    bits = [1 << number(cell) for cell in ((0, 0), (0, 6), (4, 0))]
    alone = sum(bits)
    assert smallest_uncovered(alone, 0) in bits
    assert smallest_uncovered(alone, 2) == alone
    assert smallest_uncovered(bits[0] | bits[1], 2) is None
    assert smallest_uncovered(0, 0) is None


def test_a_proof_that_takes_too_long_stays_as_large_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    task = Task(board, Bonus(), LAW)
    assert smallest_unreached(task, 0, False) == Proof(1 << number((3, 0)), True)
    monkeypatch.setattr("kdscan.game.duel.audit.reach.MOST_STEPS", 0)
    assert smallest_unreached(task, 0, False) == Proof(task.filled, False)
    monkeypatch.undo()
    monkeypatch.setattr("kdscan.game.duel.audit.reach._MOST_REMAINDERS", 0)
    proof = smallest_unreached(task, 0, False)
    assert proof is not None and not proof.smallest
    assert proof.cells.bit_count() == 1


def test_the_dot_wizard_opens_one_part_only() -> None:
    one = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    assert smallest_unreached(Task(one, Bonus(), LAW), 0, True) is None
    two = one.with_shield((1, 0), Shield(Coat.CHECKED)).with_shield((0, 0), Shield(Coat.FILLED))
    proof = smallest_unreached(Task(two, Bonus(), LAW), 0, True)
    assert proof is not None and proof.smallest and proof.cells.bit_count() == 2
    grown = two.with_shield((4, 0), Shield(Coat.LINE)).with_shield((4, 1), Shield(Coat.DOT))
    again = smallest_unreached(Task(grown, Bonus(), LAW), 0, True)
    assert again is not None and again.cells.bit_count() == 2


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
