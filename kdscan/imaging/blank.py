"""Blank pages: the backs that come out of a scanner's document feeder.

A feeder scans both sides of every sheet. The back is blank, or the front shows through, mirrored
and pale; a map that shows through must not be read.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo, quantile
from kdscan.imaging.pyramid import at_most
from kdscan.imaging.rectify import FLAT_PX, RectifiedSheet

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
    if inner.size == 0 or float(np.median(inner)) < _DARKEST_PAPER:
        return False
    return float(np.mean(darkness(inner, _PAGE_PX / 40) > FAINT)) < SPECKS
