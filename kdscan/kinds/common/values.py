"""Plain values that every kind of reading has in the JSON: points, probabilities, doubts."""

from __future__ import annotations

from typing import Any

from kdscan.records.results import JudgedJson, Point


def point_json(xy: Any) -> Point:
    """Photo pixels to a tenth: finer than any corner is known."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def probability_json(p: float) -> float:
    """A probability to four digits."""
    return round(float(p), 4)


def percent(p: float) -> str:
    """Whole percent, rounded down and never 100: nothing that was read is quite certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


def judged_json(center_xy: Any, confidence: float, review: bool) -> JudgedJson:
    """What a shield and a square share: where it lies, and how sure it is what it holds."""
    return {
        "center": point_json(center_xy),
        "confidence": probability_json(confidence),
        "review": review,
    }
