"""Whatever can be found in a photo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kdscan.game.problem import Problem
from kdscan.records.book import SpellbookReading
from kdscan.records.kingdom import KingdomReading
from kdscan.records.sheet import SheetReading


class Found(Protocol):
    """What can be asked of everything that is found in a photo, whatever its kind.

    kind: as in the JSON. outline_xy: (4, 2) float64, photo frame, corners as its reader
    sees it. confidence: probability that what it is worth is right, calibrated.
    review: whether a person should look. problems: what cannot be, or need not be trusted.
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


AnyReading = SheetReading | KingdomReading | SpellbookReading
"""Whatever `kdscan.pipeline.read.read_photo` finds; see `Found` for what they share."""


def maps_of(found: Iterable[AnyReading]) -> tuple[SheetReading, ...]:
    """The maps of Kingdomino Duel among what was found."""
    return tuple(one for one in found if isinstance(one, SheetReading))
