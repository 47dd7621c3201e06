"""Doubtful cells of any kind of sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from kdscan.game.grid import Cell


class ReadCell(Protocol):
    """A shield or square as read."""

    @property
    def at(self) -> Cell: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...


C = TypeVar("C", bound=ReadCell)

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
