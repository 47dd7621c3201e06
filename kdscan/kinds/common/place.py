"""Where a sheet lies, and numbers, as plain values for a store."""

from __future__ import annotations

from typing import Any

import numpy as np

from kdscan.records import RectifiedSheet

DIGITS = 7
"""Significant digits of a kept number: finer than any probability is known."""


def rounded(value: Any) -> Any:
    """Numbers, lists and arrays as JSON has them."""
    if isinstance(value, np.ndarray):
        return [rounded(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}")


def place_json(place: RectifiedSheet) -> dict[str, Any]:
    """Where the cells lie; the pixels are left out."""
    return {
        "centers": rounded(place.centers_xy),
        "outline": rounded(place.outline_xy),
        "px_per_cell": rounded(place.px_per_cell),
        "confidence": rounded(place.confidence),
    }


def place_from(kept: dict[str, Any]) -> RectifiedSheet:
    """The place again; where there were pixels stands a single black one."""
    return RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(kept["centers"], np.float64),
        np.array(kept["outline"], np.float64),
        kept["px_per_cell"],
        kept["confidence"],
    )
