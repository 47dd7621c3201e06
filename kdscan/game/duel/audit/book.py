"""What the spellbook counts and the map cannot show.

The spellbook counts coats without a cross. No set of shields is to blame where the map
shows too few of them, for every smaller map shows fewer still; what can't be is a set of
the spellbook's lines, and the smallest is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.search import Terms, bonuses, find_way, matches_book
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem

_Lines = tuple[tuple[Coat, int], ...]


def contradictions(board: Board, terms: Terms) -> Iterator[Problem]:
    """Every line that the map contradicts by itself; where there is none, the fewest together."""
    lines = tuple((coat, count) for coat, count in terms.recorded if count)
    if not lines:
        return
    lawful = find_way(board, replace(terms, recorded=())) is not None
    if terms.obtained and not lawful:
        return  # The map is wrong by itself; what was obtained and not drawn cannot be told.

    def fits(some: _Lines) -> bool:
        if lawful:
            return find_way(board, replace(terms, recorded=some)) is not None
        return any(matches_book(task, some) for task in _shown(board, terms))

    for size in range(1, len(lines) + 1):
        wrong = [some for some in combinations(lines, size) if not fits(some)]
        if wrong:
            yield from (_problem(board, terms, some) for some in wrong[: None if size == 1 else 1])
            return


def _shown(board: Board, terms: Terms) -> Iterator[Task]:
    """The map with every choice of bonus crosses; as it stands where there is none."""
    some = list(bonuses(board, terms, LAW)) or [Bonus()]
    for bonus in some:
        if bonus.wizard is None or checked_wizard(board, terms, bonus.wizard):
            yield Task(board, bonus, LAW)


def _problem(board: Board, terms: Terms, lines: _Lines) -> Problem:
    coats = [coat for coat, _ in lines]
    told = " and ".join(f"{count} {coat.replace('_', ' ')}" for coat, count in lines)
    plain = " and ".join(str(_most(board, terms, coat)) for coat in coats)
    why = f"the spellbook counts {told} without a cross, the map shows {plain} at most"
    if len(lines) > 1:
        why += ", not all at once"
    why += ", and there was room to draw more" * terms.obtained
    cells = tuple(cell for cell, shield in board.items() if shield.coat in coats)
    return Problem("spellbook", "error", why, cells)


def _most(board: Board, terms: Terms, coat: Coat) -> int:
    """The most shields of a coat that can have filled a square, one under the wizard's cross."""
    plain = sum(shield == Shield(coat) for shield in board.values())
    crossed = (cell for cell, shield in board.items() if shield == Shield(coat, 1))
    return plain + any(checked_wizard(board, terms, cell) for cell in crossed)


def checked_wizard(board: Board, terms: Terms, cell: Cell | None = None) -> bool:
    """Whether the checked wizard's cross can be on the map at all, or on one shield of it."""
    plain = sum(shield == Shield(Coat.CHECKED) for shield in board.values())
    # The cross may cover a checked coat that filled a square.
    own = Shield(Coat.CHECKED, 1) in (board.values() if cell is None else (board[cell],))
    enough = terms.obtained or plain + own >= SQUARES[Coat.CHECKED]
    return Coat.CHECKED in terms.wizards and enough
