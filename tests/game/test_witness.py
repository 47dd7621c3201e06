"""The replay of a way, which trusts nothing: what it says, and to which round it counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdscan.game.duel.audit import Step, Witness, audit_map, replay
from kdscan.game.duel.audit.witness import BrokenWitnessError
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.editions import FRENCH
from tests.game.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401

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


def test_replay_says_what_is_wrong() -> None:
    assert refused(TWO, Witness(())) == "the steps do not fill the board"
    assert refused(TWO, Witness((Step(((1, 2), (1, 2))),))) == (
        "step 1: (1, 2) and (1, 2) are not two free shields of the board"
    )
    crossed = TWO.with_shield((1, 2), Shield(Coat.DOUBLE_DOT, 1))
    assert refused(crossed, replace(DRAWN, wizard=(1, 2))) == "the checked wizard was never won"


@pytest.mark.usefixtures("short_book")
def test_the_checked_wizards_cross_comes_with_the_last_square() -> None:
    board = board_of(". . c c . . .", ". . . ## dd+ dd .", EMPTY_ROW)
    checked, other = Step(((1, 2), (1, 3))), Step(((2, 4), (2, 5)))
    replay(board, Witness((other, checked), wizard=(2, 4)))
    assert refused(board, Witness((checked, other), wizard=(2, 4))) == (
        "the checked wizard's cross came before its shield"
    )


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
