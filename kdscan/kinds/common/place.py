"""Numbers and places of sheets as JSON values for the store."""

from __future__ import annotations

from typing import Any

import numpy as np

from kdscan.records import RectifiedSheet

DIGITS = 7
"""Significant digits of stored numbers, more than any probability's precision."""


def rounded(value: Any) -> Any:
    """Numbers, lists and arrays as JSON values."""
    if isinstance(value, np.ndarray):
        return [rounded(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}")


def place_json(place: RectifiedSheet) -> dict[str, Any]:
    """A rectified sheet without its pixels."""
    return {
        "centers": rounded(place.centers_xy),
        "outline": rounded(place.outline_xy),
        "px_per_cell": rounded(place.px_per_cell),
        "confidence": rounded(place.confidence),
    }


def place_from(kept: dict[str, Any]) -> RectifiedSheet:
    """The inverse of `place_json`; a single black pixel replaces the pixels."""
    return RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(kept["centers"], np.float64),
        np.array(kept["outline"], np.float64),
        kept["px_per_cell"],
        kept["confidence"],
    )
