"""A lawful way to a board, in a form that people can follow, and an independent check of it."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.game.duel.board import DIE_CROSSES, Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import Drawing, number
from kdscan.game.duel.editions import ENGLISH, Edition, Squares
from kdscan.game.grid import Cell, neighbours


@dataclass(frozen=True)
class Step:
    """One round's domino: its two cells, and the wizard called to draw it (dot, line or none)."""

    cells: tuple[Cell, Cell]
    power: Coat | None = None


@dataclass(frozen=True)
class Witness:
    """A lawful way to a board.

    steps: the dominoes in the order drawn.
    castle, wizard: the shields that got the castle's and the checked wizard's cross.
    idle: after how many steps a domino with which coat had no room, if that was needed.
    """

    steps: tuple[Step, ...]
    castle: Cell | None = None
    wizard: Cell | None = None
    idle: tuple[tuple[int, Coat], ...] = ()


class BrokenWitnessError(ValueError):
    """A witness breaks a rule; the message names the step and the rule."""


def replay(board: Board, witness: Witness, edition: Edition = ENGLISH) -> None:
    """Draw a witness domino by domino by the rules of an edition.

    Raises BrokenWitnessError if it breaks one.

    This is independent of the search: it uses the rulebook's own terms and the map that players
    draw on. A power counts as won if enough coats without a cross were drawn before; in editions
    in which coats fill squares without being drawn, also if one of the coat had no room before.
    Dice are not checked.
    """
    printed = {
        cell: shield.crosses - (cell == witness.castle) - (cell == witness.wizard)
        for cell, shield in board.items()
    }
    for cell, crosses in printed.items():
        if not 0 <= crosses <= DIE_CROSSES:
            raise BrokenWitnessError(f"no die brings {crosses} crosses to {cell}")
    drawing, drawn, used = Drawing(), set[Cell](), set[Coat]()
    filled = dict.fromkeys(Coat, 0)
    crossed = witness.wizard is None
    for number_, step in enumerate((*witness.steps, None)):
        for coat in (coat for count, coat in witness.idle if count == number_):
            if any(drawing.touch[coat] >> u & 1 for u, _ in drawing.free_slots()):
                raise BrokenWitnessError(f"after step {number_} there was room for the {coat}")
            if edition.squares is Squares.OBTAINED:
                filled[coat] = SQUARES[coat]
                crossed |= coat is Coat.CHECKED and witness.wizard in drawn
        if step is None:
            break
        _check(step, drawing, board, drawn, f"step {number_ + 1}")
        if step.power is not None:
            if step.power in used or filled[step.power] < SQUARES[step.power]:
                raise BrokenWitnessError(
                    f"step {number_ + 1}: the {step.power}'s wizard is not at hand"
                )
            used.add(step.power)
        drawn |= set(step.cells)
        drawing.draw((number(c), board[c].coat, board[c].crosses) for c in step.cells)
        plain = [board[c].coat for c in step.cells if not printed[c] and c != witness.castle]
        for coat in plain:
            filled[coat] += 1
        if Coat.CHECKED in plain:
            crossed |= witness.wizard in drawn
    if drawing.board() != board:
        raise BrokenWitnessError("the steps do not fill the board")
    if witness.wizard is not None and filled[Coat.CHECKED] < SQUARES[Coat.CHECKED]:
        raise BrokenWitnessError("the checked wizard was never won")
    if not crossed:
        raise BrokenWitnessError("the checked wizard's cross came before its shield")


def _check(step: Step, drawing: Drawing, board: Board, drawn: set[Cell], name: str) -> None:
    one, two = step.cells
    if one == two or {one, two} & drawn or not {one, two} <= set(board):
        raise BrokenWitnessError(f"{name}: {one} and {two} are not two free shields of the board")
    joined = [bool(drawing.touch[board[c].coat] >> number(c) & 1) for c in step.cells]
    if step.power is Coat.LINE:
        if not all(joined):
            raise BrokenWitnessError(f"{name}: a die drawn apart is not connected")
        return
    if two not in neighbours(one):
        raise BrokenWitnessError(f"{name}: {one} and {two} are not side by side")
    if step.power is None and not any(joined):
        raise BrokenWitnessError(f"{name}: the domino is not connected")
