"""What was read of a kingdom of tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.game.kingdomino.kingdom import Kingdom
from kdscan.game.kingdomino.scoring import Score
from kdscan.game.kingdomino.variants import Variants
from kdscan.game.problem import Problem
from kdscan.records.kinds import KINDS, SquareKind
from kdscan.records.photo import frozen
from kdscan.records.short import short
from kdscan.records.stages import RectifiedSheet
from kdscan.records.totals import Totals


@dataclass(frozen=True)
class SquareReading:
    """One square as read. `confidence`: probability that terrain and crowns are both right.

    terrain: a terrain of the game, "castle" or "empty".
    seen: what the pixels alone said, when the rules or a person overruled them.
    """

    row: int
    col: int
    terrain: str
    crowns: int
    confidence: float
    review: bool
    seen: SquareKind | None = None


@dataclass(frozen=True, eq=False)
class KingdomReading:
    """All that is known of one kingdom of tiles: where it lies, what was seen, what it is worth.

    rectified: the square of `size` × `size` that the kingdom may span, empty rims included.
    probs: (size, size, K) float64, what the pixels say of each square, in the order of `KINDS`.
    squares: size * size readings, row-major. kingdom: the same as the game knows it.
    totals: what it may be worth, with probabilities, the most probable first.
    beyond: squares that hang together with it, but lie outside its limit.
    sheet_id: what the code on a card beside it says (`kdscan.sheet.ids`), None without one.
    """

    rectified: RectifiedSheet
    probs: NDArray[np.float64]
    squares: tuple[SquareReading, ...]
    kingdom: Kingdom
    score: Score
    variants: Variants
    confidence: float
    review: bool
    problems: tuple[Problem, ...] = ()
    totals: Totals = ()
    beyond: int = 0
    sheet_id: str | None = None

    def __post_init__(self) -> None:
        size = self.variants.size
        if self.probs.shape != (size, size, len(KINDS)) or len(self.squares) != size**2:
            raise ValueError(f"{size} x {size} squares are needed, not {self.probs.shape}")
        object.__setattr__(self, "probs", frozen(self.probs))

    def __repr__(self) -> str:
        return short(self, f"{self.score.total} points")

    @property
    def kind(self) -> str:
        return "kingdom"

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.rectified.outline_xy
