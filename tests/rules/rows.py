"""Boards written as rows, and spellbooks of a few squares, for tests."""

from __future__ import annotations

import pytest

from kdscan.rules.duel.board import SQUARES, Board, Coat
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine

EMPTY_ROW = ". . . . . . ."


def board_of(*rows: str) -> Board:
    """A board of the given middle rows, blank above and below."""
    above = (5 - len(rows)) // 2
    filled = [EMPTY_ROW] * above + list(rows)
    filled += [EMPTY_ROW] * (5 - len(filled))
    if filled[2] == EMPTY_ROW:
        filled[2] = ". . . ## . . ."
    return Board.parse("\n".join(filled))


@pytest.fixture(name="short_book")
def short_book_fixture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spellbook so short that small boards win wizards."""
    for coat, squares in ((Coat.DOT, 2), (Coat.LINE, 2), (Coat.CHECKED, 2)):
        monkeypatch.setitem(SQUARES, coat, squares)


def book(player: int, **filled: int) -> Spellbook:
    """A spellbook with squares filled by one player, won and used where a line is full."""
    mine = {
        coat: SpellbookLine(
            filled.get(coat.value, 0), used=filled.get(coat.value, 0) >= SQUARES[coat]
        )
        for coat in Coat
    }
    theirs = {coat: SpellbookLine() for coat in Coat}
    return Spellbook((mine, theirs) if player == 0 else (theirs, mine))
