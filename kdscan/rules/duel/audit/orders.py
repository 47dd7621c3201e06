"""An order in which given dominoes can be drawn, with rounds in which nothing was drawn.

It is enough to draw whatever fits until nothing does: no order can do better. Only a few choices
remain, and all are tried: which domino the dot's wizard draws, and which checked shield came last.
(When the checked wizard's line fills, the shield that gets his cross must already be drawn.)

In some rounds no domino has room. In the French edition the dice fill squares all the same, any
number of them if such rounds recur; and only a player who had such rounds can have fewer dominoes
than the other. For each coat, the set of shields drawn at the moment when it had no room has to be
found. For the coat that came last it is the largest possible set (`shields.closed`), for the one
before the largest inside that, and so on: if such moments exist at all, these do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from kdscan.rules.duel.audit.shields import Task, closed, room
from kdscan.rules.duel.audit.terms import Chances
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.drawing import CASTLE_BITS

_NONE: frozenset[Coat] = frozenset()


class Drawn(NamedTuple):
    """Two shields as a set, and the wizard called to draw them (dot, line or none)."""

    piece: int
    power: Coat | None = None


Order = tuple[tuple[Drawn, ...], tuple[tuple[int, Coat], ...]]
"""Dominoes in the order drawn; and after how many of them a domino with which coat had no room."""


class Needs(NamedTuple):
    """The rounds without room that there must have been.

    obtained: whether their dice fill squares (French edition). coats: there was at least one such
    round for each of these. some: there was at least one for any coat.
    """

    obtained: bool = False
    coats: frozenset[Coat] = _NONE
    some: bool = False


class _How(NamedTuple):
    """The choices made before drawing; pieces, 0 for none.

    free: the one that the dot's wizard draws when nothing else fits. given: the one with the
    checked wizard's cross. last: the one whose squares filled his line, drawn no earlier than
    `given`; if 0, a round without room filled it, with `given` drawn. idle: whether rounds
    without room filled squares of the line before that.
    """

    given: int = 0
    last: int = 0
    idle: bool = False
    free: int = 0


class Orders:
    """The orders of a split's pieces; sets of pieces are sets of shields.

    pieces: sets of two shields, two of one for the line's wizard. free: whether the dot's wizard
    may be called once.
    """

    def __init__(self, task: Task, pieces: tuple[int, ...], free: bool, needs: Needs) -> None:
        self.task, self.free, self.needs, self.whole = task, free, needs, task.filled
        self.apart = sum(piece for piece in pieces if piece & (piece - 1) == 0)
        self.pieces = [piece for piece in pieces if not piece & self.apart]
        self.pieces += [self.apart] * (self.apart > 0)
        self.touch = {piece: task.touch(piece) for piece in self.pieces}
        self.most = {piece: task.domino(piece).most for piece in self.pieces}

    def hopeful(self, chances: Chances, covered: int) -> bool:
        """Whether the wizards called may have been won before, as far as the shields show."""
        if not self.apart and not self.free:
            return True
        drawn = self._draw(self.whole, frozenset({Coat.LINE}))[0]
        line = not self.apart or chances.in_time(Coat.LINE, self.whole & ~self.apart, covered)
        if drawn == self.whole:
            return line
        return line and self.free and chances.in_time(Coat.DOT, drawn, covered)

    def find(self) -> Order | None:
        """A lawful order with the rounds without room that it needs; None if there is none."""
        if self.apart and not self.task.domino(self.apart).pairs:
            return None
        for coats in self._closing():
            for how in self._choices(coats):
                if self._draw(self.whole, self._won_by(coats), how)[0] == self.whole:
                    found = self._reach(self.whole, coats, how)
                    if found is not None:
                        return found
        return None

    def _closing(self) -> Iterator[frozenset[Coat]]:
        """Sets of coats that had no room in some round, in every combination that may help."""
        needs = self.needs
        if not needs.coats and not needs.some:
            yield _NONE
        if needs == Needs() or room(self.whole) & CASTLE_BITS:
            return
        coats = frozenset(c for c in Coat if self._closed(c, self.whole, None) is not None)
        if not needs.coats <= coats:
            return
        self.task.budget.spend(len(Coat))
        helped = ((Coat.DOT, self.free), (Coat.LINE, self.apart), (Coat.CHECKED, self.task.wizard))
        more = [c for c, helps in helped if helps and needs.obtained and c in coats - needs.coats]
        for count in range(len(more) + 1):
            for some in combinations(more, count):
                if needs.coats.union(some):
                    yield needs.coats.union(some)
                elif needs.some:
                    yield from (frozenset({coat}) for coat in Coat if coat in coats)

    def _choices(self, coats: frozenset[Coat]) -> Iterator[_How]:
        """All choices that can be made before drawing."""
        won = self._won_by(coats)
        for how in self._crosses(Coat.CHECKED in won):
            if not self.free:
                yield how
                continue
            drawn = self._draw(self.whole, won, how)[0]
            if drawn == self.whole:
                yield how
            # Where some pieces are cut off it must be one of these: others are drawn without him.
            for piece in self.pieces:
                if piece != self.apart and (drawn == self.whole or not piece & drawn):
                    yield how._replace(free=piece)

    def _crosses(self, idle: bool) -> Iterator[_How]:
        if not self.task.wizard:
            yield _How()
            return
        given = next(piece for piece in self.pieces if piece & self.task.wizard)
        counting = [piece for piece in self.pieces if self.most[piece][Coat.CHECKED]]
        if self._ready(Coat.CHECKED, self.whole, _NONE):
            yield from (_How(given, last) for last in counting)
        if idle:
            yield from (_How(given, last, True) for last in (0, *counting))

    def _won_by(self, coats: frozenset[Coat]) -> frozenset[Coat]:
        """The wizards won in rounds without room."""
        return coats if self.needs.obtained else _NONE

    def _ready(self, coat: Coat, drawn: int, won: frozenset[Coat]) -> bool:
        """Whether a wizard is won with what is drawn."""
        return (
            coat in won
            or sum(self.most[piece][coat] for piece in self.pieces if piece & drawn)
            >= SQUARES[coat]
        )

    def _draw(
        self,
        allowed: int,
        won: frozenset[Coat],
        how: _How = _How(),  # noqa: B008  it cannot change
        done: tuple[Drawn, ...] = (),
    ) -> tuple[int, tuple[Drawn, ...]]:
        """Draw whatever fits until nothing does, in addition to what is already drawn.

        allowed: the shields. won: wizards at hand from the start, the others once enough squares
        can be filled. Returns the shields drawn, and the pieces in order.
        """
        self.task.budget.spend(allowed.bit_count() // 2)
        steps, touched, drawn = list(done), CASTLE_BITS, 0
        for piece, _ in done:
            touched |= self.touch[piece]
            drawn |= piece
        held = how.last if how.last != how.given else 0
        waiting = [piece for piece in self.pieces if not piece & (drawn | ~allowed)]
        while waiting:
            still = []
            for piece in waiting:
                contact = touched & piece
                if piece == self.apart:
                    fits = contact == piece and self._ready(Coat.LINE, drawn, won)
                else:
                    fits = contact != 0
                if not fits or (piece == held and how.given & ~drawn):
                    still.append(piece)
                    continue
                steps.append(Drawn(piece, Coat.LINE if piece == self.apart else None))
                touched |= self.touch[piece]
                drawn |= piece
            if len(still) == len(waiting):
                calls = how.free in still and (how.free != held or not how.given & ~drawn)
                if not calls or not self._ready(Coat.DOT, drawn, won):
                    break
                steps.append(Drawn(how.free, Coat.DOT))
                touched |= self.touch[how.free]
                drawn |= how.free
                still.remove(how.free)
            waiting = still
        return drawn, tuple(steps)

    def _reach(self, allowed: int, coats: frozenset[Coat], how: _How) -> Order | None:
        """The shields that may be drawn after a moment without room for each of the coats, if there
        were such moments."""
        if not coats:
            return self._draw(allowed, _NONE, how)[1], ()
        for coat in sorted(coats):
            earlier = coats - {coat}
            idle = how.idle and coat is Coat.CHECKED
            part = self._closed(coat, allowed & ~how.last if idle else allowed, how, earlier)
            if part is None or (idle and not how.last and how.given & ~part):
                continue
            before = self._reach(part, earlier, how)
            if before is not None:
                steps, moments = before
                after = self._draw(allowed, self._won_by(coats), how, steps)[1]
                return after, (*moments, (len(steps), coat))
        return None

    def _closed(
        self, coat: Coat, allowed: int, how: _How | None, earlier: frozenset[Coat] = _NONE
    ) -> int | None:
        """The most that can lie when a coat has no room; drawn at will without `how`."""

        def settle(cells: int) -> int:
            if how is None:
                return sum(piece for piece in self.pieces if not piece & ~cells)
            return self._draw(cells, self._won_by(earlier), how)[0]

        return closed(self.task.coats[coat], allowed, settle)
