"""How far the reader may be believed, fitted on whole photos that no network was trained on.

Probabilities of the networks hold for crops like those they learned from. What a user
relies on is another question: is this total right? So the log odds of the total, and of
the grid's place, each get a slope and an offset (Platt 1999), fitted to what came true
on synthetic photos of other designs, other hands, played boards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kdscan.errors import KdscanError
from kdscan.inference.store import Models
from kdscan.pipeline import read_photo
from kdscan.records import CELLS, SheetReading
from kdscan.vision.photo import load_photos

Floats = NDArray[np.float64]

NEAR = 0.25
"""Cells by which a centre may be off and still be in place."""

CAUTION = 4.0
"""Photos' worth of belief that probabilities are right as they are; keeps the fit tame."""


@dataclass(frozen=True)
class Outcome:
    """What was said of one photo, and what came true."""

    said_total: float
    said_placed: float
    right: bool
    placed: bool


def outcomes(folder: Path, models: Models) -> Iterator[Outcome]:
    """Read every photo of a folder that has its truth beside it; those with one map found."""
    for path in sorted(folder.glob("*.jpg")):
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        try:
            sheets = read_photo(next(iter(load_photos(path))), models)
        except KdscanError:
            continue
        if len(sheets) == 1 and isinstance(sheets[0], SheetReading):
            sheet = sheets[0]
            right = sheet.score.domain_points == truth["score"]
            said = sheet.reading.confidence / max(sheet.probs.placed, 1e-9)
            yield Outcome(min(said, 1.0), sheet.probs.placed, right, _in_place(sheet, truth))


def _in_place(sheet: SheetReading, truth: dict[str, dict[str, tuple[float, float]]]) -> bool:
    true = np.array([truth["pixels"][f"{r},{c}"] for r, c in CELLS])
    found = np.array([sheet.rectified.centers_xy[r, c] for r, c in CELLS])
    pitch = float(np.linalg.norm(true[0] - true[6])) / 6
    return bool(np.all(np.linalg.norm(true - found, axis=1) < NEAR * pitch))


def fit_trust(said: Floats, true: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset of the log odds with the highest likelihood of what came true.

    said: (N,) probabilities. true: (N,) whether it came true.
    """
    odds = np.log(np.clip(said, 1e-6, 1 - 1e-6)) - np.log1p(-np.clip(said, 1e-6, 1 - 1e-6))

    seen = np.stack([odds, np.ones_like(odds)], 1)
    start = np.array([1.0, 0.0])
    fit = start.copy()
    for _ in range(50):  # Newton's steps; the loss is convex
        p = 1 / (1 + np.exp(-seen @ fit))
        slope = seen.T @ (p - true) + CAUTION * (fit - start)
        bend = (seen * (p * (1 - p))[:, None]).T @ seen + CAUTION * np.eye(2)
        fit = fit - np.linalg.solve(bend, slope)
    return round(float(fit[0]), 4), round(float(fit[1]), 4)


def calibrate(folder: Path, models_folder: Path) -> dict[str, object]:
    """Fit both trusts on a folder of photos and write them into the models' manifest."""
    path = models_folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest.pop("trust", None)
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    seen = list(outcomes(folder, Models(models_folder)))
    placed = np.array([o.placed for o in seen])
    inside = [o for o in seen if o.placed]
    trust: dict[str, object] = {
        "placed": fit_trust(np.array([o.said_placed for o in seen]), placed),
        "total": fit_trust(
            np.array([o.said_total for o in inside]), np.array([o.right for o in inside])
        ),
        "photos": len(seen),
    }
    path.write_text(json.dumps(manifest | {"trust": trust}, indent=1) + "\n", "utf-8")
    return trust
