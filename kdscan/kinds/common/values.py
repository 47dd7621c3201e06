"""JSON values that all kinds share: points, probabilities, judged cells."""

from __future__ import annotations

from typing import Any

from kdscan.records.results import JudgedJson, Point


def point_json(xy: Any) -> Point:
    """Photo pixels, rounded to a tenth."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def probability_json(p: float) -> float:
    """A probability, rounded to four digits."""
    return round(float(p), 4)


def percent(p: float) -> str:
    """Whole percent, rounded down and at most 99: no reading is entirely certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


def judged_json(center_xy: Any, confidence: float, review: bool) -> JudgedJson:
    """Position and confidence of a shield or square."""
    return {
        "center": point_json(center_xy),
        "confidence": probability_json(confidence),
        "review": review,
    }
