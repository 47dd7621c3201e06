"""Plain values that every kind of reading has in the JSON: points, probabilities, problems."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kdscan.records import Problem


def point_json(xy: Any) -> list[float]:
    """Photo pixels to a tenth: finer than any corner is known."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def probability_json(p: float) -> float:
    """A probability to four digits."""
    return round(float(p), 4)


def problems_json(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """What is wrong with a sheet or kingdom."""
    return [
        {
            "code": problem.code,
            "severity": problem.severity,
            "message": problem.message,
            "cells": [list(cell) for cell in problem.cells],
        }
        for problem in problems
    ]
