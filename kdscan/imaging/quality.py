"""What is wrong with a picture of a sheet: blank or seen through the paper, without greys, blurred.

A scanner's feeder scans both sides of every sheet. The back is blank, or the front shows through,
mirrored and pale; a map that shows through must not be read. In the text mode of scanners and of
scanning apps, pencil and pale pens are lost. If the threshold between black and white follows the
paper's illumination, as in most apps, a filled shield becomes hollow and looks empty.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import quantile
from kdscan.imaging.picture import (
    FLAT_PX,
    Floats,
    Photo,
    RectifiedSheet,
    at_most,
    finest_decoded,
    level,
)

FAINT = 0.15
"""Least share of the paper's light that ink absorbs. Print that shows through thin office paper
absorbs a tenth; in 120 synthetic photos the darkest hundredth of a map, print included, absorbed at
least 0.23 and in the median 0.74."""

SPECKS = 6e-4
"""Largest share of a blank page that dust, creases and staple marks darken."""

EDGE = 0.08
"""Share of a page, on each side, that is ignored: feeders leave shadows there and punches holes."""

_PAGE_PX = 1200  # longer side at which pages are examined: about 100 dpi for A4
_DARKEST_PAPER = 140  # grey level: a scanned page is brighter; anything darker is a table


def darkness(bgr: NDArray[np.uint8], paper_px: float) -> NDArray[np.float32]:
    """(H, W) float32, 0..1: share of the light absorbed, relative to the paper nearby.

    bgr: (H, W, 3) uint8. paper_px: every window of this many pixels contains some bare paper.
    """
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.float32) + 1
    quarter = (max(1, grey.shape[1] // 4), max(1, grey.shape[0] // 4))
    small = cv2.resize(grey, quarter, interpolation=cv2.INTER_AREA)
    size = round(paper_px / 4) | 1
    paper = cv2.GaussianBlur(cv2.dilate(small, np.ones((size, size))), (0, 0), size / 2)
    light = cv2.resize(paper, bgr.shape[1::-1])
    return np.asarray(np.clip(1 - grey / light, 0, 1), np.float32)


def shows_through(sheet: RectifiedSheet) -> bool:
    """Whether a map is so pale that it must be printed on the other side of the paper."""
    half = cv2.resize(sheet.bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return quantile(darkness(np.asarray(half, np.uint8), FLAT_PX / 8), 0.99)[0] < FAINT


def is_blank(photo: Photo) -> bool:
    """Whether a picture is a bright page that is empty except for specks."""
    view, _ = at_most(photo, _PAGE_PX)
    h, w = view.shape[:2]
    y, x = round(EDGE * h), round(EDGE * w)
    inner = view[y : h - y, x : w - x]
    is_bright = inner.size > 0 and np.median(inner) >= _DARKEST_PAPER
    return bool(is_bright and np.mean(darkness(inner, _PAGE_PX / 40) > FAINT) < SPECKS)


BLACK, WHITE = 24, 232
"""Grey levels: anything darker is black, anything lighter white; a JPEG blurs both a little."""

MOST_GREY = 0.06
"""Largest share of pixels between the two in a bilevel picture. It is 0.04 at most in 208 such
pictures of maps, saved as JPEG of quality 60 or more; at least 0.09 in 72 pictures from an app that
whitens paper but keeps greys, 0.14 in 232 other photos, and 0.09 in a rendering of our own sheet's
PDF."""

_MOST_HALVED = 0.2
"""The same after averaging 2 × 2 pixels, which turns edges grey: at most 0.19 in 104 pictures."""

_GREY_STEP = 3
"""Pixels from one that is examined to the next, along rows and columns."""


def is_bilevel(photo: Photo, outline_xy: Floats) -> bool:
    """Whether a map has next to no grey; outline_xy: (4, 2), photo frame.

    A large photo is decoded in full only if its half has few greys.
    """
    k = finest_decoded(photo)
    if k and _grey_share(photo, outline_xy, k) > _MOST_HALVED:
        return False
    return _grey_share(photo, outline_xy, 0) <= MOST_GREY


def _grey_share(photo: Photo, outline_xy: Floats, k: int) -> float:
    low, high = np.maximum(outline_xy.min(0), 0) / 2**k, np.maximum(outline_xy.max(0), 0) / 2**k
    (x0, y0), (x1, y1) = low.astype(int), np.ceil(high).astype(int)
    part = level(photo, k)[y0 : y1 + 1 : _GREY_STEP, x0 : x1 + 1 : _GREY_STEP]
    if part.size == 0:
        return 1.0
    grey = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_BGR2GRAY)
    return float(np.mean((grey >= BLACK) & (grey < WHITE)))


BLURRED = 0.047
"""Cells: width of the sharpest edges from which a sheet counts as blurred. 50 photos of generated
sheets, painted, pale and our own, have 0.038 at most. Blurred by a disc with a radius of 0.055
cells, 19 in 20 have more, and 64% instead of 78% of their boards are read right. Blurred by a
motion of 0.16 cells, three in four have more, and 18% are read right."""

DARK = 60.0
"""Mean level, of 255, below which marks drown in the sensor's noise."""

_PX = 64  # pixels per cell at which edges are measured
_REACH = 13  # pixels, a fifth of a cell: neighbourhood whose range is the height of an edge
_CONTRAST = 30  # grey levels: lower edges are texture or noise
_SHARPEST = 0.02  # quantile of the widths; edges that were drawn softly are wider
_FEW = 200  # edge pixels; fewer mean nothing


def edge_width(bgr: NDArray[np.uint8]) -> float:
    """Width in cells of the sharpest edges, along the most blurred of four directions; 0 if there
    are too few edges.

    The width of an edge is its height over its slope: the range of grey nearby over the change
    within two pixels. bgr: (H, W, 3), `FLAT_PX` pixels per cell.
    """
    scale = _PX / FLAT_PX
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    widest = 0.0
    for far, near in zip(_lines(_REACH), _lines(3), strict=True):
        height = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, far)
        slope = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, near)
        edges = (height > _CONTRAST) & (slope > 1)
        widths = cv2.divide(height, slope, dtype=cv2.CV_32F)[edges]
        if len(widths) >= _FEW:
            sharpest = int(_SHARPEST * len(widths))  # np.quantile would load np.ma
            widest = max(widest, float(np.partition(widths, sharpest)[sharpest]) * 2 / _PX)
    return widest


def _lines(length: int) -> tuple[NDArray[np.uint8], ...]:
    """Structuring elements `length` pixels long: horizontal, vertical, and both diagonals."""
    level = np.ones((1, length), np.uint8)
    diagonal = np.eye(round(length / 2**0.5) | 1, dtype=np.uint8)
    return level, level.T, diagonal, np.ascontiguousarray(diagonal[::-1])
