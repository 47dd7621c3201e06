"""Answers within a number of steps: fast enough to ask of every map and of many candidates."""

from __future__ import annotations

from functools import lru_cache

from kdscan.game.duel.audit import audit_on_terms, terms_of
from kdscan.game.duel.audit.budget import Budget, OutOfStepsError
from kdscan.game.duel.audit.dominoes import LAW, MOST_ON_A_DIE
from kdscan.game.duel.audit.search import HELPERS, Terms, find_way
from kdscan.game.duel.audit.task import Bonus, Task, bits
from kdscan.game.duel.audit.tilings import plans
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import cell_of, number
from kdscan.game.duel.editions import ENGLISH, Edition
from kdscan.game.duel.spellbook import Spellbook
from kdscan.game.problem import Problem

STEPS = 2000
"""Steps that decide most maps, played or not; a few milliseconds."""

AUDIT_STEPS = 4000
"""Steps for each search of a whole audit; some dozen milliseconds at worst."""

_BONUSES = 2
"""Crosses that no die brings: the castle's and the checked wizard's."""


def lawful(
    board: Board,
    castle_used: bool | None = None,
    *,
    spellbook: Spellbook | None = None,
    player: int = 0,
    edition: Edition = ENGLISH,
    steps: int = STEPS,
) -> bool | None:
    """Whether the rulebooks allow a map, as `audit_map` says; None when that took too long.

    castle_used: whether the roof is coloured, None when that is not known.
    spellbook, player: the game's spellbook, if at hand, and whose map it is.
    steps: what the answer may cost; see `kdscan.game.duel.audit.budget`.

    Maps of the same coats share most of their work, which is remembered for a while.
    """
    if len(board) % 2:
        return False
    terms = terms_of(castle_used, spellbook, player, edition)
    extra = sum(max(shield.crosses - MOST_ON_A_DIE, 0) for shield in board.values())
    if extra > _BONUSES:
        return False
    connected = _connected(_coats(board), steps)
    if connected is None:
        return None
    if connected and not (terms.recorded or terms.cross_given):
        crossed = any(shield.crosses for shield in board.values())
        if extra <= terms.castle_left and (crossed or not terms.castle_used):
            return True
    if not connected and not any(_helps(board, terms, coat) for coat in HELPERS):
        return False
    try:
        return find_way(board, terms, LAW, Budget(steps)) is not None
    except OutOfStepsError:
        return None


def quick_problems(
    board: Board,
    castle_used: bool | None = None,
    *,
    edition: Edition = ENGLISH,
    steps: int = AUDIT_STEPS,
) -> tuple[Problem, ...]:
    """What `audit_map` has against a map; nothing when that would take too long to know.

    Takes what `lawful` takes. Sets of shields may be larger than `audit_map` would find.
    """
    terms = terms_of(castle_used, None, 0, edition)
    try:
        return audit_on_terms(board, terms, edition, steps).problems
    except OutOfStepsError:
        return ()


def _coats(board: Board) -> tuple[int, ...]:
    """For each coat the shields that hold it, as bits."""
    masks = dict.fromkeys(Coat, 0)
    for cell, shield in board.items():
        masks[shield.coat] |= 1 << number(cell)
    return tuple(masks.values())


@lru_cache(maxsize=4096)
def _connected(coats: tuple[int, ...], steps: int) -> bool | None:
    """Whether dominoes without any wizard's help make shields of those coats."""
    shields = {
        cell_of(i): Shield(coat) for coat, mask in zip(Coat, coats, strict=True) for i in bits(mask)
    }
    try:
        task = Task(Board(shields), Bonus(), LAW, Budget(steps))
        return next(plans(task, apart=False, free=False), None) is not None
    except OutOfStepsError:
        return None


def _helps(board: Board, terms: Terms, coat: Coat) -> bool:
    """Whether that coat's wizard may have been won; one cross may be the other wizard's."""
    plain = sum(shield.coat is coat and shield.crosses <= 1 for shield in board.values())
    return coat in terms.wizards and (terms.obtained or plain >= SQUARES[coat])
