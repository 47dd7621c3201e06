"""What is known of a kingdom of tiles, what a person says of it, and what it is read as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kdscan.imaging.picture import Floats, FrozenArrays, RectifiedSheet
from kdscan.rules import Cell
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES, Kingdom, Score, SquareKind, Variants
from kdscan.sheets.common import BoardReading, Corrections, cell_values

ONE_HOT: Floats = np.eye(len(SQUARE_CLASSES))
"""The probabilities of a square that certainly holds a kind, by its index."""


@dataclass(frozen=True)
class KingdomCorrections(Corrections):
    """A person's corrections of a kingdom.

    squares: the true kinds of some squares, in the order of the corrections; a second castle
    replaces the first. confirmed: everything is right.
    Raises ValueError for what no square can hold.
    """

    squares: Mapping[Cell, SquareKind] = field(default_factory=dict)
    confirmed: bool = False

    def __post_init__(self) -> None:
        for at, kind in self.squares.items():
            if min(at) < 0:
                raise ValueError(f"a kingdom has no square at (row, column) {at}")
            if kind not in SQUARE_CLASSES:
                raise ValueError(f"no square holds {kind!r}")


@dataclass(frozen=True, eq=False)
class KingdomEvidence(FrozenArrays):
    """All that is known of a kingdom before any rule is applied; `interpret` turns it
    into a reading.

    rectified: the `size` × `size` squares that the kingdom may span, including empty rows and
        columns; its confidence is that of the lattice.
    probs: (size, size, K) float64, probabilities from the pixels in the order of `SQUARE_CLASSES`.
    variants: the rules for its score. beyond: number of connected squares outside its limit.
    cut: sides of the picture beyond which it reaches, or may reach unseen. beside: sides beyond
        which another kingdom extends that was not read. touching: whether some squares may be of
        another kingdom that it touches. covered: bare places that do not look like the table, on
        which its tiles may lie covered, with their difference from it (`unlike_table`).
    sheet_id: text of the code on a card beside it (`kdscan.paper.ids`), None without one.
    corrections: a person's.
    """

    rectified: RectifiedSheet
    probs: Floats
    variants: Variants
    beyond: int = 0
    sheet_id: str | None = None
    corrections: KingdomCorrections = KingdomCorrections()
    cut: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    touching: bool = False
    covered: Mapping[Cell, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = self.variants.size
        if self.probs.shape != (size, size, len(SQUARE_CLASSES)):
            raise ValueError(f"{size} x {size} squares are needed, not {self.probs.shape}")
        super().__post_init__()


@dataclass(frozen=True, eq=False, repr=False)
class KingdomReading(BoardReading):
    """A kingdom's evidence, interpreted.

    cells: size * size squares, row-major. kingdom: the same as the game's own type.
    """

    kind = "kingdom"

    evidence: KingdomEvidence
    score: Score
    kingdom: Kingdom

    def __post_init__(self) -> None:
        if len(self.cells) != self.variants.size**2:
            raise ValueError(f"{self.variants.size}² squares are needed, not {len(self.cells)}")

    @property
    def text(self) -> str:
        return str(self.kingdom)

    @property
    def variants(self) -> Variants:
        return self.evidence.variants


def corrections_of(fields: Mapping[str, Any]) -> KingdomCorrections:
    """The corrections in the store's fields `cell:R,C` and `confirmed`; ValueError for what no
    kingdom can hold."""
    squares = {
        cell: (new["terrain"], int(new["crowns"])) for cell, new in cell_values(fields).items()
    }
    return KingdomCorrections(squares, fields.get("confirmed") is True)
