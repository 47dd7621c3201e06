"""Ink from a known print: the photo divided by the print, light taken out (form dropout)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.records import COLS, ROWS, Ink
from kdscan.records.arrays import median, quantile

_DARK = 8.0  # grey levels added before dividing: noise in the dark is no ink
_LIGHT_STEP = 8  # pixels that share one value of the light
_LIGHT_NEAR = 6.0  # steps: light changes over more than a third of a cell
_LIGHT_OFF = 0.06  # relative difference from the light nearby that halves a place's say
_SLIP = 3  # pixels, side of the window within which outlines may slip

LEAST_INK = 13.5
"""CIELAB units: what differs less is surely no full stroke, however pale the sheet's pen."""
FULL_QUANTILE, FULL_SHARE = 0.985, 0.75
"""A sheet's own pen decides how dark drawn is: this share of that quantile of all differences."""
_TINT_QUANTILE, _TINT = 0.7, 0.06  # of a cell's places, by lightness; least darkening that is one
_TONE_BIN, _TONE_LEAST = 12, 150  # grey levels that share a correction; pixels that tell it
_TONE_BINS = 256 // _TONE_BIN  # whole ones
_TONE_QUANTILE = 0.65  # ink darkens: above the median of what has one level less of it is ink
_LIGHTNESS = np.float32(100 / 255)  # of 8 bits' L that is a unit
_FLOOR = 1.6  # times the median difference, which is noise

Bgr = NDArray[np.uint8]
Plane = NDArray[np.float32]


def divide(photo: Bgr, known: Bgr, coverage: Plane) -> Ink:
    """What differs from the print in colour, as ink.

    photo, known: (H, W, 3) uint8 in the same place. coverage: see `Ink.known`.
    """
    bare = tinted(photo, toned(photo, relit(photo, known)))
    seen, print_ = _soft(photo), _soft(bare)
    apart = _distance(seen, print_)
    apart[_lightened(seen, print_)] = 0
    sample = apart[::2, ::2].ravel()
    full = max(quantile(sample, FULL_QUANTILE)[0] * FULL_SHARE, LEAST_INK)
    floor = min(float(median(sample)) * _FLOOR + 1, full / 2)
    probability = np.clip((apart - floor) / (full - floor), 0, 1).astype(np.float32)
    return Ink(probability, pen_of(photo, bare, probability), coverage)


def pen_of(photo: Bgr, bare: Bgr, probability: Plane) -> tuple[float, float, float]:
    """What the pen leaves of the light, 0..1 for blue, green, red; 0 where nothing was drawn."""
    drawn = probability[::4, ::4] > 0.8
    if not drawn.any():
        return (0.0, 0.0, 0.0)
    seen, paper = (v[::4, ::4][drawn].astype(np.float32) + _DARK for v in (photo, bare))
    b, g, r = (float(v) for v in np.clip(median(seen / paper), 0, 1))
    return b, g, r


def relit(photo: Bgr, known: Bgr) -> Bgr:
    """The print as it would look under the photo's light, were nothing drawn: (H, W, 3) uint8.

    photo, known: (H, W, 3) uint8 in the same place.
    """
    return under_light(known, log_light(photo, known))


def under_light(bgr: Bgr, light: Plane) -> Bgr:
    """A picture under another light, see `log_light`."""
    lit = np.add(bgr, np.float32(_DARK), dtype=np.float32)
    lit *= cv2.resize(np.exp(light), bgr.shape[1::-1])
    lit -= _DARK
    return np.asarray(np.clip(lit, 0, 255, out=lit), np.uint8)


def toned(photo: Bgr, bare: Bgr) -> Bgr:
    """The bare print with the photo's tone curve: what a camera makes of white and of saturated
    colours differs between two photos by more than light.

    For each channel and each level of the print what the photo mostly shows there, a little above
    the median because ink darkens.

    photo, bare: (H, W, 3) uint8 in the same place, under the same light.
    """
    seen, print_ = photo[::3, ::3], bare[::3, ::3]
    curves = np.empty((256, 1, 3), np.uint8)
    levels = np.arange(256)
    for channel in range(3):
        both = [np.ascontiguousarray(v[..., channel]) for v in (print_, seen)]
        ends = [0, _TONE_BINS * _TONE_BIN, 0, 256]
        shown = cv2.calcHist(both, [0, 1], None, [_TONE_BINS, 256], ends)
        at, by = [], []
        for i, counts in enumerate(shown):
            if counts.sum() >= _TONE_LEAST:
                middle = (i + 0.5) * _TONE_BIN
                at.append(middle)
                by.append(_counted_quantile(counts, _TONE_QUANTILE) - middle)
        change = np.interp(levels, at, by) if at else np.zeros(256)
        curves[:, 0, channel] = np.clip(np.round(levels + change), 0, 255)
    return np.asarray(cv2.LUT(bare, curves), np.uint8)


def _counted_quantile(counts: Plane, share: float) -> float:
    """What such a share lies below of whole numbers from 0, each there so many times."""
    upto = np.cumsum(counts)
    at = share * (upto[-1] - 1)
    low, high = np.searchsorted(upto, (int(at), int(at) + 1), side="right")
    return float(low + (at - int(at)) * (min(high, len(counts) - 1) - low))


def tinted(photo: Bgr, bare: Bgr) -> Bgr:
    """The bare print with the cells tinted that players coloured in, to see domains or for fun.

    A coat covers less than half of a cell; what lies over all of it is no coat.
    photo, bare: (H, W, 3) uint8 as `RectifiedSheet.bgr` lies.
    """
    ratio = _log_ratio(photo, bare)
    side, rim = FLAT_PX // _LIGHT_STEP, round(FLAT_MARGIN * FLAT_PX) // _LIGHT_STEP
    cells = ratio[rim : rim + ROWS * side, rim : rim + COLS * side]
    cells = cells.reshape(ROWS, side, COLS, side, 3).transpose(0, 2, 4, 1, 3)
    places = cells.reshape(ROWS, COLS, 3, side * side)
    at = _TINT_QUANTILE * (side * side - 1)
    low, part = int(at), at - int(at)
    sorted_ = np.partition(places, (low, low + 1), axis=-1)
    over = (1 - part) * sorted_[..., low] + part * sorted_[..., low + 1]
    over -= median(over.reshape(-1, 3))
    over[(over.min(-1) > -_TINT)] = 0
    out = bare.copy()
    for row, col in np.argwhere(over.any(-1)):
        y, x = (i * FLAT_PX + rim * _LIGHT_STEP for i in (row, col))
        cell = out[y : y + FLAT_PX, x : x + FLAT_PX]
        cell[:] = np.clip((cell + np.float32(_DARK)) * np.exp(over[row, col]) - _DARK, 0, 255)
    return out


def _log_ratio(photo: Bgr, known: Bgr) -> Plane:
    """Logarithm of photo over print, an eighth as fine: (H / 8, W / 8, 3)."""
    scale = 1 / _LIGHT_STEP
    seen, print_ = (
        np.asarray(
            cv2.resize(v, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32
        )
        for v in (photo, known)
    )
    return np.asarray(np.log((seen + _DARK) / (print_ + _DARK)), np.float32)


def log_light(photo: Bgr, known: Bgr, clear: Plane | None = None) -> Plane:
    """(H / 8, W / 8, 3): logarithm of what photo over print has in common nearby, whatever was
    drawn; robust mean.

    clear: (H, W) 0..1, how much each place counts; all alike where it is left out.
    """
    ratio = _log_ratio(photo, known)
    size = ratio.shape[1::-1]
    given = np.ones(ratio.shape[:2], np.float32) if clear is None else np.asarray(
        cv2.resize(clear, size, interpolation=cv2.INTER_AREA), np.float32)  # fmt: skip
    weight = given
    for _ in range(4):
        spread = _near(weight)[..., None] + 1e-6
        light = _near(ratio * weight[..., None]) / spread
        off = (ratio - light).mean(-1)
        # Ink darkens: what is darker than its surroundings has half the say of what is lighter.
        off = np.where(off < 0, 2 * off, off) / _LIGHT_OFF
        weight = (given / (1 + off * off)).astype(np.float32)
    return np.asarray(light, np.float32)


def _near(values: Plane) -> Plane:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), _LIGHT_NEAR), np.float32)


def colour_distance(photo: Bgr, bare: Bgr) -> Plane:
    """(H, W) float32: how far the photo's colour lies outside of what the bare print has within a
    pixel, in units of CIELAB.

    Ink is a distance in colour, not a darkness: pencil on saturated blue is lighter in red.
    photo, bare: (H, W, 3) uint8 in the same place, under the same light.
    """
    return _distance(_soft(photo), _soft(bare))


def _distance(seen: Bgr, bare: Bgr) -> Plane:
    """`colour_distance` of pictures that are soft already."""
    photo, print_ = _lab(seen), _lab(bare)
    window = np.ones((_SLIP, _SLIP), np.uint8)
    below = cv2.subtract(cv2.erode(print_, window), photo)  # saturates at 0
    above = cv2.subtract(photo, cv2.dilate(print_, window))
    light, a, b = cv2.split(cv2.max(below, above))
    squares = np.zeros(light.shape, np.float32)
    cv2.accumulateSquare(light, squares)
    squares *= _LIGHTNESS**2
    for colour in (a, b):
        cv2.accumulateSquare(colour, squares)
    return np.asarray(cv2.sqrt(squares), np.float32)


def _lightened(seen: Bgr, bare: Bgr) -> NDArray[np.bool_]:
    """(H, W): where the photo is lighter than the bare print within a pixel in blue, green and red.
    No pen lightens all three; a print that others' ink was taken for does, where there is none.

    seen, bare: soft pictures.
    """
    over = cv2.subtract(seen, cv2.dilate(bare, np.ones((_SLIP, _SLIP), np.uint8)))
    b, g, r = cv2.split(over)
    return np.asarray(cv2.min(cv2.min(b, g), r) > 0, np.bool_)


def _soft(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 0.7), np.uint8)


def _lab(bgr: Bgr) -> Bgr:
    """CIELAB in 8 bits, which takes a third of the time; off by 0.3 units, where noise has 2.5."""
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2LAB), np.uint8)
