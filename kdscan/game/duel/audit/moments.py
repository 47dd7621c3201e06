"""Moments at which a coat had no room, found without trying orders.

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

from kdscan.game.duel.audit.order import Drawn, Plan, fills, mask, room, touch
from kdscan.game.duel.audit.task import Piece, Task, bits
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


class Pieces:
    """A plan's pieces by number, and sets of them as bits of an int.

    own, touch: each piece's shields, and the shields that connect to it, as bits.
    dots, lines: the squares that each fills for those coats. apart: the number of the
    piece drawn with the line's wizard, -1 if there is none.
    """

    def __init__(self, task: Task, plan: Plan) -> None:
        self.task, self.plan = task, plan
        self.own = [mask(piece) for piece in plan.pieces]
        self.touch = [touch(task, piece) for piece in plan.pieces]
        self.dots = [fills(task, piece, Coat.DOT) for piece in plan.pieces]
        self.lines = [fills(task, piece, Coat.LINE) for piece in plan.pieces]
        self.apart = -1 if plan.apart is None else plan.pieces.index(plan.apart)
        self.whole = (1 << len(plan.pieces)) - 1
        self._beside: dict[Coat, list[int]] = {}
        self._before: dict[tuple[Coat, int], bool] = {}

    def beside(self, coat: Coat) -> list[int]:
        """For each piece the shields beside its halves of that coat, as bits."""
        if coat not in self._beside:
            self._beside[coat] = [self._near(piece, coat) for piece in self.plan.pieces]
        return self._beside[coat]

    def _near(self, piece: Piece, coat: Coat) -> int:
        near = 0
        for i in piece:
            if self.task.halves[i].coat is coat:
                near |= NEAR_BITS[i]
        return near

    def closable(self) -> frozenset[Coat]:
        """The coats that may have had no room at some time, were every piece drawn at will."""
        self.task.budget.spend(len(Coat))
        return frozenset(coat for coat in Coat if self._closes(coat, self.whole))

    def closes_before(self, coat: Coat, k: int) -> bool:
        """Whether a coat may have had no room before a piece was drawn, the others at will."""
        if (coat, k) not in self._before:
            self._before[coat, k] = self._closes(coat, self.whole & ~(1 << k))
        return self._before[coat, k]

    def _closes(self, coat: Coat, allowed: int) -> bool:
        return self.largest_closed(lambda some: some, allowed, coat) is not None

    def largest_closed(self, draw: Callable[[int], int], allowed: int, coat: Coat) -> int | None:
        """The largest set of the allowed pieces, drawable by `draw`, with no room for a coat."""
        beside = self.beside(coat)
        while True:
            drawn = draw(allowed)
            free = room(sum(self.own[k] for k in bits(drawn)))
            if free & CASTLE_BITS:
                return None
            opens = sum(1 << k for k in bits(drawn) if beside[k] & free)
            if not opens:
                return drawn
            allowed = drawn & ~opens


@dataclass(frozen=True)
class Cross:
    """How the checked wizard's cross came about; pieces by number.

    given: the piece that holds it. last: the piece whose squares filled the line, drawn
    no earlier than `given`; None when a round without room did, then with `given` drawn.
    idle: whether rounds without room filled squares of the line before.
    """

    given: int
    last: int | None
    idle: bool


_Steps = tuple[tuple[int, Coat | None], ...]
"""Pieces in the order drawn, by number, each with the wizard called."""


class Moments:
    """Orders of a plan, given which piece the dot's wizard may draw and how the cross came."""

    def __init__(
        self,
        pieces: Pieces,
        free: int,
        cross: Cross | None,
        needs: Needs,
        closable: frozenset[Coat],
    ) -> None:
        self.pieces, self.free, self.cross = pieces, free, cross
        self.needs, self.obtained, self.closable = needs, needs.obtained, closable
        self.apart = pieces.apart
        # The piece that must wait for the one that holds the wizard's cross, if any must.
        self.given, self.held = (-1, -1) if cross is None else (cross.given, cross.last)
        if self.held == self.given:
            self.held = -1
        self.must = needs.coats
        if cross is not None and cross.idle:
            self.must |= {Coat.CHECKED}
        # Coats of which squares may be filled without room, before their wizards are called.
        self.helping = [
            coat
            for coat, k in ((Coat.DOT, free), (Coat.LINE, pieces.apart))
            if self.obtained and k >= 0 and coat not in self.must and pieces.closes_before(coat, k)
        ]

    def drawable(self) -> bool:
        """Whether all is drawn with every wizard that rounds without room may win."""
        won = self.must.union(self.helping) if self.obtained else frozenset[Coat]()
        return self.draw(self.pieces.whole, won)[0] == self.pieces.whole

    def find(self) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
        """An order with its rounds without room, or None when there is none."""
        if not self.drawable():
            return None
        whole = self.pieces.whole
        every = frozenset(Coat) if self.obtained else frozenset[Coat]()
        for coats in self._choices():
            if coats <= self.closable and self.draw(whole, coats & every)[0] == whole:
                moments = self._chain(whole, coats)
                if moments is not None:
                    return self._told(moments)
        return None

    def _choices(self) -> Iterator[frozenset[Coat]]:
        """Sets of coats that had no room at some time, small ones first."""
        for count in range(len(self.helping) + 1):
            for more in combinations(self.helping, count):
                coats = self.must.union(more)
                if coats or not self.needs.some:
                    yield coats
                else:
                    yield from (frozenset({coat}) for coat in Coat)

    def _chain(self, allowed: int, coats: frozenset[Coat]) -> tuple[tuple[Coat, int], ...] | None:
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

    def _closed(self, allowed: int, coat: Coat, earlier: frozenset[Coat]) -> int | None:
        """The largest part that has no room for a coat, drawn after the earlier coats' moments."""
        cross = self.cross if coat is Coat.CHECKED else None
        if cross is not None and cross.idle and cross.last is not None:
            allowed &= ~(1 << cross.last)
        won = earlier if self.obtained else frozenset[Coat]()
        part = self.pieces.largest_closed(lambda some: self.draw(some, won)[0], allowed, coat)
        if part is not None and cross is not None and cross.idle and cross.last is None:
            return part if part >> cross.given & 1 else None
        return part

    def draw(self, allowed: int, won: frozenset[Coat], done: _Steps = ()) -> tuple[int, _Steps]:
        """Draw whatever fits until nothing does; the wizards in `won` are at hand.

        Returns the pieces drawn as bits, and in order.
        """
        pieces, free, apart, given, held = self.pieces, self.free, self.apart, self.given, self.held
        pieces.task.budget.spend(allowed.bit_count())
        own, touch, dots, lines = pieces.own, pieces.touch, pieces.dots, pieces.lines
        # Squares still missing for the wizards of the dot and the line.
        dot = 0 if Coat.DOT in won else SQUARES[Coat.DOT]
        line = 0 if Coat.LINE in won else SQUARES[Coat.LINE]
        order = list(done)
        touched, drawn = CASTLE_BITS, 0
        for k, _ in order:
            touched |= touch[k]
            drawn |= 1 << k
            dot -= dots[k]
            line -= lines[k]
        waiting = list(bits(allowed & ~drawn))
        progress = True
        while progress:
            still = []
            for k in waiting:
                contact = touched & own[k]
                power: Coat | None = None
                if k == apart:
                    fits, power = contact == own[k] and line <= 0, Coat.LINE
                elif contact:
                    fits = True
                else:
                    fits, power = k == free and dot <= 0, Coat.DOT
                if not fits or (k == held and not drawn >> given & 1):
                    still.append(k)
                    continue
                order.append((k, power))
                touched |= touch[k]
                drawn |= 1 << k
                dot -= dots[k]
                line -= lines[k]
            progress = len(still) < len(waiting)
            waiting = still
        return drawn, tuple(order)

    def _told(
        self, moments: Sequence[tuple[Coat, int]]
    ) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]]:
        order: _Steps = ()
        idle: list[Idle] = []
        won: frozenset[Coat] = frozenset()
        for coat, part in moments:
            _, order = self.draw(part, won, order)
            idle.append((len(order), coat))
            won |= {coat} if self.obtained else set()
        _, order = self.draw(self.pieces.whole, won, order)
        pieces = self.pieces.plan.pieces
        return tuple(Drawn(pieces[k], power) for k, power in order), tuple(idle)
