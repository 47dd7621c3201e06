"""Problems within a number of steps: fast enough to ask of every map that is read."""

from __future__ import annotations

from kdscan.game.duel.audit import audit_on_terms, terms_of
from kdscan.game.duel.audit.dominoes import OutOfStepsError
from kdscan.game.duel.board import Board
from kdscan.game.duel.editions import ENGLISH, Edition
from kdscan.game.problem import Problem

AUDIT_STEPS = 4000
"""Steps for each search of a whole audit; some dozen milliseconds at worst."""


def quick_problems(
    board: Board,
    castle_used: bool | None = None,
    *,
    edition: Edition = ENGLISH,
    steps: int = AUDIT_STEPS,
) -> tuple[Problem, ...]:
    """What `audit_map` has against a map; nothing when that would take too long to know.

    castle_used: whether the roof is coloured, None when that is not known. steps: counted, not
    timed, so that the answer is the same on every machine; see `audit.dominoes.Budget`.
    Sets of shields may be larger than `audit_map` would find.
    """
    terms = terms_of(castle_used, None, 0, edition)
    try:
        return audit_on_terms(board, terms, edition, steps).problems
    except OutOfStepsError:
        return ()
