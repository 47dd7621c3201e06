"""JSON values that several kinds share: points, coats, probabilities, judged cells, places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kdscan.records import RectifiedSheet
from kdscan.rules.duel.coats import Coat

if TYPE_CHECKING:
    from kdscan.records.results import Json, JudgedJson, Point


def point_json(xy: Any) -> Point:
    """Photo pixels, rounded to a tenth."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def coat_json(coat: Coat | None) -> str | None:
    """A coat's name; None for none."""
    return coat.value if coat else None


def coat_from(name: str | None) -> Coat | None:
    """The inverse of `coat_json`; raises ValueError for an unknown name."""
    return Coat(name) if name else None


def probability_json(p: float) -> float:
    """A probability, rounded to four digits."""
    return round(float(p), 4)


def judged_json(center_xy: Any, confidence: float, review: bool) -> JudgedJson:
    """Position and confidence of a shield or square."""
    return {
        "center": point_json(center_xy),
        "confidence": probability_json(confidence),
        "review": review,
    }


DIGITS = 7
"""Significant digits of stored numbers, more than any probability's precision."""


def rounded(value: Any) -> Any:
    """Numbers, lists and arrays as JSON values."""
    if isinstance(value, np.ndarray):
        return [rounded(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}")


def present(**values: Any) -> Json:
    """The values that are not empty; empty ones are left out to save space."""
    return {name: value for name, value in values.items() if value}


def place_json(place: RectifiedSheet) -> Json:
    """A rectified sheet without its pixels."""
    return {
        "centers": rounded(place.centers_xy),
        "outline": rounded(place.outline_xy),
        "px_per_cell": rounded(place.px_per_cell),
        "confidence": rounded(place.confidence),
    }


def place_from(kept: Json) -> RectifiedSheet:
    """The inverse of `place_json`; a single black pixel replaces the pixels."""
    return RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(kept["centers"], np.float64),
        np.array(kept["outline"], np.float64),
        kept["px_per_cell"],
        kept["confidence"],
    )
