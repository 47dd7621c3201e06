"""A map while it is being drawn: where a domino may go, fast enough to play many games.

Cells are numbers, row * 7 + column, and sets of cells are the bits of an int.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kdscan.rules.duel.board import CASTLE, CELLS, COLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell, neighbours


def number(cell: Cell) -> int:
    """The cell's number, row * 7 + column."""
    return cell[0] * COLS + cell[1]


def cell_of(index: int) -> Cell:
    """The cell with that number."""
    return divmod(index, COLS)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the cells in a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


NEAR: dict[int, tuple[int, ...]] = {
    number(cell): tuple(number(near) for near in neighbours(cell) if near in set(CELLS))
    for cell in CELLS
}
"""The shields beside each shield."""

NEAR_BITS: dict[int, int] = {i: sum(1 << j for j in near) for i, near in NEAR.items()}

CASTLE_BITS = sum(1 << number(near) for near in neighbours(CASTLE))
"""The four shields beside the castle."""

ALL_BITS = sum(1 << number(cell) for cell in CELLS)

SLOTS: tuple[tuple[int, int, int, int, int], ...] = tuple(
    ((1 << u) | (1 << v), 1 << u, 1 << v, u, v) for u, near in NEAR.items() for v in near
)
"""Every place for a domino, in both directions: both bits, first bit, second bit, first, second."""

Slot = tuple[int, int]


class Drawing:
    """A map while it is being drawn. `touch[coat]`: the shields beside that coat."""

    __slots__ = ("castle_used", "coats", "crosses", "filled", "touch")

    def __init__(self) -> None:
        self.coats: dict[int, Coat] = {}
        self.crosses: dict[int, int] = {}
        self.filled = 0
        self.touch: dict[Coat, int] = dict.fromkeys(Coat, CASTLE_BITS)
        self.castle_used = False

    @property
    def full(self) -> bool:
        return self.filled == ALL_BITS

    def slots(self, first: Coat, second: Coat) -> list[Slot]:
        """Where the domino may go, with `first` on the first cell of each result."""
        filled, a, b = self.filled, self.touch[first], self.touch[second]
        return [
            (u, v)
            for both, bit_u, bit_v, u, v in SLOTS
            if not both & filled and (bit_u & a or bit_v & b)
        ]

    def free_slots(self) -> list[Slot]:
        """Every pair of free adjacent shields, whatever they touch."""
        filled = self.filled
        return [(u, v) for both, _, _, u, v in SLOTS if not both & filled]

    def single_cells(self, coat: Coat) -> list[int]:
        """Where a die on its own may go."""
        open_bits = self.touch[coat] & ~self.filled
        return [i for i in NEAR if open_bits >> i & 1]

    def draw(self, halves: Iterable[tuple[int, Coat, int]]) -> None:
        """Draw (cell, coat, crosses) for each half; nothing is checked here."""
        for i, coat, crosses in halves:
            self.coats[i] = coat
            self.crosses[i] = crosses
            self.filled |= 1 << i
            self.touch[coat] |= NEAR_BITS[i]

    def board(self) -> Board:
        """The map as it stands."""
        return Board({cell_of(i): Shield(c, self.crosses[i]) for i, c in self.coats.items()})
