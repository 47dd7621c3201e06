"""The search for a lawful way to a map.

Drawing one more domino never prevents another, because no rule forbids contact. So once a map is
split into dominoes, it is enough to draw whatever fits until nothing does; the search is for a
split. Connect adjacent shields of equal coats, and the halves of each domino: then every component
must contain a shield beside the castle. Two wizards relax this: with the line's, two shields have
no partner; with the dot's, one component does without the castle. Whether they were won in time
is checked by drawing (`_Order`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations, product
from operator import or_
from typing import NamedTuple

from kdscan.rules import Cell
from kdscan.rules.duel.board import (
    ALL_BITS,
    CASTLE_BITS,
    CELLS,
    NEAR,
    NEAR_BITS,
    SQUARES,
    Board,
    Coat,
    Shield,
    bits,
    cell_of,
    number,
)
from kdscan.rules.duel.legality import ANY_DICE, Dice, Half, Terms, made_by

ANY = len(CELLS)
"""As many shields as there are."""


class OutOfStepsError(Exception):
    """The search took more steps than allowed; its result is unknown."""


class Budget:
    """A countdown of steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take steps; raises OutOfStepsError if none are left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfStepsError


@dataclass(frozen=True)
class Step:
    """One round's domino: its two cells, and the wizard called to draw it (dot, line or none)."""

    cells: tuple[Cell, Cell]
    power: Coat | None = None


@dataclass(frozen=True)
class Idle:
    """After how many dominoes another one with that coat had no room."""

    after: int
    coat: Coat


@dataclass(frozen=True)
class Witness:
    """A lawful way to a board.

    order: the dominoes in the order drawn.
    castle, wizard: the shields that got the castle's and the checked wizard's cross.
    idle: rounds without room, if these were needed.
    """

    order: tuple[Step, ...] = ()
    castle: Cell | None = None
    wizard: Cell | None = None
    idle: tuple[Idle, ...] = ()


def connects(board: Board, terms: Terms, steps: int) -> bool:
    """Whether connected dominoes can cover a map, whatever its crosses, if wizards help as soon as
    its shields can have won them; raises OutOfStepsError."""
    plain = Board({cell: Shield(shield.coat) for cell, shield in board.items()})
    task = Task(plain, terms, ANY_DICE, None, None, Budget(steps))
    free, helped = (terms.winnable(board, coat) for coat in (Coat.DOT, Coat.LINE))
    return any(True for singles in {0, 2 * helped} for _ in _splits(task, singles, free, ANY))


class Task:
    """A map as dominoes to be found, with the bonus crosses taken off; sets of shields are bits.

    filled: the shields. coats: those of each coat. plain: those that fill squares, unless a joker
    made them. partners: for each shield, those that it can share a domino with. given: the shield
    with the wizard's cross, as a set.
    """

    def __init__(
        self,
        board: Board,
        terms: Terms,
        dice: Dice,
        castle: Cell | None,
        wizard: Cell | None,
        budget: Budget,
    ) -> None:
        self.terms, self.dice, self.castle, self.wizard = terms, dice, castle, wizard
        self.budget = budget
        self.given = 1 << number(wizard) if wizard else 0
        self.halves = {
            number(c): Half(s.coat, s.crosses - (c == castle) - (c == wizard), c == castle)
            for c, s in board.items()
        }
        self.filled = sum(1 << i for i in self.halves)
        self.coats, self.plain = dict.fromkeys(Coat, 0), dict.fromkeys(Coat, 0)
        for i, half in self.halves.items():
            self.coats[half.coat] |= 1 << i
            self.plain[half.coat] |= half.counts << i
        self.partners = {
            i: sum(1 << j for j in NEAR[i] if j in self.halves and self.domino(1 << i | 1 << j)[0])
            for i in self.halves
        }
        self.touch, self.in_time = cache(self._touch), cache(self._in_time)

    def domino(self, piece: int) -> tuple[frozenset[int], Counter[Coat]]:
        """The domino of two shields, as far as dice allow it; see `made_by`."""
        one, two = bits(piece)
        return made_by(self.dice, self.halves[one], self.halves[two])

    def _touch(self, cells: int) -> int:
        """The shields beside some that have the same coat."""
        near = (NEAR_BITS[i] & self.coats[self.halves[i].coat] for i in bits(cells))
        return reduce(or_, near, 0)

    def _in_time(self, coat: Coat, cells: int) -> bool:
        """Whether these shields can win a wizard if no others are drawn; an upper bound."""
        return coat in self.terms.wizards and (
            (self.plain[coat] & cells).bit_count() >= SQUARES[coat]
            or (self.terms.obtained and closed(self.coats[coat], cells) is not None)
        )


def room(covered: int) -> int:
    """Free shields that have a free shield beside them."""
    free = ALL_BITS & ~covered
    return free & beside(free)


def beside(cells: int) -> int:
    """The shields beside some shields."""
    return reduce(or_, (NEAR_BITS[i] for i in bits(cells)), 0)


def closed(coat: int, drawn: int, settle: Callable[[int], int] = int) -> int | None:
    """The largest set of drawn shields that leaves a coat no room; None if there is none.

    A coat has no room if no two free shields are adjacent with one of them beside the castle
    or that coat. The union of two such sets is one too: what is free in the union is free in
    each. So there is a largest one, found by removing whatever makes room until nothing does.

    coat: its shields. settle: the part of a set that can be drawn.
    """
    while True:
        drawn = settle(drawn)
        free = room(drawn)
        if free & CASTLE_BITS:
            return None
        opens = drawn & coat & beside(free)
        if not opens:
            return drawn
        drawn &= ~opens


def ways(task: Task, tried: set[object]) -> Iterator[Witness]:
    """Lawful orders, except those of splits that were tried before with other bonus crosses.

    Those only affect which shields make dominoes, with which dice, and which fill squares; the
    wizard's own cross only adds requirements. Dice matter for the turns of wizards.
    """
    terms, plain = task.terms, task.plain
    # What a French spellbook counts beyond the map was obtained in vain.
    vain = frozenset(coat for coat, n in terms.recorded if n > plain[coat].bit_count())
    for free, apart in product((False, True), repeat=2):
        if free > task.in_time(Coat.DOT, task.filled) or apart > task.in_time(
            Coat.LINE, task.filled
        ):
            continue
        look = (*task.partners.values(), plain[Coat.DOT], plain[Coat.LINE], vain, free, apart)
        own = (task.castle, task.wizard) if free or apart or task.given else None
        if not tried.isdisjoint({(look, False), (look, own)}):
            continue
        hope = False
        # Where dots are not obtained in vain, the dot's wizard must be won with the other parts.
        spare = ANY if terms.obtained else plain[Coat.DOT].bit_count() - SQUARES[Coat.DOT]
        for pieces in _splits(task, 2 * apart, free, spare):
            order = _Order(task, pieces, free, vain)
            if order.hopeful():
                hope = True
                if way := order.find():
                    yield way
        tried.add((look, own if hope else False))


class _Part(NamedTuple):
    """A component without the castle: the shields that it waits for, whether it has a domino that
    the dot's wizard can open, and its number of dots."""

    waits: int
    opens: bool
    dots: int


class _State(NamedTuple):
    """Shields left to decide, singles to place, whether the dot's wizard is left, shields that the
    castle's component waits for, the components without the castle."""

    left: int
    singles: int
    free: bool
    rooted: int
    loose: tuple[_Part, ...]


def _splits(task: Task, singles: int, free: bool, spare: int) -> Iterator[tuple[int, ...]]:
    """Every split of the shields into dominoes of which each component reaches the castle.

    Decides shield by shield, row by row. Of the decided ones it keeps only what still matters:
    those through which alone a component can still connect, and which it waits for. A component
    that waits for none and has no castle is given up at once; dead ends are never tried again.

    singles: number of shields that stay alone, none or two. free: whether one component may do
    without the castle. spare: most dots that this component may have.
    """
    dead: set[_State] = set()

    @cache
    def fillable(left: int, singles: int) -> bool:
        """Whether the shields left can be split at all, whatever they touch."""
        task.budget.spend()
        if not left:
            return singles == 0
        low = left & -left
        partners = task.partners[low.bit_length() - 1] & left
        return any(fillable(left ^ low ^ 1 << j, singles) for j in bits(partners)) or (
            singles > 0 and fillable(left ^ low, singles - 1)
        )

    def after(state: _State, piece: int) -> _State | None:
        """The state after a piece is drawn; None if a component can no longer reach the castle."""
        left, free = state.left & ~piece, state.free
        alone = piece & (piece - 1) == 0
        loose = [part for part in state.loose if not part.waits & piece]
        dots = (piece & task.plain[Coat.DOT]).bit_count() if spare < ANY else 0
        met = [part for part in state.loose if part.waits & piece]
        met.append(_Part(task.touch(piece), not alone, dots))
        waits = reduce(or_, (part.waits for part in met))
        rooted = state.rooted
        if piece & (CASTLE_BITS | rooted):
            rooted |= waits
        elif waits & left:
            dots = min(sum(part.dots for part in met), spare + 1)
            loose.append(_Part(waits & left, any(part.opens for part in met), dots))
        elif free and any(part.opens for part in met) and sum(p.dots for p in met) <= spare:
            free = False
        else:
            return None
        return _State(left, state.singles - alone, free, rooted & left, tuple(sorted(loose)))

    def go(state: _State, pieces: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        task.budget.spend()
        if state in dead:
            return
        if not state.left:
            yield pieces
            return
        low, fruitful = state.left & -state.left, False
        partners = task.partners[low.bit_length() - 1] & state.left
        for piece in [*(low | 1 << j for j in bits(partners)), *[low] * (state.singles > 0)]:
            if fillable(state.left & ~piece, state.singles - (piece == low)):
                then = after(state, piece)
                for split in go(then, (*pieces, piece)) if then else ():
                    fruitful = True
                    yield split
        if not fruitful:
            dead.add(state)

    if fillable(task.filled, singles):
        yield from go(_State(task.filled, singles, free, 0, ()), ())


class _Choices(NamedTuple):
    """The choices made before drawing; pieces, 0 for none.

    opened: the one that the dot's wizard draws when nothing else fits. given: the one with the
    checked wizard's cross. last: the one whose squares filled his line, drawn no earlier than
    `given`; if 0, a round without room filled it, with `given` drawn. idle: whether rounds
    without room filled squares of the line before that.
    """

    given: int = 0
    last: int = 0
    idle: bool = False
    opened: int = 0


class _Order:
    """The orders in which a split's pieces can be drawn; sets of pieces are sets of shields.

    It is enough to draw whatever fits until nothing does. Only a few choices remain, and all are
    tried: which domino the dot's wizard draws, and which checked shield came last, because the
    shield that gets the checked wizard's cross must be drawn when his line fills.

    In some rounds no domino has room. In the French edition the dice fill squares all the same, any
    number of them if such rounds recur. For the coat that came last the shields drawn at that
    moment are the largest possible set (`closed`), for the one before the largest inside that, and
    so on.

    free: whether the dot's wizard may be called. vain: coats that had no room in some round.
    """

    def __init__(
        self, task: Task, pieces: tuple[int, ...], free: bool, vain: frozenset[Coat]
    ) -> None:
        self.task, self.free, self.vain = task, free, vain
        self.apart = sum(piece for piece in pieces if piece & (piece - 1) == 0)
        self.pieces = [piece for piece in pieces if not piece & self.apart]
        self.pieces += [self.apart] * (self.apart > 0)
        self.touch = {piece: task.touch(piece) for piece in self.pieces}
        self.squares = {piece: task.domino(piece)[1] for piece in self.pieces}

    def hopeful(self) -> bool:
        """Whether the wizards called may have been won before, as far as the shields show."""
        if not self.apart and not self.free:
            return True
        task = self.task
        drawn = self.draw(task.filled, frozenset({Coat.LINE}))[0]
        line = not self.apart or task.in_time(Coat.LINE, task.filled & ~self.apart)
        return line and (drawn == task.filled or (self.free and task.in_time(Coat.DOT, drawn)))

    def find(self) -> Witness | None:
        """A lawful order with the rounds without room that it needs; None if there is none."""
        task = self.task
        if self.apart and not task.domino(self.apart)[0]:
            return None
        for coats in self.idle_coats():
            for choices in self.choices(coats):
                if self.draw(task.filled, self.won_by(coats), choices)[0] == task.filled:
                    order = self.reach(task.filled, coats, choices)
                    if order is not None:
                        steps, idle = order
                        pairs = ((bits(piece), power) for piece, power in steps)
                        drawn = (Step((cell_of(next(c)), cell_of(next(c))), p) for c, p in pairs)
                        return Witness(tuple(drawn), task.castle, task.wizard, idle)
        return None

    def idle_coats(self) -> Iterator[frozenset[Coat]]:
        """Sets of coats that had no room in some round, in every combination that may help."""
        terms = self.task.terms
        if not self.vain:
            yield frozenset()
        if not terms.obtained or room(self.task.filled) & CASTLE_BITS:
            return

        def settle(cells: int) -> int:
            """The pieces that lie within some cells, drawn at will."""
            return sum(piece for piece in self.pieces if not piece & ~cells)

        shields, whole = self.task.coats, self.task.filled
        coats = {coat for coat in Coat if closed(shields[coat], whole, settle) is not None}
        if not self.vain <= coats:
            return
        self.task.budget.spend(len(Coat))
        helped = ((Coat.DOT, self.free), (Coat.LINE, self.apart), (Coat.CHECKED, self.task.given))
        more = [coat for coat, helps in helped if helps and coat in coats - self.vain]
        for helpers in (set(s) for n in range(len(more) + 1) for s in combinations(more, n)):
            if self.vain | helpers:
                yield self.vain | helpers

    def choices(self, coats: frozenset[Coat]) -> Iterator[_Choices]:
        """All choices that can be made before drawing."""
        won, whole = self.won_by(coats), self.task.filled
        crosses = [_Choices()]
        if self.task.given:
            given = next(piece for piece in self.pieces if piece & self.task.given)
            last = [piece for piece in self.pieces if self.squares[piece][Coat.CHECKED]]
            full = self.ready(Coat.CHECKED, whole, frozenset())
            crosses = [_Choices(given, piece) for piece in last if full]
            if Coat.CHECKED in won:
                crosses += [_Choices(given, piece, True) for piece in (0, *last)]
        for choices in crosses:
            drawn = self.draw(whole, won, choices)[0] if self.free else whole
            if drawn == whole:
                yield choices
            # Where some pieces are cut off it must be one of these: others are drawn without him.
            for piece in self.pieces if self.free else ():
                if piece != self.apart and (drawn == whole or not piece & drawn):
                    yield choices._replace(opened=piece)

    def won_by(self, coats: frozenset[Coat]) -> frozenset[Coat]:
        """The wizards won in rounds without room."""
        return coats if self.task.terms.obtained else frozenset()

    def ready(self, coat: Coat, drawn: int, won: frozenset[Coat]) -> bool:
        """Whether a wizard is won with what is drawn."""
        filled = sum(self.squares[piece][coat] for piece in self.pieces if piece & drawn)
        return coat in won or filled >= SQUARES[coat]

    def draw(
        self,
        allowed: int,
        won: frozenset[Coat],
        choices: _Choices = _Choices(),  # noqa: B008  it cannot change
        done: tuple[tuple[int, Coat | None], ...] = (),
    ) -> tuple[int, tuple[tuple[int, Coat | None], ...]]:
        """Draw whatever fits until nothing does, in addition to what is already drawn.

        allowed: the shields. won: wizards at hand from the start, the others once enough squares
        can be filled. Returns the shields drawn; the pieces in order with the wizards called.
        """
        self.task.budget.spend(allowed.bit_count() // 2)
        steps, drawn = list(done), sum(piece for piece, _ in done)
        touched = reduce(or_, (self.touch[piece] for piece, _ in done), CASTLE_BITS)
        waiting = [piece for piece in self.pieces if not piece & (drawn | ~allowed)]

        def try_to_draw(piece: int, opened: bool) -> bool:
            nonlocal drawn, touched
            power = Coat.LINE if piece == self.apart else Coat.DOT if opened else None
            fits = opened or piece & touched == piece or (piece & touched and piece != self.apart)
            early = piece == choices.last != choices.given and choices.given & ~drawn
            if not fits or early or (power and not self.ready(power, drawn, won)):
                return False
            steps.append((piece, power))
            touched, drawn = touched | self.touch[piece], drawn | piece
            return True

        while waiting:
            left = [piece for piece in waiting if not try_to_draw(piece, False)]
            if len(left) == len(waiting):
                if choices.opened not in left or not try_to_draw(choices.opened, True):
                    break
                left.remove(choices.opened)
            waiting = left
        return drawn, tuple(steps)

    def reach(
        self, allowed: int, coats: frozenset[Coat], choices: _Choices
    ) -> tuple[tuple[tuple[int, Coat | None], ...], tuple[Idle, ...]] | None:
        """The pieces in order, with a moment without room for each of the coats; None if there
        cannot be such moments."""
        if not coats:
            return self.draw(allowed, frozenset(), choices)[1], ()
        for coat in sorted(coats):
            earlier = coats - {coat}
            won = self.won_by(earlier)

            def settle(cells: int, won: frozenset[Coat] = won) -> int:
                return self.draw(cells, won, choices)[0]

            idle = choices.idle and coat is Coat.CHECKED
            within = allowed & ~choices.last if idle else allowed
            part = closed(self.task.coats[coat], within, settle)
            if part is None or (idle and not choices.last and choices.given & ~part):
                continue
            before = self.reach(part, earlier, choices)
            if before is not None:
                steps, moments = before
                after = self.draw(allowed, self.won_by(coats), choices, steps)[1]
                return after, (*moments, Idle(len(steps), coat))
        return None
