"""An independent check of an audit's witness: it draws on the map that players draw on."""

from __future__ import annotations

from kdscan.rules import Cell, neighbours
from kdscan.rules.duel.board import DIE_CROSSES, SQUARES, Board, Coat, number
from kdscan.rules.duel.play import ENGLISH, Drawing, Edition
from kdscan.rules.duel.search import Step, Witness


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
    replayed, order = _Replay(board, witness, edition), witness.order
    for drawn in range(len(order) + 1):
        for idle in witness.idle:
            if idle.after == drawn:
                replayed.waste(idle.coat, drawn)
        if drawn < len(order):
            replayed.draw(order[drawn], f"step {drawn + 1}")
    replayed.check_end()


class _Replay:
    """A map while a witness is drawn on it. printed: the crosses that dice must have brought."""

    def __init__(self, board: Board, witness: Witness, edition: Edition) -> None:
        self._board, self._witness, self._edition = board, witness, edition
        self._drawing, self._drawn = Drawing(), set[Cell]()
        self._used, self._filled = set[Coat](), dict.fromkeys(Coat, 0)
        self._crossed = witness.wizard is None
        self._printed = {
            cell: shield.crosses - (cell == witness.castle) - (cell == witness.wizard)
            for cell, shield in board.items()
        }
        for cell, crosses in self._printed.items():
            if not 0 <= crosses <= DIE_CROSSES:
                raise BrokenWitnessError(f"no die brings {crosses} crosses to {cell}")

    def waste(self, coat: Coat, drawn: int) -> None:
        """A domino with a coat has no room after that many steps."""
        touch = self._drawing.touch[coat]
        if any(touch >> u & 1 for u, _ in self._drawing.free_slots()):
            raise BrokenWitnessError(f"after step {drawn} there was room for the {coat}")
        if self._edition.obtained:
            self._fill(coat, SQUARES[coat])

    def draw(self, step: Step, name: str) -> None:
        """Draw a domino."""
        board = self._board
        _check(step, self._drawing, board, self._drawn, name)
        if step.power is not None:
            if step.power in self._used or self._filled[step.power] < SQUARES[step.power]:
                raise BrokenWitnessError(f"{name}: the {step.power}'s wizard is not at hand")
            self._used.add(step.power)
        self._drawn |= set(step.cells)
        self._drawing.draw((number(c), board[c].coat, board[c].crosses) for c in step.cells)
        for cell in step.cells:
            if not self._printed[cell] and cell != self._witness.castle:
                self._fill(board[cell].coat, 1)

    def _fill(self, coat: Coat, squares: int) -> None:
        """Fill squares of a coat's line. Any of the checked coat's may be the one that brings the
        wizard's cross, to a shield drawn before."""
        self._filled[coat] += squares
        self._crossed |= coat is Coat.CHECKED and self._witness.wizard in self._drawn

    def check_end(self) -> None:
        """Check what is on the map after the last step."""
        if self._drawing.board() != self._board:
            raise BrokenWitnessError("the steps do not fill the board")
        if self._witness.wizard is not None and self._filled[Coat.CHECKED] < SQUARES[Coat.CHECKED]:
            raise BrokenWitnessError("the checked wizard was never won")
        if not self._crossed:
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
