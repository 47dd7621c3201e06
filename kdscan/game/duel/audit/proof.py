"""Why no lawful game leads to a board: problems, each with the smallest shields to blame."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from kdscan.game.duel.audit.book import checked_wizard, contradictions
from kdscan.game.duel.audit.dominoes import LAW, MOST_ON_A_DIE, Dice, Half
from kdscan.game.duel.audit.early import smallest_early
from kdscan.game.duel.audit.pairing import smallest_uncovered, uncovered
from kdscan.game.duel.audit.reach import reachable, smallest_unreached
from kdscan.game.duel.audit.search import Terms
from kdscan.game.duel.audit.task import Bonus, Task, bits
from kdscan.game.duel.board import MAX_CROSSES, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import NEAR, cell_of, number
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem, Severity

_FEW_STEPS = 1_000
"""Steps of a first search for the smallest shields."""

_SMALLER_STEPS = 4_000
"""Steps of the search for fewer shields that connection forbids, where dominoes fail anyway."""

_BONUSES = 2
"""Crosses that no die brings: the castle's and the checked wizard's."""


def errors(board: Board, terms: Terms, steps: int | None = None) -> tuple[Problem, ...]:
    """What the rulebooks forbid about a board that no lawful game leads to.

    steps: what each search for a small set may cost, None for its own limit.
    """
    found = [*_crosses(board, terms, LAW, "error"), *contradictions(board, terms)]
    # Crosses have been judged; the dominoes are judged as if every die could bring them.
    plain = Task(Board({c: Shield(s.coat) for c, s in board.items()}), Bonus(), LAW)
    helpers = _helpers(plain, board, terms, steps)
    found += _shapes(plain, *helpers, steps)
    if not found:
        proof = smallest_early(board, terms, plain, *helpers, steps)
        why = "a wizard's help is needed before the spellbook can have granted it"
        found.append(_problem("wizard_too_early", "error", why, proof.cells))
    return tuple(found)


def _shapes(task: Task, singles: int, free: bool, steps: int | None) -> Iterator[Problem]:
    """The smallest set of shields that dominoes, or connected ones, cannot cover."""
    # Most answers are a shield or two, found before Hall's theorem has its tables ready.
    known = None
    proof = smallest_unreached(task, singles, free, _FEW_STEPS)
    if proof is not None and not proof.smallest:
        known = smallest_uncovered(task.filled, singles)
        if known is None and task.filled.bit_count() % 2:
            known = task.filled
        if known is not None and steps is None:
            steps = _SMALLER_STEPS
        proof = smallest_unreached(task, singles, free, steps, known)
    if proof is None:
        return
    cells = proof.cells
    odd = cells == task.filled and cells.bit_count() % 2
    if odd or uncovered(cells, task.filled) > singles:
        why = f"no dominoes can cover {_these(cells)}: every round fills two shields"
        yield _problem("unpaired_shields", "error", why, cells)
    else:
        why = (
            f"no domino with {_these(cells)} touches the castle or an equal coat "
            "drawn in an earlier round"
        )
        yield _problem("unconnected_domino", "error", why, cells)


def warnings(
    board: Board, terms: Terms, dice: Dice, steps: int | None = None
) -> tuple[Problem, ...]:
    """What only the dice forbid about a board that the rulebooks allow."""
    found = list(_crosses(board, terms, dice, "warning"))
    if not found:
        task = _lenient(board, terms, dice)
        proof = smallest_unreached(task, *_helpers(task, board, terms, steps), steps)
        cells = task.filled if proof is None else proof.cells
        why = f"no dice are known that make dominoes of {_these(cells)}"
        found.append(_problem("dice", "warning", why, cells))
    return tuple(found)


def _lenient(board: Board, terms: Terms, dice: Dice) -> Task:
    """The board with every domino that the dice allow under some bonus."""
    task = Task(board, Bonus(), dice)
    less = terms.castle_left + checked_wizard(board, terms)
    halves = task.halves
    partners = {
        i: sum(1 << j for j in NEAR[i] if j in halves and _makes(dice, half, halves[j], less))
        for i, half in halves.items()
    }
    object.__setattr__(task, "partners", partners)
    return task


def _makes(dice: Dice, one: Half, two: Half, less: int) -> bool:
    """Whether dice make two shields with so many crosses fewer on them, or not so many."""
    return any(
        dice.domino(Half(one.coat, one.crosses - a), Half(two.coat, two.crosses - b)).pairs
        for a in range(less + 1)
        for b in range(less + 1 - a)
    )


def _crosses(board: Board, terms: Terms, dice: Dice, severity: Severity) -> Iterator[Problem]:
    """Crosses that neither dice nor bonuses can bring."""
    needs: list[tuple[int, Cell]] = []
    for cell, shield in board.items():
        bonuses = range(_BONUSES + 1)
        need = next(
            (n for n in bonuses if dice.shows(shield.coat, shield.crosses - n)), _BONUSES + 1
        )
        if shield.crosses > MAX_CROSSES:
            why = f"{shield.crosses} crosses, where no shield can have more than {MAX_CROSSES}"
            yield Problem("too_many_crosses", "error", why, (cell,))
        elif need:
            needs.append((need, cell))
    blamed = _unserved(board, terms, needs)
    if blamed:
        most = f"{MOST_ON_A_DIE} crosses" if dice is LAW else "these crosses"
        why = f"more bonus crosses than castle and wizard give: no die brings {most}"
        if dice is LAW:
            why = f"a die brings {most} at most, and castle and wizard do not make up for the rest"
        yield Problem("bonus_crosses", severity, why, blamed)
    given = int(bool(terms.castle_used)) + terms.cross_given
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


def _helpers(task: Task, board: Board, terms: Terms, steps: int | None) -> tuple[int, bool]:
    """Shields that may be drawn apart, and whether one domino needs no connection.

    A wizard can only be won with shields that can be drawn before him: without either
    at first, then with the one that those can win.
    """
    singles, free = 0, False
    while True:
        reached = reachable(task, singles, free, steps)
        part = Board({c: s for c, s in board.items() if reached >> number(c) & 1})
        now = (
            2 if _helps(part, board, terms, Coat.LINE) else 0,
            _helps(part, board, terms, Coat.DOT),
        )
        if now == (singles, free):
            return now
        singles, free = now


def _helps(part: Board, board: Board, terms: Terms, coat: Coat) -> bool:
    """Whether that coat's wizard can be won with the shields of a part."""
    plain = sum(shield == Shield(coat) for shield in part.values())
    crossed = checked_wizard(board, terms) and Shield(coat, 1) in part.values()
    return coat in terms.wizards and (terms.obtained or plain + crossed >= SQUARES[coat])


def _these(cells: int) -> str:
    count = cells.bit_count()
    return "this shield" if count == 1 else f"these {count} shields"


def _problem(code: str, severity: Severity, why: str, cells: int) -> Problem:
    return Problem(code, severity, why, tuple(cell_of(i) for i in bits(cells)))
