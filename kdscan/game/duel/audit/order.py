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
    obtained: whether dice that were never drawn fill squares too (French edition).
    """

    pieces: tuple[Piece, ...]
    apart: Piece | None = None
    free: bool = False
    obtained: bool = False


def mask(piece: Piece) -> int:
    """The piece's two cells as bits."""
    return 1 << piece[0] | 1 << piece[1]


def arrange(task: Task, plan: Plan) -> tuple[Drawn, ...] | None:
    """Put all pieces in a lawful order, or return None when there is none.

    The line's wizard is called once its line can be full, the dot's likewise; the
    checked wizard's cross must find its shield drawn when that line fills.
    """
    if task.bonus.wizard is None:
        return _Order(task, plan, None, None).extend((), plan.pieces)
    target = task.wizard_cell
    given = next(piece for piece in plan.pieces if target in piece)
    counting = [piece for piece in plan.pieces if _fills(task, piece, Coat.CHECKED)]
    if sum(_fills(task, piece, Coat.CHECKED) for piece in counting) >= SQUARES[Coat.CHECKED]:
        for last in counting:
            order = _Order(task, plan, last, given).extend((), plan.pieces)
            if order is not None:
                return order
    if plan.obtained:
        order = _Order(task, plan, None, None).extend((), plan.pieces)
        if order is not None and target in _closed_part(task, order, Coat.CHECKED):
            return order
    return None


def _fills(task: Task, piece: Piece, coat: Coat) -> int:
    return task.domino(piece).most[COUNTED.index(coat)]


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
            touched |= self._touch(drawn.piece)
        progress = True
        while waiting and progress:
            still = []
            for piece in waiting:
                if self._fits(piece, touched, order):
                    order.append(Drawn(piece, Coat.LINE if piece == self.plan.apart else None))
                    touched |= self._touch(piece)
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

    def _touch(self, piece: Piece) -> int:
        return self.task.equal[piece[0]] | self.task.equal[piece[1]]

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
        filled = sum(_fills(self.task, drawn.piece, coat) for drawn in order)
        if filled >= SQUARES[coat]:
            return True
        return self.plan.obtained and passes(self.task, order, coat)


def passes(task: Task, order: Sequence[Drawn], coat: Coat) -> bool:
    """Whether the player can have had to draw nothing, holding dice of that coat, on the way.

    That takes a moment at which no domino with that coat fits anywhere.
    """
    return closed_part(task, order, coat) is not None


def _closed_part(task: Task, order: Sequence[Drawn], coat: Coat) -> set[int]:
    part = closed_part(task, order, coat)
    return set() if part is None else set(bits(part))


def closed_part(task: Task, order: Sequence[Drawn], coat: Coat) -> int | None:
    """The largest part of a map, drawn in a lawful order, that has no room for that coat.

    Found exactly: a free pair of squares beside a shield of the coat, which nothing
    drawn so far could have covered, means that shield came later; so it and all that
    depends on it are left out, until no such pair is left (the part is returned) or
    one lies beside the castle (there is none; None).
    """
    left_out: set[Piece] = set()
    while True:
        drawn = _without(task, order, left_out)
        covered = 0
        for step in drawn:
            covered |= mask(step.piece)
        free = room(covered)
        if free & CASTLE_BITS:
            return None
        open_shields = {
            i
            for step in drawn
            for i in step.piece
            if task.halves[i].coat is coat and NEAR_BITS[i] & free
        }
        if not open_shields:
            return covered
        left_out |= {step.piece for step in drawn if open_shields & set(step.piece)}


def _without(task: Task, order: Sequence[Drawn], left_out: set[Piece]) -> list[Drawn]:
    """What of an order can be drawn without some pieces; wizards keep their turn's needs."""
    kept: list[Drawn] = []
    touched = CASTLE_BITS
    waiting = [step for step in order if step.piece not in left_out]
    progress = True
    while progress:
        progress = False
        for step in list(waiting):
            if _still_fits(task, step, touched, kept):
                kept.append(step)
                touched |= task.equal[step.piece[0]] | task.equal[step.piece[1]]
                waiting.remove(step)
                progress = True
    return kept


def _still_fits(task: Task, step: Drawn, touched: int, kept: Sequence[Drawn]) -> bool:
    if step.power is None:
        return bool(mask(step.piece) & touched)
    if sum(_fills(task, other.piece, step.power) for other in kept) < SQUARES[step.power]:
        return False
    u, v = step.piece
    return step.power is Coat.DOT or bool(touched >> u & touched >> v & 1)


def room(covered: int) -> int:
    """Free shields that have a free shield beside them."""
    free = ALL_BITS & ~covered
    return sum(1 << i for i in bits(free) if NEAR_BITS[i] & free)
