"""Detects the lines between cells in the pattern that all cells share.

A line is a ridge across the whole period, unlike a shield's side or a row of circles.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.templates.pattern import EDGE, PATTERN_PX, Period, peak_offset

WIDTHS = (1.5, 3.0)
"""Pixels: standard deviations of the ridge filters."""
REACH = 0.32
"""Cells by which the lattice may be off its lines."""
MIN_STRENGTH = 7.0
"""Least height of a line's peak in the profile, relative to the typical value."""
_LOW = 0.08  # share of a line that may be covered by other things
_LOW_TWIN = 0.2  # the same for one of two lines, on which circles may lie
_ALONG = 0.06  # cells within which dashes and dots merge
_BOXED = 0.1  # cells: largest distance between the two lines of neighbouring boxes
_SLACK = 0.012  # cells beyond the other line of two that are searched as well
_SIDES = 0.12  # cells on both sides of a border that are compared
_TURNED = 0.5  # weight of differences between both sides against what they share
_PAD = 40  # pixels of padding around the period
_TWIN = 0.5  # least height of the weaker line of two, relative to the stronger
_CROSSING = 0.06  # cells around a crossing in which no circle has its centre
_FLOOR = 0.01  # contrast below which there is no line
_USUAL_OFF = 0.2  # cells: standard deviation of the lattice's offset
_OVER = 1.3  # least height relative to the highest peak elsewhere


@dataclass(frozen=True)
class Line:
    """A line between cells.

    at: cells by which the lattice is off the lines of one axis. printed: share of its length.
    boxed: cells between the lines of two boxes, 0 for a single line.
    """

    at: float
    printed: float
    boxed: float


def find_line(mean: Period, median: Period, reach: float = REACH) -> Line | None:
    """The line between columns, at most `reach` cells off, or None. For rows transpose the
    periods."""
    ridges = []
    for period in (median, mean):
        for channel in range(period.shape[2]):
            for width in WIDTHS:
                ridge = _ridge(period[..., channel], width)
                ridge = ridge / (1.5 * np.median(np.abs(ridge)) + _FLOOR)
                ridges += [ridge, -ridge] if channel != EDGE else [ridge]
    stack = np.stack(ridges)
    profiles = np.maximum(np.quantile(stack, _LOW, axis=1), 0)
    profile = np.sqrt((profiles**2).sum(0))
    at = _peak(profile, reach)
    if at is None:
        return None
    alike = profiles[:, at] > 0  # of the same sign: an opposite, weaker line lies beside it
    shown = np.maximum(np.quantile(stack[alike], _LOW_TWIN, axis=1), 0)
    place, boxed = _boxes(np.sqrt((shown**2).sum(0)), at)
    if boxed:
        place = _mirror(median, at, boxed + _SLACK)
    along = stack[int(profiles[:, at].argmax()), :, at]
    printed = float(np.mean(along > 0.5 * np.quantile(along, 0.9)))
    off = ((place + 0.5) / PATTERN_PX + 0.5) % 1 - 0.5
    return Line(off, printed, boxed)


def without_lines(period: Period, columns: Line | None, rows: Line | None) -> Period:
    """A period with its lines removed."""
    left = period.copy()
    half = round(0.045 * PATTERN_PX)
    for axis, line in ((1, columns), (0, rows)):
        if line is None:
            continue
        wide = half + round(line.boxed / 2 * PATTERN_PX)
        at = _line_px(line) + np.arange(-wide, wide + 1)
        along = np.moveaxis(left, axis, 0)
        inside = along[at % PATTERN_PX]
        rim = (along[(at[0] - 2) % PATTERN_PX] + along[(at[-1] + 2) % PATTERN_PX]) / 2
        typical = np.median(inside, axis=1, keepdims=True) - np.median(rim, axis=0)
        along[at % PATTERN_PX] = inside - typical
    if columns is not None and rows is not None:
        around, rim = np.arange(-half, half + 1), np.array([-half - 2, half + 2])
        left[_crossing(columns, rows, around)] = left[_crossing(columns, rows, rim)].mean((0, 1))
    return left


def off_crossing(columns: Line | None, rows: Line | None) -> NDArray[np.float32]:
    """(H, W): 0 where lines cross, which looks like a circle, 1 elsewhere."""
    free = np.ones((PATTERN_PX, PATTERN_PX), np.float32)
    if columns is not None and rows is not None:
        half = round(_CROSSING * PATTERN_PX)
        free[_crossing(columns, rows, np.arange(-half, half + 1))] = 0
    return free


def _crossing(columns: Line, rows: Line, away: NDArray[np.int_]) -> tuple[NDArray[np.int_], ...]:
    """Index of the pixels that lie so far from a crossing in both directions."""
    y, x = ((_line_px(line) + away) % PATTERN_PX for line in (rows, columns))
    return np.ix_(y, x)


def _line_px(line: Line) -> int:
    return round(line.at * PATTERN_PX - 0.5) % PATTERN_PX


def _ridge(channel: NDArray[np.float32], width: float) -> NDArray[np.float32]:
    """(H, W): how much lighter each place is than its sides along x, blurred along y."""
    wide = np.pad(channel, 24, mode="wrap")
    smooth = cv2.GaussianBlur(wide, (0, 0), width, sigmaY=_ALONG * PATTERN_PX)
    smooth = (
        2 * smooth - np.roll(smooth, round(2 * width), 1) - np.roll(smooth, -round(2 * width), 1)
    )
    return smooth[24:-24, 24:-24]


def _peak(profile: NDArray[np.float64], reach: float) -> int | None:
    """The line's position in pixels; None without a clear peak."""
    size = len(profile)
    most = round(reach * size)
    steps = np.arange(-most, most + 1)  # the line is the left side of the period
    likely = profile[steps % size] * np.exp(-((steps / size / _USUAL_OFF) ** 2) / 2)
    at = int(steps[likely.argmax()]) % size
    away = np.abs(np.arange(size) - at)
    elsewhere = profile[np.minimum(away, size - away) > 0.12 * size].max()
    return at if profile[at] > max(MIN_STRENGTH, _OVER * elsewhere) else None


def _mirror(median: Period, at: int, reach: float) -> float:
    """The axis of symmetry near a line, in pixels, at most `reach` cells away: the print is
    symmetrical where two cells meet, whether there is one line, two, or a gap between boxes."""
    wide = np.pad(median[..., :EDGE], ((0, 0), (_PAD, _PAD), (0, 0)), mode="wrap")
    along = np.median(wide, axis=0).T.astype(np.float64)
    change = np.gradient(cv2.GaussianBlur(along, (0, 1), 1.0), axis=1)
    away = np.arange(0.5, _SIDES * PATTERN_PX, 0.5)
    steps = np.arange(-reach * PATTERN_PX, reach * PATTERN_PX + 0.1, 0.25)
    every = np.arange(change.shape[1])
    alike = np.empty(len(steps))
    for n, step in enumerate(steps):
        centre = _PAD + at + step
        right, left = (
            np.stack([np.interp(centre + side * away, every, c) for c in change])
            for side in (1, -1)
        )
        alike[n] = -2 * (right * left).sum() - _TURNED * ((right + left) ** 2).sum()
    best = int(np.argmax(alike))
    inner = 0 < best < len(steps) - 1
    return at + float(steps[best] + 0.25 * (peak_offset(alike, best) if inner else 0.0))


def _boxes(profile: NDArray[np.float64], at: int) -> tuple[float, float]:
    """The middle of the line at a place in pixels, or of the two lines of neighbouring boxes there,
    and the distance between those in cells."""
    size = len(profile)
    reach = round(_BOXED * size)
    place = at + peak_offset(profile, at)
    twins = [
        i
        for i in range(at - reach, at + reach + 1)
        if abs(i - at) > 4
        and profile[i % size] > _TWIN * profile[at]
        and profile[i % size] >= max(profile[(i - 1) % size], profile[(i + 1) % size])
    ]
    if not twins:
        return place, 0.0
    twin = max(twins, key=lambda i: float(profile[i % size]))
    return (place + twin + peak_offset(profile, twin)) / 2, abs(twin - at) / size
