"""Whether the dominoes of the box can lie as a finished kingdom shows them.

Every domino exists once, so the squares pair up to dominoes that the box holds; and each
was laid beside the castle or beside its own terrain, so there is an order to lay them in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kdscan.game.grid import Cell, neighbours
from kdscan.game.kingdomino.kingdom import Kingdom, Place
from kdscan.game.kingdomino.tiles import SQUARES, TILES, Square

Pair = tuple[Square, Square]

EFFORT = 3000
"""Dominoes tried before a search gives up; lawful kingdoms need a few dozen."""


@dataclass(frozen=True)
class KingdomAudit:
    """Whether a kingdom can have come about.

    lawful: None when the search gave up. order: places of its dominoes in an order in which
    they can be laid, when it is lawful.
    """

    lawful: bool | None
    order: tuple[Place, ...] = ()


def audit_kingdom(kingdom: Kingdom, size: int = 5, effort: int = EFFORT) -> KingdomAudit:
    """Look for dominoes of the box, each once, that could be laid to this kingdom."""
    counts = Counter(kingdom.squares.values())
    if (
        max(kingdom.extent) > size
        or len(kingdom.squares) % 2
        or any(n > SQUARES[square] for square, n in counts.items())
    ):
        return KingdomAudit(False)
    search = _Search(kingdom, effort)
    for tiling in search.tilings():
        order = _order(kingdom, tiling)
        if order is not None:
            return KingdomAudit(True, order)
    return KingdomAudit(None if search.effort <= 0 else False)


class _Search:
    """Ways to split a kingdom into dominoes of the box."""

    def __init__(self, kingdom: Kingdom, effort: int) -> None:
        self.effort = effort
        self._squares = kingdom.squares
        self._left = dict.fromkeys(sorted(kingdom.squares))
        self._box = Counter(_pair(*tile.squares) for tile in TILES)
        self._laid: list[Place] = []

    def tilings(self) -> Iterator[list[Place]]:
        """Every split, as long as the effort lasts: the tightest square is settled first."""
        if not self._left:
            yield list(self._laid)
            return
        cell, partners = self._tightest()
        for near in partners:
            self.effort -= 1
            if self.effort <= 0:
                return
            pair = _pair(self._squares[cell], self._squares[near])
            self._box[pair] -= 1
            self._laid.append((cell, near))
            del self._left[cell], self._left[near]
            yield from self.tilings()
            self._left[cell] = self._left[near] = None
            self._laid.pop()
            self._box[pair] += 1

    def _tightest(self) -> tuple[Cell, list[Cell]]:
        fewest: tuple[Cell, list[Cell]] | None = None
        for cell in self._left:
            square = self._squares[cell]
            partners = [
                near
                for near in neighbours(cell)
                if near in self._left and self._box[_pair(square, self._squares[near])] > 0
            ]
            if fewest is None or len(partners) < len(fewest[1]):
                fewest = cell, partners
                if len(partners) < 2:
                    break
        assert fewest is not None
        return fewest


def _pair(one: Square, two: Square) -> Pair:
    """A domino, whichever way round."""
    return (one, two) if (one.terrain, one.crowns) <= (two.terrain, two.crowns) else (two, one)


def _order(kingdom: Kingdom, tiling: list[Place]) -> tuple[Place, ...] | None:
    """An order in which each domino touches the castle or its own terrain, or None."""
    waiting, order = list(tiling), list[Place]()
    lying: set[Cell] = set()
    while waiting:
        fits = [place for place in waiting if any(_joins(kingdom, c, lying) for c in place)]
        if not fits:
            return None
        for place in fits:
            waiting.remove(place)
            order.append(place)
            lying.update(place)
    return tuple(order)


def _joins(kingdom: Kingdom, cell: Cell, lying: set[Cell]) -> bool:
    terrain = kingdom.squares[cell].terrain
    return any(
        near == kingdom.castle or (near in lying and kingdom.squares[near].terrain is terrain)
        for near in neighbours(cell)
    )
