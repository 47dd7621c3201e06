"""Readings of every kind."""

from __future__ import annotations

from collections.abc import Iterable

from kdscan.records.book import SpellbookReading
from kdscan.records.kingdom import KingdomReading
from kdscan.records.sheet import MapReading

AnyReading = MapReading | KingdomReading | SpellbookReading
"""The readings that `kdscan.pipeline.read.read_photo` returns.

All have: kind: as in the JSON. outline_xy: (4, 2) float64, photo frame, corners from its reader's
top left. confidence: calibrated probability that the score is right. review: whether a person
should check it. problems: impossible or suspicious findings.
"""


def maps_of(found: Iterable[AnyReading]) -> tuple[MapReading, ...]:
    """The maps of Kingdomino Duel among readings."""
    return tuple(one for one in found if isinstance(one, MapReading))
