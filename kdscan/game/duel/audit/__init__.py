"""Whether any lawful game leads to a map, shown or disproved.

Exact: an answer "lawful" comes with a way there, an answer "unlawful" with shields
that can't be. How the rules were read is written in docs/audit.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.game.duel.audit.dominoes import LAW, Budget, OutOfStepsError, the_dice
from kdscan.game.duel.audit.proofs import errors, warnings
from kdscan.game.duel.audit.ways import MAP_WIZARDS, Terms, Way, find_way
from kdscan.game.duel.audit.witness import Step, Witness, replay
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import cell_of
from kdscan.game.duel.editions import ENGLISH, Edition, Squares
from kdscan.game.duel.spellbook import Spellbook
from kdscan.game.problem import Problem

__all__ = ["Audit", "Step", "Witness", "audit_map", "quick_problems", "replay", "terms_of"]

QUICK_STEPS = 4000
"""Steps for each search of a quick audit; some dozen milliseconds at worst."""


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    lawful: whether the rulebooks allow the map; what only the dice forbid is a warning.
    problems: errors when not lawful, warnings when only the dice forbid it.
    witness: a lawful way to the map, None when there is none.
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

    castle_used: whether the roof is coloured, None when that is not known.
    spellbook, player: the game's spellbook, if at hand, and whose map it is.
    """
    terms = terms_of(castle_used, spellbook, player, edition)
    return audit_on_terms(board, terms, edition)


def quick_problems(
    board: Board,
    castle_used: bool | None = None,
    *,
    edition: Edition = ENGLISH,
    steps: int = QUICK_STEPS,
) -> tuple[Problem, ...]:
    """What `audit_map` has against a map; nothing when that would take too long to know.

    Fast enough to ask of every map that is read. castle_used: as for `audit_map`. steps: counted,
    not timed, so that the answer is the same on every machine; see `audit.dominoes.Budget`. Sets
    of shields may be larger than `audit_map` would find.
    """
    try:
        return audit_on_terms(
            board, terms_of(castle_used, None, 0, edition), edition, steps
        ).problems
    except OutOfStepsError:
        return ()


def audit_on_terms(
    board: Board, terms: Terms, edition: Edition = ENGLISH, steps: int | None = None
) -> Audit:
    """Audit one map, given what is known beside it.

    steps: what each search may cost, None for as much as it takes. Raises OutOfStepsError
    when it is not enough to decide; proofs that are cut short name more shields than needed.
    """
    lawful = find_way(board, terms, LAW, Budget(steps))
    if lawful is None:
        return Audit(False, errors(board, terms, steps))
    dice = the_dice(edition.castle_on_joker)
    way = find_way(board, terms, dice, Budget(steps))
    if way is not None:
        return Audit(True, (), witness_of(way))
    return Audit(True, warnings(board, terms, dice, steps), witness_of(lawful))


def terms_of(
    castle_used: bool | None, spellbook: Spellbook | None, player: int, edition: Edition
) -> Terms:
    """What a roof and a spellbook say about one player's map."""
    obtained = edition.squares is Squares.OBTAINED
    if spellbook is None:
        return Terms(castle_used, obtained=obtained)
    lines = spellbook.lines[player]
    won = {coat for coat in Coat if spellbook.owner(coat) == player}
    wizards = {coat for coat in MAP_WIZARDS & won if lines[coat].used or coat is Coat.CHECKED}
    return Terms(
        castle_used,
        frozenset(wizards),
        cross_given=Coat.CHECKED in won,
        recorded=tuple((coat, lines[coat].filled) for coat in Coat),
        obtained=obtained,
    )


def witness_of(way: Way) -> Witness:
    """A way in people's terms."""
    steps = tuple(
        Step((cell_of(drawn.piece[0]), cell_of(drawn.piece[1])), drawn.power) for drawn in way.order
    )
    return Witness(steps, way.bonus.castle, way.bonus.wizard, way.idle)
