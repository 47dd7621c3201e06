"""What all kinds of readings have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kdscan.game.problem import Problem
from kdscan.records.book import SpellbookReading
from kdscan.records.kingdom import KingdomReading
from kdscan.records.sheet import MapReading


class Found(Protocol):
    """The common interface of readings of every kind.

    kind: as in the JSON. outline_xy: (4, 2) float64, photo frame, corners from its reader's top
    left. confidence: calibrated probability that the score is right. review: whether a person
    should check it. problems: impossible or suspicious findings.
    """

    @property
    def kind(self) -> str: ...
    @property
    def outline_xy(self) -> NDArray[np.float64]: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...
    @property
    def problems(self) -> tuple[Problem, ...]: ...


AnyReading = MapReading | KingdomReading | SpellbookReading
"""The readings that `kdscan.pipeline.read.read_photo` returns; see `Found`."""


def maps_of(found: Iterable[AnyReading]) -> tuple[MapReading, ...]:
    """The maps of Kingdomino Duel among readings."""
    return tuple(one for one in found if isinstance(one, MapReading))
