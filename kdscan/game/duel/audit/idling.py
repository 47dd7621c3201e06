"""Orders with rounds in which the player drew nothing, because no domino had room.

Two things follow from such a round. In the French edition its dice fill squares of the
spellbook all the same, as many as anyone likes when it comes again, so a wizard can be
won by it. And only a player who had such rounds can have fewer dominoes than the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.game.duel.audit.moments import Cross, Idle, Moments, Needs, Pieces
from kdscan.game.duel.audit.order import Drawn, Plan, fills, room
from kdscan.game.duel.audit.task import Task, bits
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS


def arrange_idling(
    task: Task, plan: Plan, needs: Needs
) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
    """Put all pieces in a lawful order with the rounds without room that it takes; None if none."""
    if room(task.filled) & CASTLE_BITS:
        return None
    pieces = Pieces(task, plan)
    closable = pieces.closable()
    if not needs.coats <= closable or not closable:
        return None
    for free in _free(pieces, needs, closable):
        for cross in _crosses(pieces, needs):
            found = Moments(pieces, free, cross, needs, closable).find()
            if found is not None:
                return found
    return None


def _crosses(pieces: Pieces, needs: Needs) -> Iterator[Cross | None]:
    task, all_pieces = pieces.task, pieces.plan.pieces
    if task.bonus.wizard is None:
        yield None
        return
    given = next(k for k, piece in enumerate(all_pieces) if task.wizard_cell in piece)
    squares = [fills(task, piece, Coat.CHECKED) for piece in all_pieces]
    counting = [k for k, filled in enumerate(squares) if filled]
    if sum(squares) >= SQUARES[Coat.CHECKED]:
        yield from (Cross(given, last, False) for last in counting)
    if needs.obtained:
        yield Cross(given, None, True)
        yield from (Cross(given, last, True) for last in counting)


def _free(pieces: Pieces, needs: Needs, closable: frozenset[Coat]) -> Iterator[int]:
    """The pieces that the dot's wizard may draw so that all can be drawn; -1 for none."""
    won = closable if needs.obtained else frozenset[Coat]()
    drawn, _ = Moments(pieces, -1, None, needs, closable).draw(pieces.whole, won)
    if drawn == pieces.whole:
        yield -1
    if pieces.plan.free:
        # Where some pieces are cut off it must be one of these: others are drawn without him.
        waiting = pieces.whole & ~drawn or pieces.whole
        for k in bits(waiting):
            if k != pieces.apart and Moments(pieces, k, None, needs, closable).drawable():
                yield k
