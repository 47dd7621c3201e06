"""Recorded pen paths: only complete, unmistakable marks are kept; they are drawn like others."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lab.synth.hands.bank import StrokeBank


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


def test_crosses_are_steep_and_y_points_down(tmp_path: Path) -> None:
    rising_little = stroke((0, 0), (10, 3))
    falling_little = stroke((0, 3), (10, 0))
    flat = bank(tmp_path, row("x", rising_little, falling_little)).marks
    assert not flat["cross"]  # at a flat angle: no cross
    up = bank(tmp_path, row("+", stroke((0, 0), (10, 10)), RISING, y_up=True)).marks
    assert np.allclose(up["plus"][0][0][0], (-1, 1))


def test_lines_lie_along_the_x_axis(tmp_path: Path) -> None:
    marks = bank(tmp_path, row("/", RISING), row("l", stroke((0, 0), (0, 9), (4, 9)))).marks
    (line,) = marks["line"]
    assert np.allclose(line[0][[0, -1]], ((-1, 0), (1, 0)), atol=1e-9)


def test_a_ring_is_closed(tmp_path: Path) -> None:
    around = np.linspace(0, 2 * np.pi, 40)
    ring = np.stack((np.cos(around), np.sin(around)), axis=1)
    marks = bank(
        tmp_path, row("o", ring.ravel().tolist()), row("o", ring[:25].ravel().tolist())
    ).marks
    assert len(marks["ring"]) == 1


def test_a_scribble_fills_its_box(tmp_path: Path) -> None:
    zigzag = [(x, y) for i, x in enumerate(np.linspace(0, 20, 25)) for y in ((0, 20)[i % 2],)]
    frame = stroke((0, 0), (20, 0), (20, 20), (0, 20), (0, 0))
    marks = bank(tmp_path, row("scribble", stroke(*zigzag)), row("scribble", frame)).marks
    assert len(marks["scribble"]) == 1


def test_the_same_writer_comes_back(tmp_path: Path) -> None:
    rows = [row("x", FALLING, RISING, writer=f"w{i:03}") for i in range(200)]
    loaded = bank(tmp_path, *rows)
    order = [id(mark) for mark in loaded.marks["cross"]]
    rng = np.random.default_rng(1)
    near = [order.index(id(loaded.pick("cross", 0.5, rng))) for _ in range(100)]
    assert sum(80 < i < 120 for i in near) > 70
    assert loaded.pick("ring", 0.5, rng) is None


def test_a_folder_without_strokes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="strokes"):
        StrokeBank.load(tmp_path)


def test_two_lines_lie_beside_each_other_one_apart(tmp_path: Path) -> None:
    upper, lower = stroke((0, 0), (10, 1)), stroke((1, 4), (10, 5))
    back = stroke((10, 5), (1, 4))
    meeting = stroke((0, 3), (10, 0))
    marks = bank(
        tmp_path,
        row("=", upper, lower),
        row("=", upper, back),
        row("=", lower, upper),
        row("=", upper, meeting),
        row("=", upper),
    ).marks
    assert len(marks["lines"]) == 3
    for over, under in marks["lines"]:
        assert np.isclose(under[:, 1].mean() - over[:, 1].mean(), 1.0, atol=0.2)
        assert np.ptp(over[:, 0]) == pytest.approx(2.0, abs=0.3)


def test_a_cross_in_one_stroke_and_a_wave(tmp_path: Path) -> None:
    once = stroke((0, 0), (10, 10), (10, 0), (0, 10))
    wave = stroke((0, 5), (3, 4), (7, 6), (10, 5))
    marks = bank(
        tmp_path, row("x", once), row("x", FALLING), row("~", wave), row("~", RISING)
    ).marks
    assert len(marks["looped"]) == 1
    assert len(marks["wave"]) == 1
    assert np.ptp(marks["wave"][0][0][:, 0]) == pytest.approx(2.0, abs=0.1)
