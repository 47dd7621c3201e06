"""The independent replay of a way: its messages, and how far it counts rounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdscan.rules.duel.audit import Step, Witness, audit_map, replay
from kdscan.rules.duel.audit.witness import BrokenWitnessError
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.editions import FRENCH
from tests.rules.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401

TWO = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
DRAWN = Witness((Step(((1, 2), (1, 3))),))
RING = Board.parse(
    """. . .  .  .  .  .
       . . ll ll .  .  .
       . ll ll ## ll ll .
       . . .  ll ll .  .
       . . .  .  .  dd f"""
)


def refused(board: Board, witness: Witness) -> str:
    with pytest.raises(BrokenWitnessError) as broken:
        replay(board, witness, FRENCH)
    return str(broken.value)


def test_one_domino_makes_a_board() -> None:
    replay(TWO, DRAWN)


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


def test_a_die_with_the_castles_cross_fills_no_square(short_book: None) -> None:
    board = board_of("f f . . . . .", ". . d+ ## . . .", ". . d . . . .")
    steps = (Step(((2, 2), (3, 2))), Step(((1, 0), (1, 1)), Coat.DOT))
    with pytest.raises(BrokenWitnessError, match="the dot's wizard is not at hand"):
        replay(board, Witness(steps, castle=(2, 2)))


def test_a_wizards_cross_is_checked_against_its_time(short_book: None) -> None:
    board = board_of(". . c c . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    checked, other = Step(((1, 2), (1, 3))), Step(((2, 4), (2, 5)))
    replay(board, Witness((other, checked), wizard=(2, 4)))
    with pytest.raises(BrokenWitnessError, match="came before its shield"):
        replay(board, Witness((checked, other), wizard=(2, 4)))
    none = board_of(". . f f . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    with pytest.raises(BrokenWitnessError, match="never won"):
        replay(none, Witness((other, checked), wizard=(2, 4)))


def test_no_room_is_checked_in_every_round() -> None:
    assert refused(TWO, replace(DRAWN, idle=((1, Coat.DOT),))) == (
        "after step 1 there was room for the dot"
    )
    witness = audit_map(RING, edition=FRENCH).witness
    assert witness is not None and witness.idle == ((4, Coat.DOT),)
    # The castle is closed in, but double lines have room beside double lines.
    assert refused(RING, replace(witness, idle=((4, Coat.DOT), (4, Coat.DOUBLE_LINE)))) == (
        "after step 4 there was room for the double_line"
    )


def test_dots_without_room_come_before_their_wizard() -> None:
    witness = audit_map(RING, edition=FRENCH).witness
    assert witness is not None
    assert refused(RING, replace(witness, idle=((5, Coat.DOT),))) == (
        "step 5: the dot's wizard is not at hand"
    )


def test_the_cross_obtained_finds_its_shield_drawn_by_then() -> None:
    """The castle is closed in after the fourth domino; the fifth takes the cross too late."""
    ring = Board({cell: shield for cell, shield in RING.items() if cell[0] < 4})
    late = ring.with_shield((4, 3), Shield(Coat.DOUBLE_LINE)).with_shield((4, 4), Shield(Coat.LINE))
    for cell, step in (((3, 4), 4), ((4, 3), 5)):
        board = late.with_shield(cell, Shield(Coat.DOUBLE_LINE, 3))
        witness = audit_map(board, False, edition=FRENCH).witness
        assert witness is not None and witness.wizard == cell
        assert cell in witness.steps[step - 1].cells
        replay(board, replace(witness, idle=((step, Coat.CHECKED),)), FRENCH)
        if step == 5:
            early = replace(witness, idle=((4, Coat.CHECKED),))
            assert refused(board, early) == "the checked wizard's cross came before its shield"
