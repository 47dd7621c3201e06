"""A lawful way to a board, as people can follow it, and a check that trusts nothing."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
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
    idle: after how many steps a domino with which coat had no room, where that was needed.
    """

    steps: tuple[Step, ...]
    castle: Cell | None = None
    wizard: Cell | None = None
    idle: tuple[tuple[int, Coat], ...] = ()


class BrokenWitnessError(ValueError):
    """A witness breaks a rule; the message names the step and the rule."""


def replay(board: Board, witness: Witness, edition: Edition = ENGLISH) -> None:
    """Draw a witness shield by shield by the rules of an edition.

    Raises BrokenWitnessError where it breaks one.

    Written apart from the search, in the rulebook's own terms. It takes a power as won
    when enough coats without a cross were drawn before, or, where coats fill squares that
    are only obtained, when one of the coat had no room before; dice are not its business.
    """
    drawn: dict[Cell, Shield] = {}
    used: set[Coat] = set()
    printed = {cell: _printed(cell, shield, witness) for cell, shield in board.items()}
    for number, step in enumerate(witness.steps, 1):
        _check_idle(witness, number - 1, drawn)
        _check(step, drawn, board, f"step {number}")
        if step.power is not None:
            plain = _plain(drawn, printed, witness, step.power)
            plain += _obtained(witness, number - 1, step.power, edition)
            if step.power in used or plain < SQUARES[step.power]:
                raise BrokenWitnessError(f"step {number}: the {step.power}'s wizard is not at hand")
            used.add(step.power)
        for cell in step.cells:
            drawn[cell] = board[cell]
    if drawn != dict(board):
        raise BrokenWitnessError("the steps do not fill the board")
    _check_idle(witness, len(witness.steps), drawn)
    if witness.wizard is not None:
        _check_wizard(board, printed, witness, edition)


def _check_idle(witness: Witness, done: int, drawn: dict[Cell, Shield]) -> None:
    free = set(CELLS) - set(drawn)
    for count, coat in witness.idle:
        if count == done and any(
            _joined(cell, coat, drawn) for cell in free if free & set(neighbours(cell))
        ):
            raise BrokenWitnessError(f"after step {count} there was room for the {coat}")


def _obtained(witness: Witness, done: int, coat: Coat, edition: Edition) -> int:
    """Squares that coats without room filled: as many as there are, or none."""
    idle = any(count <= done and other is coat for count, other in witness.idle)
    return SQUARES[coat] if idle and edition.squares is Squares.OBTAINED else 0


def _printed(cell: Cell, shield: Shield, witness: Witness) -> int:
    crosses = shield.crosses - (cell == witness.castle) - (cell == witness.wizard)
    if not 0 <= crosses <= 2:
        raise BrokenWitnessError(f"no die brings {crosses} crosses to {cell}")
    return crosses


def _check(step: Step, drawn: dict[Cell, Shield], board: Board, name: str) -> None:
    one, two = step.cells
    if one == two or {one, two} & set(drawn) or not {one, two} <= set(board):
        raise BrokenWitnessError(f"{name}: {one} and {two} are not two free shields of the board")
    joined = [_joined(cell, board[cell].coat, drawn) for cell in step.cells]
    if step.power is Coat.LINE:
        if not all(joined):
            raise BrokenWitnessError(f"{name}: a die drawn apart is not connected")
        return
    if two not in neighbours(one):
        raise BrokenWitnessError(f"{name}: {one} and {two} are not side by side")
    if step.power is None and not any(joined):
        raise BrokenWitnessError(f"{name}: the domino is not connected")


def _joined(cell: Cell, coat: Coat, drawn: dict[Cell, Shield]) -> bool:
    return any(
        near == CASTLE or (near in drawn and drawn[near].coat is coat) for near in neighbours(cell)
    )


def _plain(
    drawn: dict[Cell, Shield], printed: dict[Cell, int], witness: Witness, coat: Coat
) -> int:
    """Shields drawn of that coat that filled a square."""
    return sum(
        shield.coat is coat and printed[cell] == 0 and cell != witness.castle
        for cell, shield in drawn.items()
    )


def _check_wizard(
    board: Board, printed: dict[Cell, int], witness: Witness, edition: Edition
) -> None:
    """The cross is given when the checked line fills: then its shield must be drawn."""
    plain = _plain(dict(board), printed, witness, Coat.CHECKED)
    obtained = _obtained(witness, len(witness.steps), Coat.CHECKED, edition)
    if plain + obtained < SQUARES[Coat.CHECKED]:
        raise BrokenWitnessError("the checked wizard was never won")
    given = last = -1
    if obtained:
        last = max(count for count, coat in witness.idle if coat is Coat.CHECKED) - 1
    for number, step in enumerate(witness.steps):
        if witness.wizard in step.cells:
            given = number
        if _plain({c: board[c] for c in step.cells}, printed, witness, Coat.CHECKED):
            last = max(last, number)
    if given > last:
        raise BrokenWitnessError("the checked wizard's cross came before its shield")
