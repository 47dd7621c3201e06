"""Recorded pen paths: only complete, unmistakable marks are kept; they are drawn like others."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lab.synth.hands.preferences import StrokeBank


def stroke(*points: tuple[float, float]) -> list[float]:
    """A path with points between the given ones, flat as in the files."""
    dense = [np.linspace(a, b, 8) for a, b in pairwise(points)]
    return [float(v) for v in np.concatenate(dense).ravel()]


def row(label: str, *strokes: list[float], writer: str = "w", y_up: bool = False) -> str:
    return json.dumps({"writer": writer, "label": label, "y_up": y_up, "strokes": strokes})


def bank(folder: Path, *rows: str) -> StrokeBank:
    with gzip.open(folder / "marks.jsonl.gz", "wt", encoding="utf-8") as out:
        out.write("\n".join(rows))
    return StrokeBank.load(folder)


FALLING, RISING = stroke((0, 0), (10, 10)), stroke((0, 10), (10, 0))


def test_a_cross_needs_two_straight_strokes_that_meet(tmp_path: Path) -> None:
    beside = stroke((40, 10), (50, 0))
    bent = stroke((0, 10), (9, 9), (10, 0))
    marks = bank(
        tmp_path,
        row("x", FALLING, RISING),
        row("x", FALLING),
        row("x", FALLING, beside),
        row("x", FALLING, bent),
    ).marks
    assert len(marks["cross"]) == 1
    assert np.allclose(marks["cross"][0][0][0], (-1, -1))
    assert not marks["plus"]


def test_a_folder_without_strokes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="strokes"):
        StrokeBank.load(tmp_path)
