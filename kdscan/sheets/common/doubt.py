"""Doubtful cells of any kind of sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kdscan.records import CellReading, SquareReading

C = TypeVar("C", bound="CellReading | SquareReading")
"""A shield or square as read."""

MAX_OTHERS, MIN_OTHER = 2, 0.02
"""Most alternatives that are shown for a doubtful place, and their least probability."""


@dataclass(frozen=True)
class Doubt(Generic[C]):
    """A doubtful cell as it was read, and its alternatives, the most probable first, with their
    probabilities as `confidence`."""

    cell: C
    others: tuple[C, ...]


@dataclass(frozen=True, eq=False)
class DoubtfulPlace:
    """A place that needs review, for people.

    name: of the place. choices: what was read, then its alternatives, each with its probability.
    quad_xy: (4, 2) float64, photo frame: its corners, clockwise from the sheet's upper left.
    """

    name: str
    choices: tuple[tuple[str, float], ...]
    quad_xy: NDArray[np.float64]
