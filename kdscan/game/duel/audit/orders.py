"""An order in which given dominoes can be drawn, with rounds in which nothing was drawn.

Drawing whatever fits until nothing does decides the matter: no order can do better. Only a few
choices remain, and all are tried: which domino the dot's wizard draws, and which checked shield
came last, for the checked wizard's cross must find its shield drawn when his line fills.

In some rounds no domino has room. In the French edition the dice fill squares all the same, as
many as anyone likes when such a round comes again; and only a player who had such rounds can
have fewer dominoes than the other. A coat has no room when no free pair of squares lies beside
the castle or beside that coat. When was that? Of two sets of dominoes that can be drawn and
leave a coat no room, both together are such a set as well: what is free in both is free in each.
So there is a largest one, found by leaving out what opens room until nothing does. The moment of
the coat that came last is the largest there is, the moment of the one before lies inside it,
and so on: if moments exist at all, the largest ones do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

from kdscan.game.duel.audit.dominoes import Piece, Task, beside, bits, room
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, number

Idle = tuple[int, Coat]
"""After how many dominoes one with that coat had no room."""

_NONE: frozenset[Coat] = frozenset()


@dataclass(frozen=True)
class Plan:
    """Pieces to put in order.

    apart: the piece drawn with the line's wizard, if any.
    free: whether the dot's wizard may be called once.
    """

    pieces: tuple[Piece, ...]
    apart: Piece | None = None
    free: bool = False


@dataclass(frozen=True)
class Drawn:
    """A piece, and the wizard called to draw it (dot, line or none)."""

    piece: Piece
    power: Coat | None = None


@dataclass(frozen=True)
class Needs:
    """Which rounds without room there must have been.

    obtained: whether their dice fill squares (French edition). coats: of these there was at
    least one. some: there was at least one of any coat.
    """

    obtained: bool = False
    coats: frozenset[Coat] = _NONE
    some: bool = False


class Chances:
    """What can have been won with some of a map's shields, whichever dominoes they make.

    An upper bound that thousands of splits share: any two neighbours make a domino, every
    shield fills what it can, and moments without room need no turns.
    """

    def __init__(self, board: Board, obtained: bool) -> None:
        self.obtained = obtained
        self.filled = sum(1 << number(cell) for cell in board)
        self.coats, self.plain = dict.fromkeys(Coat, 0), dict.fromkeys(Coat, 0)
        for cell, shield in board.items():
            self.coats[shield.coat] |= 1 << number(cell)
            self.plain[shield.coat] |= (shield.crosses == 0) << number(cell)
        self.winnable = cache(self._winnable)

    def _winnable(self, coat: Coat, drawn: int, wizard: int) -> bool:
        """Whether drawn shields can win a wizard; a cross of `wizard`'s shield came later."""
        most = (self.plain[coat] | self.coats[coat] & wizard) & drawn
        return most.bit_count() >= SQUARES[coat] or (self.obtained and self._closes(coat, drawn))

    def _closes(self, coat: Coat, drawn: int) -> bool:
        while True:
            free = room(drawn)
            if free & CASTLE_BITS:
                return False
            left = drawn & ~(self.coats[coat] & beside(free))
            if left == drawn:
                return True
            drawn = left


class _Cross(NamedTuple):
    """How the checked wizard's cross came about; pieces by number, -1 for none.

    given: the piece that holds it. last: the piece whose squares filled the line, drawn
    no earlier than `given`; where there is none, a round without room did, with `given` drawn.
    idle: whether rounds without room filled squares of the line before.
    """

    given: int = -1
    last: int = -1
    idle: bool = False


_Steps = tuple[tuple[int, Coat | None], ...]
"""Pieces in the order drawn, by number, each with the wizard called."""


class Orders:
    """The orders of a plan's pieces, which are known by number; sets of them are bits of an int."""

    def __init__(self, task: Task, plan: Plan, needs: Needs) -> None:
        self.task, self.plan, self.needs = task, plan, needs
        self.own = [1 << i | 1 << j for i, j in plan.pieces]
        self.touch = [task.equal[i] | task.equal[j] for i, j in plan.pieces]
        self.most = [task.domino(piece).most for piece in plan.pieces]
        self.apart = -1 if plan.apart is None else plan.pieces.index(plan.apart)
        self.whole = (1 << len(plan.pieces)) - 1

    def hopeful(self, chances: Chances, wizard: int) -> bool:
        """Whether the wizards that are called may have been won before, as far as shields tell."""
        if self.apart < 0 and not self.plan.free:
            return True
        drawn = self.draw(self.whole, frozenset({Coat.LINE}))[0]
        before = []
        if self.apart >= 0:
            before.append((Coat.LINE, self.whole & ~(1 << self.apart)))
        if drawn != self.whole:
            before.append((Coat.DOT, drawn))
        return (self.plan.free or drawn == self.whole) and all(
            chances.winnable(coat, self._cells(pieces), wizard) for coat, pieces in before
        )

    def find(self) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
        """A lawful order with the rounds without room that it takes; None if there is none."""
        needs = self.needs
        if not needs.coats and not needs.some:
            for cross in self._crosses():
                for free in () if cross.idle else self._frees(_NONE, cross):
                    drawn, steps = self.draw(self.whole, _NONE, free, cross)
                    if drawn == self.whole:
                        return self._told(steps), ()
        if needs == Needs() or room(self.task.filled) & CASTLE_BITS:
            return None
        closable = frozenset(c for c in Coat if self._largest(c, self.whole, None) is not None)
        if not needs.coats <= closable or not closable:
            return None
        self.task.budget.spend(len(Coat))
        for free in self._frees(closable if needs.obtained else _NONE, _Cross()):
            for cross in self._crosses():
                found = self._idling(free, cross, closable)
                if found is not None:
                    return found
        return None

    def _crosses(self) -> Iterator[_Cross]:
        if self.task.bonus.wizard is None:
            yield _Cross()
            return
        given = next(k for k, p in enumerate(self.plan.pieces) if self.task.wizard_cell in p)
        counting = [k for k, most in enumerate(self.most) if most[Coat.CHECKED]]
        if sum(most[Coat.CHECKED] for most in self.most) >= SQUARES[Coat.CHECKED]:
            yield from (_Cross(given, last) for last in counting)
        if self.needs.obtained:
            yield from (_Cross(given, last, True) for last in (-1, *counting))

    def _frees(self, won: frozenset[Coat], cross: _Cross) -> Iterator[int]:
        """The pieces that the dot's wizard may draw so that all can be drawn; -1 for none."""
        if not self.plan.free:
            yield -1
            return
        drawn = self.draw(self.whole, won, -1, cross)[0]
        if drawn == self.whole:
            yield -1
        # Where some pieces are cut off it must be one of these: others are drawn without him.
        for k in bits(self.whole & ~drawn or self.whole):
            if k != self.apart:
                yield k

    def draw(
        self,
        allowed: int,
        won: frozenset[Coat] = _NONE,
        free: int = -1,
        cross: _Cross = _Cross(),  # noqa: B008  it cannot change
        done: _Steps = (),
    ) -> tuple[int, _Steps]:
        """Draw whatever fits until nothing does, after what is done already.

        allowed: the pieces. won: wizards at hand from the start, the others once enough squares
        can be filled. free: the piece that the dot's wizard draws, when nothing else fits.
        Returns the pieces drawn, and in order.
        """
        self.task.budget.spend(allowed.bit_count())
        own, apart, given = self.own, self.apart, cross.given
        held = cross.last if cross.last != given else -1
        steps = list(done)
        touched, drawn, line = self._after(steps, won, Coat.LINE)
        waiting = list(bits(allowed & ~drawn))
        while waiting:
            still = []
            for k in waiting:
                contact = touched & own[k]
                fits = contact if k != apart else contact == own[k] and line <= 0
                if not fits or (k == held and not drawn >> given & 1):
                    still.append(k)
                    continue
                steps.append((k, Coat.LINE if k == apart else None))
                touched |= self.touch[k]
                drawn |= 1 << k
                line -= self.most[k][Coat.LINE]
            if len(still) == len(waiting):
                calls = free in still and (free != held or drawn >> given & 1)
                if not calls or self._after(steps, won, Coat.DOT)[2] > 0:
                    break
                steps.append((free, Coat.DOT))
                still.remove(free)
                touched, drawn, line = self._after(steps, won, Coat.LINE)
            waiting = still
        return drawn, tuple(steps)

    def _after(
        self, steps: list[tuple[int, Coat | None]], won: frozenset[Coat], coat: Coat
    ) -> tuple[int, int, int]:
        """The shields that connect, the pieces drawn, the squares that a wizard still takes."""
        touched, drawn = CASTLE_BITS, 0
        squares = 0 if coat in won else SQUARES[coat]
        for k, _ in steps:
            touched |= self.touch[k]
            drawn |= 1 << k
            squares -= self.most[k][coat]
        return touched, drawn, squares

    def _idling(
        self, free: int, cross: _Cross, closable: frozenset[Coat]
    ) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
        """An order with rounds without room, given what the dot's wizard draws."""
        needs, how = self.needs, (free, cross)
        must = needs.coats | ({Coat.CHECKED} if cross.idle else _NONE)
        called = [coat for coat, k in ((Coat.DOT, free), (Coat.LINE, self.apart)) if k >= 0]
        helping = [c for c in called if needs.obtained and c in closable and c not in must]
        if not must <= closable or self._draw(self.whole, must.union(helping), how) != self.whole:
            return None
        for count in range(len(helping) + 1):
            for more in combinations(helping, count):
                coats = must.union(more)
                some = (
                    [coats]
                    if coats or not needs.some
                    else [frozenset({c}) for c in Coat if c in closable]
                )
                for coats in some:
                    if self._draw(self.whole, coats, how) == self.whole:
                        moments = self._chain(self.whole, coats, how)
                        if moments is not None:
                            return self._with_moments(moments, how)
        return None

    def _draw(self, allowed: int, coats: frozenset[Coat], how: tuple[int, _Cross]) -> int:
        """The pieces drawn when coats had rounds without room, which may win their wizards."""
        return self.draw(allowed, coats if self.needs.obtained else _NONE, *how)[0]

    def _chain(
        self, allowed: int, coats: frozenset[Coat], how: tuple[int, _Cross]
    ) -> tuple[tuple[Coat, int], ...] | None:
        """For each coat the pieces drawn when it had no room, the earliest first."""
        if not coats:
            return ()
        cross = how[1]
        for coat in sorted(coats):
            idle = cross.idle and coat is Coat.CHECKED
            within = allowed & ~(1 << cross.last) if idle and cross.last >= 0 else allowed
            part = self._largest(coat, within, how, coats - {coat})
            if part is not None and (not idle or cross.last >= 0 or part >> cross.given & 1):
                before = self._chain(part, coats - {coat}, how)
                if before is not None:
                    return (*before, (coat, part))
        return None

    def _largest(
        self,
        coat: Coat,
        allowed: int,
        how: tuple[int, _Cross] | None,
        earlier: frozenset[Coat] = _NONE,
    ) -> int | None:
        """The most pieces that can lie when a coat has no room; drawn at will without `how`."""
        while True:
            drawn = allowed if how is None else self._draw(allowed, earlier, how)
            free = room(self._cells(drawn))
            if free & CASTLE_BITS:
                return None
            opens = sum(1 << k for k in bits(drawn) if self._near(k, coat) & free)
            if not opens:
                return drawn
            allowed = drawn & ~opens

    def _near(self, k: int, coat: Coat) -> int:
        """The shields beside a piece's halves of a coat."""
        return beside(sum(1 << i for i in self.plan.pieces[k] if self.task.halves[i].coat is coat))

    def _cells(self, pieces: int) -> int:
        return sum(self.own[k] for k in bits(pieces))

    def _with_moments(
        self, moments: tuple[tuple[Coat, int], ...], how: tuple[int, _Cross]
    ) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]]:
        steps: _Steps = ()
        idle: list[Idle] = []
        won = _NONE
        for coat, part in moments:
            _, steps = self.draw(part, won, *how, steps)
            idle.append((len(steps), coat))
            won |= {coat} if self.needs.obtained else _NONE
        return self._told(self.draw(self.whole, won, *how, steps)[1]), tuple(idle)

    def _told(self, steps: _Steps) -> tuple[Drawn, ...]:
        return tuple(Drawn(self.plan.pieces[k], power) for k, power in steps)
