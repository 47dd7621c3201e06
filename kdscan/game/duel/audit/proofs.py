"""Why no lawful game leads to a map: problems, each with the smallest shields to blame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from kdscan.game.duel.audit.dominoes import (
    LAW,
    MOST_ON_A_DIE,
    Bonus,
    Budget,
    Dice,
    OutOfStepsError,
    Task,
    bits,
)
from kdscan.game.duel.audit.pairing import smallest_uncovered, uncovered
from kdscan.game.duel.audit.splits import Proof, Search, smallest
from kdscan.game.duel.audit.ways import Record, Terms, bonuses, find_way, matches_book
from kdscan.game.duel.board import MAX_CROSSES, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, cell_of, number
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem, Severity

STEPS = 20_000
"""Steps of a search for the smallest shields; under a second of work."""

_FEW_STEPS = 1_000
"""Steps of the first one."""

_SMALLER_STEPS = 4_000
"""Steps for fewer shields that connection forbids, where dominoes fail anyway."""

_EARLY_STEPS = 50_000
"""Steps where wizards come too early; then all shields are named. One or two seconds at worst."""

_BONUSES = 2
"""Crosses that no die brings: the castle's and the checked wizard's."""

_Helpers = tuple[int, bool]
"""Shields that may be drawn apart, and whether one domino needs no connection."""


def errors(board: Board, terms: Terms, steps: int | None = None) -> tuple[Problem, ...]:
    """What the rulebooks forbid about a board that no lawful game leads to.

    steps: what each search for a small set may cost, None for its own limit.
    """
    found = [*_crosses(board, terms, LAW, "error"), *_book(board, terms)]
    # Crosses have been judged; the dominoes are judged as if every die could bring them.
    plain = Task(Board({c: Shield(s.coat) for c, s in board.items()}))
    helpers = _helpers(plain, board, terms, steps)
    found += _shapes(plain, helpers, steps)
    if not found:
        why = "a wizard's help is needed before the spellbook can have granted it"
        cells = _early(board, terms, plain, helpers, steps)
        found.append(_problem("wizard_too_early", "error", why, cells))
    return tuple(found)


def warnings(
    board: Board, terms: Terms, dice: Dice, steps: int | None = None
) -> tuple[Problem, ...]:
    """What only the dice forbid about a board that the rulebooks allow."""
    found = list(_crosses(board, terms, dice, "warning"))
    if not found:
        spare = terms.castle_left + checked_wizard(board, terms)
        task = Task(board, Bonus(), dice, spare=spare)
        proof = smallest_unreached(task, _helpers(task, board, terms, steps), steps)
        cells = task.filled if proof is None else proof.cells
        why = f"no dice are known that make dominoes of {_these(cells)}"
        found.append(_problem("dice", "warning", why, cells))
    return tuple(found)


def smallest_unreached(
    task: Task, helpers: _Helpers, steps: int | None = None, known: int | None = None
) -> Proof | None:
    """The smallest set of shields that no connected dominoes cover; None when all can be.

    steps: `STEPS` when None. known: a set that can't be; a smaller one is looked for.
    """
    budget = Budget(STEPS if steps is None else steps)

    def cover(required: int) -> int | None:
        return next(_covers(task, required, helpers, budget), None)

    return smallest(task.filled, cover, budget, known)


def _covers(task: Task, required: int, helpers: _Helpers, budget: Budget) -> Iterator[int]:
    """All shields of maps that hold the required ones; wizards may help at any time."""
    singles, free = helpers
    # A whole map leaves no choice how many stay alone.
    for alone in {0, singles} if required == task.filled else {singles}:
        for pieces in Search(task, required, alone, free, budget=budget).run():
            yield sum({1 << i for piece in pieces for i in piece})


def _shapes(task: Task, helpers: _Helpers, steps: int | None) -> Iterator[Problem]:
    """The smallest set of shields that dominoes, or connected ones, cannot cover."""
    # Most answers are a shield or two, found before Hall's theorem has its tables ready.
    known = None
    proof = smallest_unreached(task, helpers, _FEW_STEPS)
    if proof is not None and not proof.smallest:
        known = smallest_uncovered(task.filled, helpers[0])
        if known is None and task.filled.bit_count() % 2:
            known = task.filled
        if known is not None and steps is None:
            steps = _SMALLER_STEPS
        proof = smallest_unreached(task, helpers, steps, known)
    if proof is None:
        return
    cells = proof.cells
    odd = cells == task.filled and cells.bit_count() % 2
    if odd or uncovered(cells, task.filled) > helpers[0]:
        why = f"no dominoes can cover {_these(cells)}: every round fills two shields"
        yield _problem("unpaired_shields", "error", why, cells)
    else:
        why = (
            f"no domino with {_these(cells)} touches the castle or an equal coat "
            "drawn in an earlier round"
        )
        yield _problem("unconnected_domino", "error", why, cells)


def _helpers(task: Task, board: Board, terms: Terms, steps: int | None) -> _Helpers:
    """Which wizards can help.

    A wizard can only be won with shields that can be drawn before him: without either
    at first, then with the one that those can win.
    """
    crossed = checked_wizard(board, terms)

    def helps(reached: int, coat: Coat) -> bool:
        part = [s for c, s in board.items() if reached >> number(c) & 1]
        plain = part.count(Shield(coat)) + (crossed and Shield(coat, 1) in part)
        return coat in terms.wizards and (terms.obtained or plain >= SQUARES[coat])

    helpers = 0, False
    while True:
        reached = _reachable(task, helpers, steps)
        now = 2 * helps(reached, Coat.LINE), helps(reached, Coat.DOT)
        if now == helpers:
            return helpers
        helpers = now


def _reachable(task: Task, helpers: _Helpers, steps: int | None) -> int:
    """Every shield that some cover reaches; all of them when that takes too long."""
    budget = Budget(STEPS if steps is None else steps)
    reached = 0
    try:
        for i in bits(task.filled):
            if not reached >> i & 1:
                reached |= next(_covers(task, 1 << i, helpers, budget), 0)
    except OutOfStepsError:
        return task.filled
    return reached


def _early(board: Board, terms: Terms, task: Task, helpers: _Helpers, steps: int | None) -> int:
    """The smallest set of shields that no lawful map of this board's shields contains.

    Drawing one more domino never hinders, so of all such maps only those are asked about to which
    nothing can be added, but for shields that need the checked wizard's cross: they may come
    too late for it. All shields when steps run out.
    """
    budget = Budget(_EARLY_STEPS if steps is None else steps)
    # Earlier in the game the roof may have been blank still, the cross not yet given.
    castle = None if terms.castle_used else terms.castle_used
    before = replace(terms, castle_used=castle, cross_given=False, recorded=())
    rich = sum(1 << number(c) for c, s in board.items() if s.crosses > MOST_ON_A_DIE)
    asked: dict[int, bool] = {}

    def lawful(covered: int) -> bool:
        if covered not in asked:
            part = Board({c: s for c, s in board.items() if covered >> number(c) & 1})
            asked[covered] = find_way(part, before, LAW, budget) is not None
        return asked[covered]

    def complete(covered: int) -> bool:
        left = task.filled & ~covered
        joined = CASTLE_BITS
        for i in bits(covered):
            joined |= task.equal[i]
        poor = left & ~rich
        return not any(task.partners[i] & poor for i in bits(joined & poor))

    def cover(required: int) -> int | None:
        some = _covers(task, required, helpers, budget)
        return next((one for one in some if complete(one) and lawful(one)), None)

    proof = smallest(task.filled, cover, budget)
    return task.filled if proof is None else proof.cells


def _crosses(board: Board, terms: Terms, dice: Dice, severity: Severity) -> Iterator[Problem]:
    """Crosses that neither dice nor bonuses can bring."""
    needs: list[tuple[int, Cell]] = []
    for cell, shield in board.items():
        enough = (n for n in range(_BONUSES + 1) if dice.shows(shield.coat, shield.crosses - n))
        need = next(enough, _BONUSES + 1)
        if shield.crosses > MAX_CROSSES:
            why = f"{shield.crosses} crosses, where no shield can have more than {MAX_CROSSES}"
            yield Problem("too_many_crosses", "error", why, (cell,))
        elif need:
            needs.append((need, cell))
    blamed = _unserved(board, terms, needs)
    if blamed:
        why = "more bonus crosses than castle and wizard give: no die brings these crosses"
        if dice is LAW:
            why = (
                f"a die brings {MOST_ON_A_DIE} crosses at most, and castle and wizard do not make "
                "up for the rest"
            )
        yield Problem("bonus_crosses", severity, why, blamed)
    given = bool(terms.castle_used) + terms.cross_given
    if severity == "error" and sum(shield.crosses for shield in board.values()) < given:
        why = "the roof is coloured or a wizard was used, but no cross shows for it"
        yield Problem("missing_cross", "error", why)


def _unserved(board: Board, terms: Terms, needs: list[tuple[int, Cell]]) -> tuple[Cell, ...]:
    """The fewest shields whose crosses castle and wizard cannot make up for; none if they can."""
    for size in range(1, _BONUSES + 2):
        for some in combinations(needs, size):
            left = terms.castle_left + any(checked_wizard(board, terms, cell) for _, cell in some)
            if sum(need for need, _ in some) > left:
                return tuple(cell for _, cell in some)
    return ()


def checked_wizard(board: Board, terms: Terms, cell: Cell | None = None) -> bool:
    """Whether the checked wizard's cross can be on the map at all, or on one shield of it."""
    shields = list(board.values())
    # The cross may cover a checked coat that filled a square.
    own = Shield(Coat.CHECKED, 1) in (shields if cell is None else [board[cell]])
    enough = shields.count(Shield(Coat.CHECKED)) + own >= SQUARES[Coat.CHECKED]
    return Coat.CHECKED in terms.wizards and (terms.obtained or enough)


def _book(board: Board, terms: Terms) -> Iterator[Problem]:
    """What the spellbook counts and the map cannot show.

    No set of shields is to blame where the map shows too few coats without a cross, for every
    smaller map shows fewer still. What can't be is a set of the spellbook's lines: every line that
    the map contradicts by itself is named; where there is none, the fewest together.
    """
    lines = tuple((coat, count) for coat, count in terms.recorded if count)
    if not lines:
        return
    lawful = find_way(board, replace(terms, recorded=())) is not None
    if terms.obtained and not lawful:
        return  # The map is wrong by itself; what was obtained and not drawn cannot be told.

    def fits(some: Record) -> bool:
        if lawful:
            return find_way(board, replace(terms, recorded=some)) is not None
        # With every choice of bonus crosses; as the map stands where there is none.
        return any(
            matches_book(Task(board, bonus), some)
            for bonus in (list(bonuses(board, terms, LAW)) or [Bonus()])
            if bonus.wizard is None or checked_wizard(board, terms, bonus.wizard)
        )

    for size in range(1, len(lines) + 1):
        wrong = [some for some in combinations(lines, size) if not fits(some)]
        if wrong:
            yield from (_too_few(board, terms, some) for some in wrong[: None if size == 1 else 1])
            return


def _too_few(board: Board, terms: Terms, lines: Record) -> Problem:
    coats = [coat for coat, _ in lines]
    told = " and ".join(f"{count} {coat.replace('_', ' ')}" for coat, count in lines)
    plain = " and ".join(str(_most(board, terms, coat)) for coat in coats)
    why = f"the spellbook counts {told} without a cross, the map shows {plain} at most"
    why += ", not all at once" * (len(lines) > 1)
    why += ", and there was room to draw more" * terms.obtained
    cells = tuple(cell for cell, shield in board.items() if shield.coat in coats)
    return Problem("spellbook", "error", why, cells)


def _most(board: Board, terms: Terms, coat: Coat) -> int:
    """The most shields of a coat that can have filled a square, one under the wizard's cross."""
    plain = sum(shield == Shield(coat) for shield in board.values())
    crossed = (cell for cell, shield in board.items() if shield == Shield(coat, 1))
    return plain + any(checked_wizard(board, terms, cell) for cell in crossed)


def _these(cells: int) -> str:
    count = cells.bit_count()
    return "this shield" if count == 1 else f"these {count} shields"


def _problem(code: str, severity: Severity, why: str, cells: int) -> Problem:
    return Problem(code, severity, why, tuple(cell_of(i) for i in bits(cells)))
