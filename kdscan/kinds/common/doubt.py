"""A cell to look at, whatever its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class JudgedCell(Protocol):
    """A shield or square as read."""

    @property
    def row(self) -> int: ...
    @property
    def col(self) -> int: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...


C = TypeVar("C", bound=JudgedCell)

MOST_OTHERS, LEAST_PROBABILITY = 2, 0.02
"""So many other readings of a doubtful place are named, if they are so probable."""


@dataclass(frozen=True)
class Doubt(Generic[C]):
    """A cell to look at as it was read, and what else it may be, the likeliest first, each with its
    probability as `confidence`."""

    cell: C
    others: tuple[C, ...]


@dataclass(frozen=True, eq=False)
class DoubtfulPlace:
    """A place that asks for a look, for people.

    name: what it is called. choices: what was read, then what else it may be, each with how sure.
    quad_xy: (4, 2) float64, photo frame: its corners as the sheet's reader sees them.
    """

    name: str
    choices: tuple[tuple[str, float], ...]
    quad_xy: NDArray[np.float64]
