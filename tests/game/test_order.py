"""An order for given dominoes: what hangs in the air, and what waits for a wizard."""

from __future__ import annotations

import pytest

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.order import Drawn, Plan, arrange
from kdscan.game.duel.audit.task import Bonus, Piece, Task
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import number
from kdscan.game.grid import Cell


def piece(one: Cell, two: Cell) -> Piece:
    return number(one), number(two)


def test_arrange_refuses_what_hangs_in_the_air() -> None:
    board = Board.parse(
        """. . . .  .  . .
           . . . dd dd . .
           . . . ## .  . .
           l f . .  .  . .
           . . . .  .  . ."""
    )
    pieces = (piece((1, 3), (1, 4)), piece((3, 0), (3, 1)))
    assert arrange(Task(board, Bonus(), LAW), Plan(pieces)) is None


def test_what_was_drawn_before_the_dots_wizard_still_connects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """He opens the island whose line wins the next wizard, for dice beside the first domino."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    monkeypatch.setitem(SQUARES, Coat.LINE, 1)
    board = Board.parse(
        """. .  . .  . l f
           . ll . .  . . .
           . ll d ## . . .
           . ll . .  . . .
           . .  . .  . . ."""
    )
    near, isle, apart = (piece((2, 1), (2, 2)), piece((0, 5), (0, 6)), piece((1, 1), (3, 1)))
    order = arrange(Task(board, Bonus(), LAW), Plan((near, isle, apart), apart, True))
    assert order == (Drawn(near), Drawn(isle, Coat.DOT), Drawn(apart, Coat.LINE))


def test_the_dots_wizard_is_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    board = Board.parse(
        """. . . .  . l f
           . . . .  . . .
           . c d ## . . .
           . . . .  . . .
           . . . .  . f l"""
    )
    task = Task(board, Bonus(), LAW)
    near, isles = piece((2, 1), (2, 2)), (piece((0, 5), (0, 6)), piece((4, 5), (4, 6)))
    assert arrange(task, Plan((near, *isles), None, True)) is None
    one = Task(Board({cell: board[cell] for cell in board if cell[0] < 4}), Bonus(), LAW)
    assert arrange(one, Plan((near, isles[0]), None, True)) is not None
