"""What lies over shields when they are photographed: nobody can read what is hidden.

A shield that looks covered is less sure than what was read of it: its odds fall with those that
something hides it. Where that leaves too little for the accepted risk, it is said to be covered
and asks, whatever the rest of its sheet says: the less surely it was read, the less it takes. How
this and other ways part covered photos from clean ones stands in docs/research/hold.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log

import numpy as np

from kdscan.game.grid import Cell
from kdscan.game.problem import Problem
from kdscan.records import CellReading, Reading, calibrated

COVERED = "covered"
"""Code of the problem that names shields over which something lies."""

LEAST = 0.22
"""What looks covered with less probability tells nothing."""

LIKELY = 0.5
"""An unsure shield of a sheet that asks anyway is said to be covered only from here on."""

WEIGHT = 0.75
"""Of the log odds beyond those of `LEAST`, what they take of those of a shield: networks are surer
than they should be of what they never saw."""


def doubted(reading: Reading, covered: Mapping[Cell, float], risk: float) -> Reading:
    """The reading with what lies over shields in its confidence and theirs.

    covered: how probably something hides a shield. risk: accepted probability that a total which
    asks for no review is wrong.
    """
    cells = tuple(
        _cell(one, p, risk, reading.review) if (p := covered.get((one.row, one.col))) else one
        for one in reading.cells
    )
    named = [cell.confidence for cell in cells if cell.covered]
    if not named:
        return reading
    sure = min(reading.confidence, *named)
    return replace(reading, cells=cells, confidence=sure, review=True)


def _cell(cell: CellReading, p: float, risk: float, asks: bool) -> CellReading:
    """A shield that looks covered with that probability; asks: whether its sheet does anyway."""
    if p < (LIKELY if asks and cell.confidence < 1 - risk else LEAST):
        return cell
    inside = min(p, 1 - 1e-9)
    odds = log(inside / (1 - inside)) - log(LEAST / (1 - LEAST))
    sure = calibrated(cell.confidence, np.array([1.0, -WEIGHT * odds]))
    return replace(cell, confidence=sure, covered=True, review=True) if sure < 1 - risk else cell


def problems(reading: Reading) -> tuple[Problem, ...]:
    """The problem that names what is covered; none where nothing is."""
    cells = tuple((cell.row, cell.col) for cell in reading.cells if cell.covered)
    if not cells:
        return ()
    what = f"{len(cells)} shields seem" if len(cells) > 1 else "a shield seems"
    why = f"{what} to be covered, by a thing or a glare; look at the sheet, or photograph it again"
    return (Problem(COVERED, "warning", why, cells),)
