"""Detects a shield's outline in the pattern that all cells share.

In polar coordinates around a point inside, an outline is a distance for each direction. Dynamic
programming finds the smooth closed path with the highest contrast, across gaps and past circles.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.paper.parts import Polygon
from kdscan.templates.circles import Circles
from kdscan.templates.features import energy_of
from kdscan.templates.pattern import EDGE, PATTERN_PX, Period

DIRECTIONS = 120
NEAREST, FARTHEST = 0.1, 0.62
"""Cells from the point inside to the outline."""
SEEDS = (-0.14, 0.0, 0.14)
"""Cells: x and y, relative to the cell's centre, of starting points that may lie inside a
shield."""
MIN_CONTRAST = 0.3
"""Least mean contrast along an outline, relative to the period's strongest."""
_CORNERS = 9  # pixels: width of the band along an outline in which circles are doubted
_DOUBT = 0.65  # factor of a response there
_LINE = 1.5  # pixels: blur that merges both edges of a line
_RIM = 8  # pixels around a path within which its line lies
_STEP = 5  # pixels by which the distance may change from one direction to the next
_BEND = 0.02  # contrast that a change by one pixel costs
_HALF = 0.49  # cells: shields of neighbouring cells do not overlap
_STRONG = 0.97  # quantile of the contrast that counts as the strongest

_ANGLES = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
_DIRECTIONS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1)

Paths = NDArray[np.int_]


def contrast_of(period: Period, circles: Circles) -> NDArray[np.float32]:
    """(H, W) 0..1: contrast of lines and steps at each pixel, with circles removed."""
    strength = np.sqrt(np.sum([energy_of(period[..., c]) ** 2 for c in range(EDGE)], axis=0))
    edge = np.maximum(period[..., EDGE] - np.median(period[..., EDGE]), 0)
    # Pixels around a circle's centre that its line may cover.
    axes = [round(1.3 * max(reach) + 3) for reach in zip(circles.size, circles.radii, strict=True)]
    for one in (strength, edge):
        for x, y in circles.xy.tolist():
            for at in _around(x, y):
                cv2.ellipse(one, at, axes, 0, 0, 360, (0.0,), -1)
    both = _unit(strength) * np.float32(0.6) + _unit(edge) * np.float32(0.4)
    size = both.shape[0]
    wide = cv2.GaussianBlur(np.pad(both, 16, mode="wrap"), (0, 0), _LINE)
    return np.asarray(wide[16 : 16 + size, 16 : 16 + size], np.float32)


def find_outline(contrast: NDArray[np.float32]) -> Polygon:
    """The shield's outline in cells from the period's centre; () if there is none."""
    seeds = np.array([(x, y) for y in SEEDS for x in SEEDS])
    paths, scores = _closed_paths(contrast, seeds)
    best = int(scores.argmax())
    outline = _points(seeds[best], paths[best])
    for _ in range(2):  # again from its own centroid
        middle = outline.mean(0)
        paths, scores = _closed_paths(contrast, middle[None])
        outline = _points(middle, paths[0])
    if scores[0] < MIN_CONTRAST:
        return ()
    outline = _center_on_line(contrast, middle, paths[0])
    corners = cv2.approxPolyDP(outline.astype(np.float32)[:, None], 0.006, True)
    return tuple((float(x), float(y)) for x, y in corners[:, 0])


def outline_mask(outline: Polygon) -> NDArray[np.float32]:
    """(H, W): weights of circles' responses, below 1 along a shield's outline, whose corners look
    like circles."""
    size = PATTERN_PX
    line = np.zeros((3 * size, 3 * size), np.uint8)
    if outline:
        at = np.round((np.array(outline) + 1.5) * size - 0.5).astype(np.int32)
        cv2.polylines(line, [at], True, (1,), _CORNERS)
    folded = line.reshape(3, size, 3, size).max((0, 2))
    return np.where(folded > 0, np.float32(_DOUBT), np.float32(1))


def _closed_paths(
    contrast: NDArray[np.float32], seeds_xy: NDArray[np.float64]
) -> tuple[Paths, NDArray[np.float32]]:
    """The best closed path around each seed, (N, 2) cells: distances (N, directions) in pixels
    beyond `NEAREST`, and the mean contrast along it, (N,). Dynamic programming (Viterbi)."""
    polar = _polar(contrast, seeds_xy)
    value = np.zeros((len(seeds_xy), polar.shape[2]))
    wide = np.pad(value, ((0, 0), (_STEP, _STEP)), constant_values=-1e9)
    moved = np.moveaxis(np.lib.stride_tricks.sliding_window_view(wide, 2 * _STEP + 1, 1), -1, 0)
    bends = _BEND * np.abs(np.arange(-_STEP, _STEP + 1))[:, None, None]
    options = np.empty(moved.shape)  # (moves, N, distances)
    moved_by: list[NDArray[np.int_]] = []
    for turn in range(2 * DIRECTIONS):  # twice round, so that the end meets the beginning
        wide[:, _STEP:-_STEP] = value
        np.subtract(moved, bends, out=options)
        moved_by.append(options.argmax(0) - _STEP)
        value = options.max(0) + polar[:, turn % DIRECTIONS]
    every = np.arange(len(seeds_xy))
    at = value.argmax(1)
    back = np.zeros((len(seeds_xy), 2 * DIRECTIONS), int)
    for turn in range(2 * DIRECTIONS - 1, -1, -1):
        back[:, turn] = at
        at = at + moved_by[turn][every, at]
    half = DIRECTIONS // 2
    paths = np.roll(back[:, half : half + DIRECTIONS], half, axis=1)
    along = polar[every[:, None], np.arange(DIRECTIONS), paths]
    return paths, along.mean(1)


def _center_on_line(
    contrast: NDArray[np.float32], middle: NDArray[np.float64], path: Paths
) -> NDArray[np.float64]:
    """(directions, 2): the path moved to the middle of its line, by the mean profile of the
    line."""
    polar = _polar(contrast, middle[None])[0]
    steps = np.arange(-_RIM, _RIM + 1)
    at = np.clip(path[:, None] + steps, 0, polar.shape[1] - 1)
    profile = np.median(polar[np.arange(len(path))[:, None], at], axis=0)
    weight = np.clip(profile - 0.6 * profile.max(), 0, None)
    return _points(middle, path + float((steps * weight).sum() / max(weight.sum(), 1e-6)))


def _polar(contrast: NDArray[np.float32], seeds_xy: NDArray[np.float64]) -> NDArray[np.float32]:
    """(N, directions, distances): the contrast seen from each seed, nothing beyond half a cell."""
    reach = NEAREST + np.arange(round((FARTHEST - NEAREST) * PATTERN_PX)) / PATTERN_PX
    away = _DIRECTIONS[:, None] * reach[:, None]
    at = (seeds_xy[:, None, None] + away + 0.5) * PATTERN_PX - 0.5
    size = contrast.shape[0]
    x, y = (np.asarray(at[..., i], np.float32).reshape(-1, at.shape[2]) for i in (0, 1))
    wide = np.pad(contrast, size, mode="wrap")
    seen = cv2.remap(wide, x + size, y + size, cv2.INTER_LINEAR).reshape(at.shape[:3])
    seen[:, np.abs(away).max(-1) > _HALF] = -1
    return np.asarray(seen, np.float32)


def _points(seed_xy: NDArray[np.float64], path: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(seed_xy + _DIRECTIONS * (NEAREST + path / PATTERN_PX)[:, None])


def _around(x: float, y: float) -> list[tuple[int, int]]:
    """A place of the period, and its repetitions beyond the sides."""
    beside = (-PATTERN_PX, 0, PATTERN_PX)
    return [(round(x + i), round(y + j)) for i in beside for j in beside]


def _unit(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    top = float(np.quantile(picture, _STRONG)) + 1e-6
    return np.asarray(np.minimum(picture / top, 1), np.float32)
