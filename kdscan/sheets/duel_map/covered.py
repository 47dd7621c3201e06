"""Occlusion: objects over shields reduce the confidence in what was read there.

A shield's log odds of being read correctly are reduced by those of being covered. If the remaining
confidence is too low for the accepted risk, the shield is reported as covered and the sheet is
marked for review; the less confidently a shield is read, the less evidence of an object that takes.
For a comparison with other methods see docs/research/hold.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log

import numpy as np

from kdscan.records import CellReading, Reading, calibrated
from kdscan.rules.grid import Cell
from kdscan.rules.problem import Problem

COVERED = "covered"
"""Code of the problem that lists covered shields."""

MIN_PROBABILITY = 0.22
"""Smaller probabilities of being covered are ignored."""

MIN_WHEN_REVIEWED = 0.5
"""Least probability of being covered for a doubtful shield of a sheet that needs review anyway."""

ODDS_WEIGHT = 0.75
"""Factor of the log odds of being covered, beyond those of `MIN_PROBABILITY`, that are subtracted;
below 1 because networks are overconfident about objects they were not trained on."""


def apply_cover(reading: Reading, covered: Mapping[Cell, float], risk: float) -> Reading:
    """The reading with the confidence of covered shields, and its own, reduced.

    covered: probabilities of being covered, 0..1. risk: accepted probability that a total which is
    not marked for review is wrong.
    """
    cells = tuple(
        _cell(one, p, risk, reading.review) if (p := covered.get(one.at)) else one
        for one in reading.cells
    )
    named = [cell.confidence for cell in cells if cell.covered]
    if not named:
        return reading
    confidence = min(reading.confidence, *named)
    return replace(reading, cells=cells, confidence=confidence, review=True)


def _cell(cell: CellReading, p: float, risk: float, reviewed: bool) -> CellReading:
    """A shield that is covered with probability p. reviewed: whether its sheet needs review
    anyway."""
    if p < (MIN_WHEN_REVIEWED if reviewed and cell.confidence < 1 - risk else MIN_PROBABILITY):
        return cell
    inside = min(p, 1 - 1e-9)
    odds = log(inside / (1 - inside)) - log(MIN_PROBABILITY / (1 - MIN_PROBABILITY))
    confidence = calibrated(cell.confidence, np.array([1.0, -ODDS_WEIGHT * odds]))
    if confidence >= 1 - risk:
        return cell
    return replace(cell, confidence=confidence, covered=True, review=True)


def problems(reading: Reading) -> tuple[Problem, ...]:
    """A problem that names the covered shields, if there are any."""
    cells = tuple(cell.at for cell in reading.cells if cell.covered)
    if not cells:
        return ()
    what = f"{len(cells)} shields seem" if len(cells) > 1 else "a shield seems"
    why = f"{what} to be covered by an object or glare; check the sheet, or photograph it again"
    return (Problem(COVERED, "warning", why, cells),)
