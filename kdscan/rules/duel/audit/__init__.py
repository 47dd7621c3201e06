"""Whether any lawful game leads to a map, proved or disproved.

The audit is exact: the answer "lawful" comes with a way to the map, the answer "unlawful" with
shields that are impossible. docs/audit.md says how the rules are interpreted.

There is one search, `search`, explained in its docstring: it splits a map's shields (`shields`)
into connected dominoes. `ways` runs it with every choice of what the map leaves open (`terms`) and
has `orders` put each split in order. `proofs` runs it on parts of the map to find the fewest
shields that are impossible (`smallest`). `pair` compares the ways to two maps of one game, and
`rounds` looks for dice that allow both. `witness` checks what was found, independently of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.rules.duel.audit.proofs import errors, warnings
from kdscan.rules.duel.audit.shields import LAW, THE_DICE, Budget, OutOfStepsError, bits
from kdscan.rules.duel.audit.terms import Terms, terms_of
from kdscan.rules.duel.audit.ways import Way, find_way
from kdscan.rules.duel.audit.witness import Step, Witness, replay
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.drawing import cell_of
from kdscan.rules.duel.editions import ENGLISH, Edition
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.problem import Problem

__all__ = ["Audit", "Step", "Witness", "audit_map", "quick_problems", "replay", "terms_of"]

QUICK_STEPS = 4000
"""Steps for each search of a quick audit, some dozen milliseconds at worst; not timed, so that the
answer is the same on every machine."""


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    lawful: whether the rulebooks allow the map; if only the dice forbid it, that is a warning.
    problems: errors if it is not lawful, warnings if only the dice forbid it.
    witness: a lawful way to the map, None if there is none.
    """

    lawful: bool
    problems: tuple[Problem, ...] = ()
    witness: Witness | None = None


def audit_map(
    board: Board,
    castle_used: bool | None = None,
    *,
    spellbook: Spellbook | None = None,
    player: int = 0,
    edition: Edition = ENGLISH,
) -> Audit:
    """Audit one map, finished or not.

    castle_used: whether the roof is coloured, None if that is not known.
    spellbook, player: the game's spellbook, if available, and whose map it is.
    """
    return audit_on_terms(board, terms_of(castle_used, spellbook, player, edition))


def quick_problems(
    board: Board,
    castle_used: bool | None = None,
    *,
    edition: Edition = ENGLISH,
) -> tuple[Problem, ...]:
    """The problems that `audit_map` finds; none if that would take too long.

    Fast enough for every map that is read. castle_used: as for `audit_map`. Sets of shields may be
    larger than those of `audit_map`.
    """
    terms = terms_of(castle_used, None, 0, edition)
    try:
        return audit_on_terms(board, terms, QUICK_STEPS).problems
    except OutOfStepsError:
        return ()


def audit_on_terms(board: Board, terms: Terms, steps: int | None = None) -> Audit:
    """Audit one map, given what else is known.

    steps: limit of each search, None for none. Raises OutOfStepsError if they are not enough to
    decide; proofs that are cut short name more shields than needed.
    """
    lawful = find_way(board, terms, LAW, Budget(steps))
    if lawful is None:
        return Audit(False, errors(board, terms, steps))
    way = find_way(board, terms, THE_DICE, Budget(steps))
    if way is not None:
        return Audit(True, (), witness_of(way))
    return Audit(True, warnings(board, terms, steps), witness_of(lawful))


def witness_of(way: Way) -> Witness:
    """A way in terms that people understand."""
    steps = []
    for piece, power in way.order:
        one, two = bits(piece)
        steps.append(Step((cell_of(one), cell_of(two)), power))
    return Witness(tuple(steps), *way.bonus, way.idle)
