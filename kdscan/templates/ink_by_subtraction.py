"""Ink on a sheet of a known template: the photo compared with the template under the photo's light
(form dropout)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import median, quantile
from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX, Bgr, Ink, Plane
from kdscan.rules.duel.board import COLS, ROWS

_DARK = 8.0  # grey levels added before dividing, so that noise in dark areas does not become ink
_LIGHT_STEP = 8  # pixels per pixel of the light map
_LIGHT_NEAR = 6.0  # sigma in light-map pixels: light changes over more than a third of a cell
_LIGHT_OUTLIER = 0.06  # relative difference from the light nearby that halves a pixel's weight
_SLIP = 3  # pixels, side of the window that tolerates misregistered edges

LEAST_INK = 13.5
"""CIELAB units: least difference of a full stroke, however pale the sheet's pen."""
FULL_QUANTILE, FULL_SHARE = 0.985, 0.75
"""A full stroke is relative to the sheet's own pen: the second number times this quantile of all
differences."""
_TINT_QUANTILE, _TINT = 0.7, 0.06  # of a cell's pixels by lightness; least log darkening of a tint
_TONE_BIN, _TONE_LEAST = 12, 150  # grey levels per bin of the tone curve; least pixels in a bin
_TONE_BINS = 256 // _TONE_BIN  # complete ones
_TONE_QUANTILE = 0.65  # above the median, because ink darkens some of the pixels
_LIGHTNESS = np.float32(100 / 255)  # CIELAB units per level of L in 8 bits
_NOISE_FLOOR = 1.6  # as a multiple of the median difference


def ink_by_subtraction(photo: Bgr, blank: Bgr) -> Ink:
    """Ink from the colour difference between a rectified photo and its registered print.

    photo, blank: (H, W, 3) uint8 BGR.
    """
    bare = match_tint(photo, match_tone(photo, relight(photo, blank)))
    seen, blank = _smooth(photo), _smooth(bare)
    distance = _distance(seen, blank)
    distance[_lightened(seen, blank)] = 0
    sample = distance[::2, ::2].ravel()
    full = max(quantile(sample, FULL_QUANTILE)[0] * FULL_SHARE, LEAST_INK)
    floor = min(float(median(sample)) * _NOISE_FLOOR + 1, full / 2)
    probability = np.clip((distance - floor) / (full - floor), 0, 1).astype(np.float32)
    return Ink(probability, pen_of(photo, bare, probability))


def pen_of(photo: Bgr, bare: Bgr, probability: Plane) -> tuple[float, float, float]:
    """The pen's transmittance, 0..1 for blue, green, red: median ratio of photo to bare print where
    ink is probable; zeros if nothing was drawn.

    photo, bare: (H, W, 3) uint8 BGR, registered, under the same light. probability: (H, W) 0..1.
    """
    drawn = probability[::4, ::4] > 0.8
    if not drawn.any():
        return (0.0, 0.0, 0.0)
    seen, paper = (v[::4, ::4][drawn].astype(np.float32) + _DARK for v in (photo, bare))
    b, g, r = (float(v) for v in np.clip(median(seen / paper), 0, 1))
    return b, g, r


def relight(photo: Bgr, blank: Bgr) -> Bgr:
    """The print (H, W, 3) uint8 as it would look under the photo's light without anything drawn.

    photo, blank: (H, W, 3) uint8 BGR, registered.
    """
    return apply_light(blank, log_light(photo, blank))


def apply_light(bgr: Bgr, light: Plane) -> Bgr:
    """A picture (H, W, 3) uint8 multiplied by a light map, see `log_light`."""
    lit = np.add(bgr, np.float32(_DARK), dtype=np.float32)
    lit *= cv2.resize(np.exp(light), bgr.shape[1::-1])
    lit -= _DARK
    return np.asarray(np.clip(lit, 0, 255, out=lit), np.uint8)


def match_tone(photo: Bgr, bare: Bgr) -> Bgr:
    """The bare print with the photo's tone curve: cameras render white and saturated colours
    differently even under the same light.

    Each channel's curve maps a level of the print to a quantile of the photo's levels there, a
    little above the median because ink darkens.

    photo, bare: (H, W, 3) uint8 BGR, registered, under the same light.
    """
    seen, blank = photo[::3, ::3], bare[::3, ::3]
    curves = np.empty((256, 1, 3), np.uint8)
    levels = np.arange(256)
    for channel in range(3):
        both = [np.ascontiguousarray(v[..., channel]) for v in (blank, seen)]
        ends = [0, _TONE_BINS * _TONE_BIN, 0, 256]
        histogram = cv2.calcHist(both, [0, 1], None, [_TONE_BINS, 256], ends)
        at, by = [], []
        for i, counts in enumerate(histogram):
            if counts.sum() >= _TONE_LEAST:
                middle = (i + 0.5) * _TONE_BIN
                at.append(middle)
                upto = np.cumsum(counts)
                place = _TONE_QUANTILE * (upto[-1] - 1)
                low, high = np.searchsorted(upto, (int(place), int(place) + 1), side="right")
                level = low + (place - int(place)) * (min(high, len(counts) - 1) - low)
                by.append(float(level) - middle)
        change = np.interp(levels, at, by) if at else np.zeros(256)
        curves[:, 0, channel] = np.clip(np.round(levels + change), 0, 255)
    return np.asarray(cv2.LUT(bare, curves), np.uint8)


def match_tint(photo: Bgr, bare: Bgr) -> Bgr:
    """The bare print with those cells tinted that players coloured in, to mark domains or for fun.

    A coat covers less than half of a cell; colour over most of it is no coat.
    photo, bare: (H, W, 3) uint8 BGR in the frame of `RectifiedSheet.bgr`.
    """
    ratio = _log_ratio(photo, bare)
    side, margin = FLAT_PX // _LIGHT_STEP, round(FLAT_MARGIN * FLAT_PX) // _LIGHT_STEP
    cells = ratio[margin : margin + ROWS * side, margin : margin + COLS * side]
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
        y, x = (i * FLAT_PX + margin * _LIGHT_STEP for i in (row, col))
        cell = out[y : y + FLAT_PX, x : x + FLAT_PX]
        cell[:] = np.clip((cell + np.float32(_DARK)) * np.exp(over[row, col]) - _DARK, 0, 255)
    return out


def _log_ratio(photo: Bgr, blank: Bgr) -> Plane:
    """(H / 8, W / 8, 3) float32: logarithm of photo over print, averaged over 8 × 8 pixels."""
    scale = 1 / _LIGHT_STEP
    shown, printed = (
        np.asarray(
            cv2.resize(v, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32
        )
        for v in (photo, blank)
    )
    return np.asarray(np.log((shown + _DARK) / (printed + _DARK)), np.float32)


def log_light(photo: Bgr, blank: Bgr, clear: Plane | None = None) -> Plane:
    """(H / 8, W / 8, 3) float32: smooth log ratio of photo to print, by a robust local mean that
    ignores ink.

    clear: (H, W) 0..1, weight of each pixel; uniform by default.
    """
    ratio = _log_ratio(photo, blank)
    size = ratio.shape[1::-1]
    prior = np.ones(ratio.shape[:2], np.float32)
    if clear is not None:
        prior = np.asarray(cv2.resize(clear, size, interpolation=cv2.INTER_AREA), np.float32)
    weight = prior
    for _ in range(4):
        spread = _blur_light(weight)[..., None] + 1e-6
        light = _blur_light(ratio * weight[..., None]) / spread
        residual = (ratio - light).mean(-1)
        # Ink darkens: negative residuals count double.
        outlier = np.where(residual < 0, 2 * residual, residual) / _LIGHT_OUTLIER
        weight = (prior / (1 + outlier * outlier)).astype(np.float32)
    return np.asarray(light, np.float32)


def _blur_light(values: Plane) -> Plane:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), _LIGHT_NEAR), np.float32)


def colour_distance(photo: Bgr, bare: Bgr) -> Plane:
    """(H, W) float32: CIELAB distance of the photo's colour from the range of the bare print's
    colours within a pixel.

    Ink is a distance in colour, not a darkness: pencil on saturated blue is lighter in red.
    photo, bare: (H, W, 3) uint8 BGR, registered, under the same light.
    """
    return _distance(_smooth(photo), _smooth(bare))


def _distance(seen: Bgr, bare: Bgr) -> Plane:
    """`colour_distance` of pictures that are smoothed already."""
    photo, blank = _lab(seen), _lab(bare)
    window = np.ones((_SLIP, _SLIP), np.uint8)
    below = cv2.subtract(cv2.erode(blank, window), photo)  # saturates at 0
    above = cv2.subtract(photo, cv2.dilate(blank, window))
    light, a, b = cv2.split(cv2.max(below, above))
    squares = np.zeros(light.shape, np.float32)
    cv2.accumulateSquare(light, squares)
    squares *= _LIGHTNESS**2
    for colour in (a, b):
        cv2.accumulateSquare(colour, squares)
    return np.asarray(cv2.sqrt(squares), np.float32)


def _lightened(seen: Bgr, bare: Bgr) -> NDArray[np.bool_]:
    """(H, W): where the photo is lighter in all channels than the bare print within a pixel. No pen
    does that; it happens where a learned print contains other people's ink.

    seen, bare: smoothed pictures.
    """
    over = cv2.subtract(seen, cv2.dilate(bare, np.ones((_SLIP, _SLIP), np.uint8)))
    b, g, r = cv2.split(over)
    return np.asarray(cv2.min(cv2.min(b, g), r) > 0, np.bool_)


def _smooth(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 0.7), np.uint8)


def _lab(bgr: Bgr) -> Bgr:
    """CIELAB in 8 bits: a third of the time, at an error of 0.3 units where noise has 2.5."""
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2LAB), np.uint8)
