"""Labelled photos (samples, or confirmed readings of an event) as training examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from kdscan.errors import UsageError
from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import FLAT_PX, flatten
from kdscan.rules.duel.board import CASTLE, CELLS, COATS, COLS, ROWS, Coat
from lab.synth.fields import F64
from lab.training.dataset import UNKNOWN, WIDE_MARGIN, Example, jpeg


def load_labels(folder: Path) -> list[Example]:
    """Examples for the marks network from every `NAME.json` of a folder and the photo beside it.

    Shields missing from `seen` are `UNKNOWN`; without `seen` all are labelled. A roof of which
    nothing is said is unknown too. Raises `PhotoError` for an unreadable photo, `UsageError` for a
    missing photo or malformed ground truth.
    """
    found: list[Example] = []
    for path in sorted(folder.glob("*.json")):
        try:
            truth: Any = json.loads(path.read_text("utf-8"))
            if {"board", "pixels"} <= set(truth):
                centers, used = _centers(truth), truth.get("castle_used")
                seen = set(truth.get("seen", truth["pixels"]))
                coat = np.full(len(CELLS), UNKNOWN, np.int64)
                crosses = coat.copy()
                for index, (row, col) in enumerate(CELLS):
                    if f"{row},{col}" in seen:
                        name, count = truth["board"].get(f"{row},{col}", (None, 0))
                        coat[index] = COATS.index(Coat(name) if name else None)
                        crosses[index] = count
                photo = next(iter(load_photos(_photo_of(path))))
                flat = jpeg(flatten(photo, centers, FLAT_PX, WIDE_MARGIN))
                castle = None if used is None else bool(used)
                found.append(Example(flat, coat, crosses, castle, crossed=None))
        except (ValueError, KeyError, TypeError) as error:
            why = f"{path}: not what kdscan export --labels writes ({error}); write it again"
            raise UsageError(why) from error
    return found


def _photo_of(path: Path) -> Path:
    for suffix in (".jpg", ".jpeg", ".png", ".webp"):
        if path.with_suffix(suffix).is_file():
            return path.with_suffix(suffix)
    raise UsageError(f"{path}: there is no photo beside it; write both again")


def _centers(truth: dict[str, Any]) -> F64:
    """(5, 7, 2) photo frame; a castle without a position is placed amid its neighbours."""
    centers = np.zeros((ROWS, COLS, 2))
    for row, col in CELLS:
        centers[row, col] = truth["pixels"][f"{row},{col}"]
    row, col = CASTLE
    around = centers[[row - 1, row + 1, row, row], [col, col, col - 1, col + 1]]
    centers[CASTLE] = truth.get("castle_pixel") or around.mean(0)
    return centers
