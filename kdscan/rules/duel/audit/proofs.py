"""Why no lawful game leads to a map: problems, each with the smallest shields to blame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

from kdscan.rules.duel.audit.search import Search
from kdscan.rules.duel.audit.shields import (
    LAW,
    THE_DICE,
    Bonus,
    Budget,
    Dice,
    OutOfStepsError,
    Task,
    beside,
    bits,
)
from kdscan.rules.duel.audit.smallest import EVEN, Proof, shortages, smallest
from kdscan.rules.duel.audit.terms import Chances, Record, Terms, bonuses
from kdscan.rules.duel.audit.ways import find_way, matches_book
from kdscan.rules.duel.board import BONUS_CROSSES, DIE_CROSSES, MAX_CROSSES, Board, Shield
from kdscan.rules.duel.coats import Coat, spoken
from kdscan.rules.duel.drawing import CASTLE_BITS, cell_of, number
from kdscan.rules.grid import Cell
from kdscan.rules.problem import Problem, Severity

STEPS = 20_000
"""Steps of a search for the smallest shields; under a second of work."""

_FEW_STEPS = 1_000
"""Steps of the first such search."""

_SMALLER_STEPS = 4_000
"""Steps of the search for fewer shields that cannot be connected, if dominoes fail anyway."""

_EARLY_STEPS = 50_000
"""Steps if wizards come too early; then all shields are named. One or two seconds at worst."""


def errors(board: Board, terms: Terms, steps: int | None = None) -> tuple[Problem, ...]:
    """What the rulebooks forbid about a board that no lawful game leads to.

    steps: limit of each search for a small set, None for its own limit.
    """
    chances = Chances(board, terms)
    found = [*_crosses(board, chances, LAW, "error"), *_book(board, chances)]
    # Crosses have been judged; the dominoes are judged as if every die could bring them.
    covers = Covers(Task(Board({c: Shield(s.coat) for c, s in board.items()})), chances, steps)
    found += _shapes(covers)
    if not found:
        why = "a wizard's help is needed before the spellbook can have granted it"
        found.append(_problem("wizard_too_early", "error", why, _early(board, terms, covers)))
    return tuple(found)


def warnings(board: Board, terms: Terms, steps: int | None) -> tuple[Problem, ...]:
    """What only the dice forbid about a board that the rulebooks allow."""
    chances = Chances(board, terms)
    found = list(_crosses(board, chances, THE_DICE, "warning"))
    if not found:
        spare = terms.castle_left + chances.crossed()
        covers = Covers(Task(board, THE_DICE, spare=spare), chances, steps)
        proof = covers.smallest()
        cells = covers.task.filled if proof is None else proof.cells
        why = f"no known dice make dominoes of {_these(cells)}"
        found.append(_problem("dice", "warning", why, cells))
    return tuple(found)


class Covers:
    """Maps of connected dominoes on some of a task's shields, with the wizards that can help.

    singles, free: the help of wizards that a search may use. A wizard can only be won with shields
    that can be drawn before him: without either wizard at first, then with one that those can win.
    """

    def __init__(self, task: Task, chances: Chances, steps: int | None) -> None:
        self.task, self.steps = task, steps
        self.singles, self.free = 0, False
        covered = -1 if chances.crossed() else 0
        while True:
            reached = self.reachable()
            line, dot = (chances.in_time(coat, reached, covered) for coat in (Coat.LINE, Coat.DOT))
            # A search that ran out of steps may have let in a wizard whom a later one does not.
            won = max(2 * line, self.singles), dot or self.free
            if won == (self.singles, self.free):
                break
            self.singles, self.free = won

    def limit(self, own: int) -> Budget:
        """Steps for a search: its own number if no other is given."""
        return Budget(own if self.steps is None else self.steps)

    def of(self, required: int, budget: Budget) -> Iterator[int]:
        """All shields of maps that contain the required ones; wizards may help at any time."""
        # A whole map leaves no choice how many stay alone.
        whole = required == self.task.filled
        for alone in {0, self.singles} if whole else {self.singles}:
            for pieces in Search(self.task, required, alone, self.free, budget=budget).run():
                yield sum(pieces)

    def reachable(self) -> int:
        """Every shield that some cover reaches; all of them if that takes too long."""
        budget = self.limit(STEPS)
        reached = 0
        try:
            for i in bits(self.task.filled):
                if not reached >> i & 1:
                    reached |= next(self.of(1 << i, budget), 0)
        except OutOfStepsError:
            return self.task.filled
        return reached

    def smallest(self, budget: Budget | None = None, known: int | None = None) -> Proof | None:
        """The smallest set of shields that no connected dominoes cover; None if all can be covered.

        known: an impossible set; a smaller one is looked for.
        """
        budget = budget or self.limit(STEPS)
        return smallest(
            self.task.filled, lambda required: next(self.of(required, budget), None), budget, known
        )


def _shapes(covers: Covers) -> Iterator[Problem]:
    """The smallest set of shields that dominoes, or connected ones, cannot cover."""
    filled, singles = covers.task.filled, covers.singles
    # Most answers are a shield or two, found faster than the tables for Hall's theorem are built.
    proof = covers.smallest(Budget(_FEW_STEPS))
    if proof is not None and not proof.smallest:
        sets = [cells for short, cells in shortages(filled, filled).items() if short > singles]
        known = min(sets, key=int.bit_count, default=filled if filled.bit_count() % 2 else None)
        proof = covers.smallest(covers.limit(STEPS if known is None else _SMALLER_STEPS), known)
    if proof is None:
        return
    cells = proof.cells
    odd = cells == filled and cells.bit_count() % 2
    if odd or max(shortages(cells, filled)) > singles:
        yield _problem("unpaired_shields", "error", _unpaired(cells, covers), cells)
    else:
        why = (
            f"no domino with {_these(cells)} touches the castle or an equal coat "
            "drawn in an earlier round"
        )
        yield _problem("unconnected_domino", "error", why, cells)


def _unpaired(cells: int, covers: Covers) -> str:
    """Why dominoes cannot cover these shields, in words that can be checked on the map."""
    filled, count = covers.task.filled, cells.bit_count()
    why = f"no dominoes can cover {_these(cells)}: every round fills two shields"
    partners = (beside(cells) & filled).bit_count()
    if cells == filled and count % 2 and count > 1:
        return f"{why}, and {count} is odd"
    if cells & EVEN in (0, cells) and partners:  # shields that do not touch each other
        lie = "lies" if partners == 1 else "lie"
        why += f" side by side, and only {partners} {lie} beside these"
        return f"{why}; the line's wizard helps only two" if covers.singles else why
    return why


def _early(board: Board, terms: Terms, covers: Covers) -> int:
    """The smallest set of shields that no lawful map of this board's shields contains.

    Drawing one more domino never prevents another, so only maximal maps are checked. (Shields that
    need the checked wizard's cross are an exception, because they may come too late for it.) All
    shields if steps run out.
    """
    task, budget = covers.task, covers.limit(_EARLY_STEPS)
    # Earlier in the game the roof may not have been coloured, nor the wizard's cross given.
    castle = None if terms.castle_used else terms.castle_used
    before = replace(terms, castle_used=castle, cross_given=False, recorded=())
    rich = sum(1 << number(c) for c, s in board.items() if s.crosses > DIE_CROSSES)

    @cache
    def lawful(covered: int) -> bool:
        part = Board({c: s for c, s in board.items() if covered >> number(c) & 1})
        return find_way(part, before, LAW, budget) is not None

    def complete(covered: int) -> bool:
        poor = task.filled & ~covered & ~rich
        joined = CASTLE_BITS | task.touch(covered)
        return not any(task.partners[i] & poor for i in bits(joined & poor))

    def cover(required: int) -> int | None:
        some = covers.of(required, budget)
        return next((one for one in some if complete(one) and lawful(one)), None)

    proof = smallest(task.filled, cover, budget)
    return task.filled if proof is None else proof.cells


def _crosses(board: Board, chances: Chances, dice: Dice, severity: Severity) -> Iterator[Problem]:
    """Crosses that neither dice nor bonuses can bring."""
    terms = chances.terms
    needs: list[tuple[int, Cell]] = []
    for cell, shield in board.items():
        bonus = range(BONUS_CROSSES + 1)
        enough = (n for n in bonus if dice.shows(shield.coat, shield.crosses - n))
        need = next(enough, len(bonus))
        if shield.crosses > MAX_CROSSES:
            why = f"{shield.crosses} crosses, where no shield can have more than {MAX_CROSSES}"
            yield Problem("too_many_crosses", "error", why, (cell,))
        elif need:
            needs.append((need, cell))
    blamed = _unserved(chances, needs)
    if blamed:
        why = "more bonus crosses than castle and wizard give: no die brings these crosses"
        if dice is LAW:
            why = (
                f"a die brings {DIE_CROSSES} crosses at most, and castle and wizard do not make "
                "up for the rest"
            )
        yield Problem("bonus_crosses", severity, why, blamed)
    given = bool(terms.castle_used) + terms.cross_given
    if severity == "error" and sum(shield.crosses for shield in board.values()) < given:
        why = "the roof is coloured or a wizard was used, but no cross shows for it"
        yield Problem("missing_cross", "error", why)


def _unserved(chances: Chances, needs: list[tuple[int, Cell]]) -> tuple[Cell, ...]:
    """The fewest shields whose crosses castle and wizard cannot account for; none if they can."""
    for size in range(1, BONUS_CROSSES + 2):
        for some in combinations(needs, size):
            wizard = any(chances.crossed(1 << number(cell)) for _, cell in some)
            if sum(need for need, _ in some) > chances.terms.castle_left + wizard:
                return tuple(cell for _, cell in some)
    return ()


def _book(board: Board, chances: Chances) -> Iterator[Problem]:
    """Contradictions between the spellbook's counts and the map.

    If the map shows too few coats without a cross, no set of shields is to blame, because every
    smaller map shows fewer still. Impossible is a set of the spellbook's lines: every line that
    contradicts the map by itself is named; if there is none, the fewest that do so together.
    """
    terms = chances.terms
    lines = tuple((coat, count) for coat, count in terms.recorded if count)
    if not lines:
        return
    lawful = find_way(board, replace(terms, recorded=())) is not None
    if terms.obtained and not lawful:
        return  # The map is wrong by itself, and shows nothing of what was obtained but not drawn.
    bare = Task(board)

    def fits(some: Record) -> bool:
        if lawful:
            return find_way(board, replace(terms, recorded=some)) is not None
        # With every choice of bonus crosses; as the map stands where there is none.
        return any(
            matches_book(bare.with_bonus(bonus), some)
            for bonus in (list(bonuses(board, terms, LAW)) or [Bonus()])
            if bonus.wizard is None or chances.crossed(1 << number(bonus.wizard))
        )

    for size in range(1, len(lines) + 1):
        wrong = [some for some in combinations(lines, size) if not fits(some)]
        if wrong:
            yield from (_too_few(board, chances, one) for one in wrong[: None if size == 1 else 1])
            return


def _too_few(board: Board, chances: Chances, lines: Record) -> Problem:
    coats = [coat for coat, _ in lines]
    told = " and ".join(f"{count} {spoken(coat)}" for coat, count in lines)
    plain = " and ".join(str(chances.most(coat)) for coat in coats)
    why = f"the spellbook counts {told} without a cross, the map shows {plain} at most"
    why += ", not all at once" * (len(lines) > 1)
    why += ", and there was room to draw more" * chances.terms.obtained
    cells = tuple(cell for cell, shield in board.items() if shield.coat in coats)
    return Problem("spellbook", "error", why, cells)


def _these(cells: int) -> str:
    count = cells.bit_count()
    return "this shield" if count == 1 else f"these {count} shields"


def _problem(code: str, severity: Severity, why: str, cells: int) -> Problem:
    return Problem(code, severity, why, tuple(cell_of(i) for i in bits(cells)))
