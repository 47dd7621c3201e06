"""Plain values that every kind of reading has in the JSON: points, probabilities, doubts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def point_json(xy: Any) -> list[float]:
    """Photo pixels to a tenth: finer than any corner is known."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def probability_json(p: float) -> float:
    """A probability to four digits."""
    return round(float(p), 4)


def percent(p: float) -> str:
    """Whole percent, rounded down and never 100: nothing that was read is quite certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


def judged_json(
    center_xy: Any,
    confidence: float,
    review: bool,
    seen: dict[str, Any] | None,
    others: Iterable[tuple[dict[str, Any], float]],
) -> dict[str, Any]:
    """What a shield and a square share: place, how sure, what pixels said, what else it may be.

    others: plain values of other readings, each with its probability.
    """
    return {
        "center": point_json(center_xy),
        "confidence": probability_json(confidence),
        "review": review,
        "seen": seen,
        "alternatives": [what | {"probability": probability_json(p)} for what, p in others],
    }
