"""Orders with rounds in which the player drew nothing, because no domino had room.

Two things follow from such a round. In the French edition its dice fill squares of the
spellbook all the same, as many as anyone likes when it comes again, so a wizard can be
won by it. And only a player who had such rounds can have fewer dominoes than the other.

A coat has no room when no free pair of squares lies beside the castle or beside that
coat. Nothing is searched by trial where it need not be. Fix which piece the dot's wizard
draws and which coats had no room, in which order (at most a few hundred choices). Then
of two maps that can be drawn by the same means and have no room for a coat, both together
are such a map as well: what is free in both is free in each. So there is a largest one, found by
leaving out what opens room until nothing does. The moment for the coat that came last
is the largest there is; the moment for the one before lies inside it, and so on. If
moments exist at all, the largest ones do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from kdscan.game.duel.audit.order import Drawn, Plan, fills, mask, room, touch
from kdscan.game.duel.audit.task import Piece, Task
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, NEAR_BITS

Idle = tuple[int, Coat]
"""How many pieces were drawn when a domino with that coat had no room."""


@dataclass(frozen=True)
class Needs:
    """Which rounds without room there must have been.

    obtained: whether their dice fill squares (French edition). coats: of these there was at
    least one. some: there was at least one of any coat.
    """

    obtained: bool = False
    coats: frozenset[Coat] = frozenset()
    some: bool = False


def arrange_idling(
    task: Task, plan: Plan, needs: Needs
) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
    """Put all pieces in a lawful order with the rounds without room that it takes; None if none."""
    if room(task.filled) & CASTLE_BITS:
        return None
    closable = _closable(task, plan)
    if not needs.coats <= closable or not closable:
        return None
    pieces: list[Piece | None] = [None]
    if plan.free:
        pieces += [piece for piece in plan.pieces if piece != plan.apart]
    for free in pieces:
        for cross in _crosses(task, plan, needs):
            found = _Moments(task, plan, free, cross, needs.obtained, closable).find(needs)
            if found is not None:
                return found
    return None


def _closable(task: Task, plan: Plan) -> frozenset[Coat]:
    """The coats that may have had no room at some time, were every piece drawn at will."""

    def at_will(some: frozenset[Piece]) -> Sequence[Drawn]:
        return [Drawn(piece) for piece in some]

    whole = frozenset(plan.pieces)
    task.budget.spend(len(Coat))
    return frozenset(c for c in Coat if _largest_closed(task, at_will, whole, c) is not None)


@dataclass(frozen=True)
class _Cross:
    """How the checked wizard's cross came about.

    given: the piece that holds it. last: the piece whose squares filled the line, drawn
    no earlier than `given`; None when a round without room did, then with `given` drawn.
    idle: whether rounds without room filled squares of the line before.
    """

    given: Piece
    last: Piece | None
    idle: bool


def _crosses(task: Task, plan: Plan, needs: Needs) -> Iterator[_Cross | None]:
    if task.bonus.wizard is None:
        yield None
        return
    given = next(piece for piece in plan.pieces if task.wizard_cell in piece)
    counting = [piece for piece in plan.pieces if fills(task, piece, Coat.CHECKED)]
    if sum(fills(task, piece, Coat.CHECKED) for piece in counting) >= SQUARES[Coat.CHECKED]:
        yield from (_Cross(given, last, False) for last in counting)
    if needs.obtained:
        yield _Cross(given, None, True)
        yield from (_Cross(given, last, True) for last in counting)


class _Moments:
    """Orders of a plan, given which piece the dot's wizard may draw and how the cross came."""

    def __init__(
        self,
        task: Task,
        plan: Plan,
        free: Piece | None,
        cross: _Cross | None,
        obtained: bool,
        closable: frozenset[Coat],
    ) -> None:
        self.closable = closable
        self.task, self.plan, self.free, self.cross = task, plan, free, cross
        self.obtained = obtained

    def find(self, needs: Needs) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
        """An order with its rounds without room, or None when there is none."""
        every = frozenset(Coat) if self.obtained else frozenset[Coat]()
        whole = frozenset(self.plan.pieces)
        if len(self.draw(whole, every)) < len(whole):
            return None
        for coats in self._choices(needs):
            won = coats & every
            if not coats <= self.closable:
                continue
            if len(self.draw(whole, won)) == len(whole):
                moments = self._chain(whole, coats)
                if moments is not None:
                    return self._told(moments)
        return None

    def _choices(self, needs: Needs) -> Iterator[frozenset[Coat]]:
        """Sets of coats that had no room at some time, small ones first."""
        must = needs.coats
        if self.cross is not None and self.cross.idle:
            must |= {Coat.CHECKED}
        helping = [Coat.DOT] if self.free else []
        helping += [Coat.LINE] if self.plan.apart else []
        for count in range(len(helping) + 1 if self.obtained else 1):
            for more in combinations(helping, count):
                coats = must | frozenset(more)
                if coats or not needs.some:
                    yield coats
                else:
                    yield from (frozenset({coat}) for coat in Coat)

    def _chain(
        self, allowed: frozenset[Piece], coats: frozenset[Coat]
    ) -> tuple[tuple[Coat, frozenset[Piece]], ...] | None:
        """For each coat the pieces drawn when it had no room, the earliest first."""
        if not coats:
            return ()
        for coat in sorted(coats):
            earlier = coats - {coat}
            part = self._closed(allowed, coat, earlier)
            if part is not None:
                before = self._chain(part, earlier)
                if before is not None:
                    return (*before, (coat, part))
        return None

    def _closed(
        self, allowed: frozenset[Piece], coat: Coat, earlier: frozenset[Coat]
    ) -> frozenset[Piece] | None:
        """The largest part that has no room for a coat, drawn after the earlier coats' moments."""
        cross = self.cross if coat is Coat.CHECKED else None
        if cross is not None and cross.idle and cross.last is not None:
            allowed -= {cross.last}
        won = earlier if self.obtained else frozenset[Coat]()
        part = _largest_closed(self.task, lambda some: self.draw(some, won), allowed, coat)
        if part is not None and cross is not None and cross.idle and cross.last is None:
            return part if cross.given in part else None
        return part

    def draw(
        self, allowed: frozenset[Piece], won: frozenset[Coat], done: Sequence[Drawn] = ()
    ) -> list[Drawn]:
        """Draw whatever fits until nothing does; the wizards in `won` are at hand."""
        self.task.budget.spend(len(allowed))
        order = list(done)
        touched = CASTLE_BITS
        for step in order:
            touched |= touch(self.task, step.piece)
        drawn = {step.piece for step in order}
        waiting = [piece for piece in self.plan.pieces if piece in allowed and piece not in drawn]
        progress = True
        while progress:
            progress = False
            for piece in list(waiting):
                power = self._power(piece, touched, order, won)
                if power is not False:
                    order.append(Drawn(piece, power))
                    touched |= touch(self.task, piece)
                    waiting.remove(piece)
                    progress = True
        return order

    def _power(
        self, piece: Piece, touched: int, order: Sequence[Drawn], won: frozenset[Coat]
    ) -> Coat | Literal[False] | None:
        """The wizard that draws a piece, None when none is needed, False when it does not fit."""
        if self._held(piece, order):
            return False
        one, two = touched >> piece[0] & 1, touched >> piece[1] & 1
        if piece == self.plan.apart:
            return Coat.LINE if one and two and self._at_hand(Coat.LINE, order, won) else False
        if one or two:
            return None
        return Coat.DOT if piece == self.free and self._at_hand(Coat.DOT, order, won) else False

    def _held(self, piece: Piece, order: Sequence[Drawn]) -> bool:
        """Whether a piece must wait for the one that holds the wizard's cross."""
        cross = self.cross
        if cross is None or piece != cross.last or piece == cross.given:
            return False
        return all(step.piece != cross.given for step in order)

    def _at_hand(self, coat: Coat, order: Sequence[Drawn], won: frozenset[Coat]) -> bool:
        filled = sum(fills(self.task, step.piece, coat) for step in order)
        return coat in won or filled >= SQUARES[coat]

    def _told(
        self, moments: Sequence[tuple[Coat, frozenset[Piece]]]
    ) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]]:
        order: list[Drawn] = []
        idle: list[Idle] = []
        won: frozenset[Coat] = frozenset()
        for coat, part in moments:
            order = self.draw(part, won, order)
            idle.append((len(order), coat))
            won |= {coat} if self.obtained else set()
        return tuple(self.draw(frozenset(self.plan.pieces), won, order)), tuple(idle)


def _largest_closed(
    task: Task,
    draw: Callable[[frozenset[Piece]], Sequence[Drawn]],
    allowed: frozenset[Piece],
    coat: Coat,
) -> frozenset[Piece] | None:
    """The largest set of the allowed pieces, drawable by `draw`, with no room for a coat."""
    while True:
        drawn = frozenset(step.piece for step in draw(allowed))
        covered = 0
        for piece in drawn:
            covered |= mask(piece)
        free = room(covered)
        if free & CASTLE_BITS:
            return None
        opens = {
            piece
            for piece in drawn
            if any(task.halves[i].coat is coat and NEAR_BITS[i] & free for i in piece)
        }
        if not opens:
            return drawn
        allowed = drawn - opens
