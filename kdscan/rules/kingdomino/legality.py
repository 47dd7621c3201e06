"""What is impossible about a kingdom, and whether the dominoes of the box can form it.

Every domino exists once, so the squares must pair up to dominoes that the box holds. Each was laid
beside the castle or its own terrain, so there must be an order to lay them in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kdscan.rules import Cell, Problem, alone, components, neighbours
from kdscan.rules.kingdomino.kingdom import PLAIN, SQUARES, TILES, Kingdom, Place, Square, Variants


def find_problems(kingdom: Kingdom, variants: Variants = PLAIN) -> tuple[Problem, ...]:
    """Violations of size, pairing, contact and the box's contents; others may remain.

    The demo has its own dominoes, so its kingdoms are not checked against the box.
    """
    problems, everything = [], tuple(sorted(kingdom.squares))
    (rows, cols), size = kingdom.extent, variants.size
    if max(rows, cols) > size:
        why = f"the kingdom spans {rows} x {cols} squares, where {size} x {size} is the limit"
        problems.append(Problem("too_large", "error", why, everything))
    if len(everything) % 2:
        why = f"{len(everything)} squares cannot be dominoes of two"
        problems.append(Problem("odd_squares", "error", why, everything))
    if cells := alone(kingdom.squares):
        why = "half a domino without its other half"
        problems.append(Problem("unpaired_squares", "error", why, cells))
    for square, count in sorted(
        Counter(kingdom.squares.values()).items(), key=lambda item: str(item[0])
    ):
        most = SQUARES[square]
        if count > most and not variants.demo:
            crowns = f"{square.crowns} crown{'s' * (square.crowns != 1)}"
            why = f"squares of {square.terrain} with {crowns}: {count}, where the box holds {most}"
            cells = tuple(cell for cell in everything if kingdom.squares[cell] == square)
            problems.append(Problem("not_in_the_box", "error", why, cells))
    return tuple(problems)


Pair = tuple[Square, Square]

FAR = 100
"""Columns between kingdoms that are audited together: more than any of them spans."""

MAX_TRIES = 3000
"""Dominoes tried before a search gives up; lawful kingdoms need a few dozen."""


class KingdomAudit(NamedTuple):
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
        shift = FAR * number
        castles.add((kingdom.castle[0], kingdom.castle[1] + shift))
        squares |= {(row, col + shift): square for (row, col), square in kingdom.squares.items()}
    return _audit(squares, castles).lawful


def _audit(squares: Mapping[Cell, Square], castles: set[Cell]) -> KingdomAudit:
    counts = Counter(squares.values())
    if len(squares) % 2 or any(n > SQUARES[square] for square, n in counts.items()):
        return KingdomAudit(False)
    box = Counter(_pair(*tile.squares) for tile in TILES)
    left = dict.fromkeys(sorted(squares))
    tries = 0

    def partners(cell: Cell) -> list[Cell]:
        return [
            near
            for near in neighbours(cell)
            if near in left and box[_pair(squares[cell], squares[near])] > 0
        ]

    def tilings(laid: tuple[Place, ...]) -> Iterator[tuple[Place, ...]]:
        """Every split of the squares left, until the tries are used up."""
        nonlocal tries
        if not left:
            yield laid
            return
        tightest = next((cell for cell in left if len(partners(cell)) < 2), None)
        tightest = tightest or min(left, key=lambda cell: len(partners(cell)))
        for near in partners(tightest):
            tries += 1
            if tries >= MAX_TRIES:
                return
            pair = _pair(squares[tightest], squares[near])
            box[pair] -= 1
            del left[tightest], left[near]
            yield from tilings((*laid, (tightest, near)))
            left[tightest] = left[near] = None
            box[pair] += 1

    for tiling in tilings(()):
        order = _order(squares, castles, tiling)
        if order is not None:
            return KingdomAudit(True, order)
    return KingdomAudit(None if tries >= MAX_TRIES else False)


def _pair(one: Square, two: Square) -> Pair:
    """A domino, whichever way round."""
    return (one, two) if (one.terrain, one.crowns) <= (two.terrain, two.crowns) else (two, one)


def _order(
    squares: Mapping[Cell, Square], castles: set[Cell], tiling: Sequence[Place]
) -> tuple[Place, ...] | None:
    """An order in which each domino touches a castle or its own terrain, or None."""
    waiting, order, lying = list(tiling), list[Place](), set[Cell]()

    def joins(cell: Cell) -> bool:
        terrain = squares[cell].terrain
        return any(
            near in castles or (near in lying and squares[near].terrain is terrain)
            for near in neighbours(cell)
        )

    while waiting:
        fits = [place for place in waiting if any(map(joins, place))]
        if not fits:
            return None
        waiting = [place for place in waiting if place not in fits]
        order += fits
        lying.update(cell for place in fits for cell in place)
    return tuple(order)
