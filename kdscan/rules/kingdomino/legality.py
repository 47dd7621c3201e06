"""What is impossible about a kingdom, and whether the dominoes of the box can form it.

Every domino exists once, so the squares must pair up to dominoes that the box holds. Each was laid
beside the castle or its own terrain, so there must be an order to lay them in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kdscan.rules.grid import Cell, alone, components, neighbours
from kdscan.rules.kingdomino.kingdom import SQUARES, TILES, Kingdom, Place, Square
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.problem import Problem


def find_problems(kingdom: Kingdom, variants: Variants = PLAIN) -> tuple[Problem, ...]:
    """Violations of size, pairing, contact and the box's contents; others may remain.

    The demo has its own dominoes, so its kingdoms are not checked against the box.
    """
    found = tuple(_problems(kingdom, variants.size))
    return found if variants.demo else (*found, *_not_in_the_box(kingdom))


def _problems(kingdom: Kingdom, size: int) -> Iterator[Problem]:
    everything = tuple(sorted(kingdom.squares))
    if max(kingdom.extent) > size:
        rows, cols = kingdom.extent
        why = f"the kingdom spans {rows} x {cols} squares, where {size} x {size} is the limit"
        yield Problem("too_large", "error", why, everything)
    if len(everything) % 2:
        why = f"{len(everything)} squares cannot be dominoes of two"
        yield Problem("odd_squares", "error", why, everything)
    if lonely := alone(kingdom.squares):
        yield Problem("unpaired_squares", "error", "half a domino without its other half", lonely)


def _not_in_the_box(kingdom: Kingdom) -> Iterator[Problem]:
    everything = sorted(kingdom.squares)
    counts = Counter(kingdom.squares.values())
    for square, count in sorted(counts.items(), key=lambda item: str(item[0])):
        if count > SQUARES[square]:
            cells = tuple(cell for cell in everything if kingdom.squares[cell] == square)
            crowns = f"{square.crowns} crown{'s' * (square.crowns != 1)}"
            why = (
                f"squares of {square.terrain} with {crowns}: {count}, where the box holds "
                f"{SQUARES[square]}"
            )
            yield Problem("not_in_the_box", "error", why, cells)


Pair = tuple[Square, Square]

FAR = 100
"""Columns between kingdoms that are audited together: more than any of them spans."""

MAX_TRIES = 3000
"""Dominoes tried before a search gives up; lawful kingdoms need a few dozen."""


@dataclass(frozen=True)
class KingdomAudit:
    """Whether a kingdom is possible.

    lawful: None if the search gave up. order: places of its dominoes in an order in which
    they can be laid, if it is lawful.
    """

    lawful: bool | None
    order: tuple[Place, ...] = ()


def audit_kingdom(kingdom: Kingdom, size: int = 5) -> KingdomAudit:
    """Look for dominoes of the box, each used once, that form this kingdom."""
    if max(kingdom.extent) > size:
        return KingdomAudit(False)
    return _audit(kingdom.squares, {kingdom.castle})


def unlaid(kingdom: Kingdom) -> tuple[Cell, ...]:
    """The squares to blame for a kingdom that no dominoes form, if that is obvious.

    Squares that form a domino of the box with none of their neighbours; else those of a
    component with an odd number of squares; else none.
    """
    box = {_pair(*tile.squares) for tile in TILES}
    squares = kingdom.squares
    lonely = tuple(
        cell
        for cell, square in sorted(squares.items())
        if not any(
            near in squares and _pair(square, squares[near]) in box for near in neighbours(cell)
        )
    )
    if lonely:
        return lonely
    return next((cells for cells in components(squares) if len(cells) % 2), ())


def one_box_holds(kingdoms: Sequence[Kingdom]) -> bool | None:
    """Whether the dominoes of one box can form all of these kingdoms.

    None if the search gave up. The kingdoms are placed far apart, so that no domino is in
    two of them.
    """
    squares: dict[Cell, Square] = {}
    castles = set()
    for number, kingdom in enumerate(kingdoms):
        castles.add(_apart(kingdom.castle, number))
        squares |= {_apart(cell, number): square for cell, square in kingdom.squares.items()}
    return _audit(squares, castles).lawful


def _apart(cell: Cell, number: int) -> Cell:
    """A cell of the kingdom with that number on a table with room for all of them."""
    return cell[0], cell[1] + FAR * number


def _audit(squares: Mapping[Cell, Square], castles: set[Cell]) -> KingdomAudit:
    counts = Counter(squares.values())
    if len(squares) % 2 or any(n > SQUARES[square] for square, n in counts.items()):
        return KingdomAudit(False)
    search = _Search(squares)
    for tiling in search.tilings():
        order = _order(squares, castles, tiling)
        if order is not None:
            return KingdomAudit(True, order)
    return KingdomAudit(None if search.tries_left <= 0 else False)


class _Search:
    """Ways to split squares into dominoes of the box."""

    def __init__(self, squares: Mapping[Cell, Square]) -> None:
        self.tries_left = MAX_TRIES
        self._squares = squares
        self._left = dict.fromkeys(sorted(squares))
        self._box = Counter(_pair(*tile.squares) for tile in TILES)
        self._laid: list[Place] = []

    def tilings(self) -> Iterator[list[Place]]:
        """Every split, until the tries are used up; the most constrained square comes first."""
        if not self._left:
            yield list(self._laid)
            return
        cell, partners = self._tightest()
        for near in partners:
            self.tries_left -= 1
            if self.tries_left <= 0:
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


def _order(
    squares: Mapping[Cell, Square], castles: set[Cell], tiling: list[Place]
) -> tuple[Place, ...] | None:
    """An order in which each domino touches a castle or its own terrain, or None."""
    waiting, order = list(tiling), list[Place]()
    lying: set[Cell] = set()

    def joins(cell: Cell) -> bool:
        terrain = squares[cell].terrain
        return any(
            near in castles or (near in lying and squares[near].terrain is terrain)
            for near in neighbours(cell)
        )

    while waiting:
        fits = [place for place in waiting if any(joins(cell) for cell in place)]
        if not fits:
            return None
        for place in fits:
            waiting.remove(place)
            order.append(place)
            lying.update(place)
    return tuple(order)
