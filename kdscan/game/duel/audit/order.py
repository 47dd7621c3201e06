"""An order in which given dominoes can be drawn.

Drawing one more domino never hinders another (nothing in the rules forbids contact),
so drawing whatever fits until nothing does decides the matter: no order can do better.
Only the dot's wizard offers a choice, which domino is drawn without connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kdscan.game.duel.audit.dominoes import COUNTED
from kdscan.game.duel.audit.task import Piece, Task, bits
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import ALL_BITS, CASTLE_BITS, NEAR_BITS


@dataclass(frozen=True)
class Drawn:
    """A piece, and the wizard called to draw it (dot, line or none)."""

    piece: Piece
    power: Coat | None = None


@dataclass(frozen=True)
class Plan:
    """Pieces to put in order.

    apart: the piece drawn with the line's wizard, if any.
    free: whether the dot's wizard may be called once.
    """

    pieces: tuple[Piece, ...]
    apart: Piece | None = None
    free: bool = False


def mask(piece: Piece) -> int:
    """The piece's two cells as bits."""
    return 1 << piece[0] | 1 << piece[1]


def arrange(task: Task, plan: Plan) -> tuple[Drawn, ...] | None:
    """Put all pieces in a lawful order, or return None when there is none.

    Rounds in which nothing was drawn are left to `idling`: here wizards are won by drawing.
    The line's wizard is called once its line can be full, the dot's likewise; the
    checked wizard's cross must find its shield drawn when that line fills.
    """
    if task.bonus.wizard is None:
        return _Order(task, plan, None, None).extend((), plan.pieces)
    target = task.wizard_cell
    given = next(piece for piece in plan.pieces if target in piece)
    counting = [piece for piece in plan.pieces if fills(task, piece, Coat.CHECKED)]
    if sum(fills(task, piece, Coat.CHECKED) for piece in counting) >= SQUARES[Coat.CHECKED]:
        for last in counting:
            order = _Order(task, plan, last, given).extend((), plan.pieces)
            if order is not None:
                return order
    return None


def fills(task: Task, piece: Piece, coat: Coat) -> int:
    """The most squares that a piece can fill on the line of the dot, line or checked coat."""
    return task.domino(piece).most[COUNTED.index(coat)]


def touch(task: Task, piece: Piece) -> int:
    """The shields that connect to a piece, as bits."""
    return task.equal[piece[0]] | task.equal[piece[1]]


class _Order:
    """Draws what fits; `last`, when given, waits until `given` is drawn."""

    def __init__(self, task: Task, plan: Plan, last: Piece | None, given: Piece | None) -> None:
        self.task, self.plan = task, plan
        self.last = last if last != given else None
        self.given = given

    def extend(
        self, done: tuple[Drawn, ...], pending: Sequence[Piece], freed: bool = False
    ) -> tuple[Drawn, ...] | None:
        """Continue the order `done` with all of `pending`."""
        self.task.budget.spend(len(pending))
        order = list(done)
        waiting = list(pending)
        touched = CASTLE_BITS
        for drawn in order:
            touched |= touch(self.task, drawn.piece)
        progress = True
        while waiting and progress:
            still = []
            for piece in waiting:
                if self._fits(piece, touched, order):
                    order.append(Drawn(piece, Coat.LINE if piece == self.plan.apart else None))
                    touched |= touch(self.task, piece)
                else:
                    still.append(piece)
            progress = len(still) < len(waiting)
            waiting = still
        if not waiting:
            return tuple(order)
        if self.plan.free and not freed and self._earned(order, Coat.DOT):
            return self._free(tuple(order), waiting)
        return None

    def _free(self, order: tuple[Drawn, ...], waiting: list[Piece]) -> tuple[Drawn, ...] | None:
        """Call the dot's wizard on one of the pieces that don't fit."""
        for piece in waiting:
            if piece != self.plan.apart and not self._held(piece, order):
                rest = [other for other in waiting if other != piece]
                whole = self.extend((*order, Drawn(piece, Coat.DOT)), rest, freed=True)
                if whole is not None:
                    return whole
        return None

    def _held(self, piece: Piece, order: Sequence[Drawn]) -> bool:
        return piece == self.last and all(drawn.piece != self.given for drawn in order)

    def _fits(self, piece: Piece, touched: int, order: Sequence[Drawn]) -> bool:
        one, two = touched >> piece[0] & 1, touched >> piece[1] & 1
        if not (one or two) or self._held(piece, order):
            return False
        if piece == self.plan.apart:
            return bool(one and two) and self._earned(order, Coat.LINE)
        return True

    def _earned(self, order: Sequence[Drawn], coat: Coat) -> bool:
        return sum(fills(self.task, drawn.piece, coat) for drawn in order) >= SQUARES[coat]


def room(covered: int) -> int:
    """Free shields that have a free shield beside them."""
    free = ALL_BITS & ~covered
    return sum(1 << i for i in bits(free) if NEAR_BITS[i] & free)
