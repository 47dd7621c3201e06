"""Pages with nothing on them: backs that come out of a scanner's feeder.

A feeder scans both sides of every paper. The back is blank, or what stands on the
front shows through, mirrored and pale; a map that shows through is not a map.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.pyramid import at_most
from kdscan.imaging.rectify import FLAT_PX
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import quantile

FAINT = 0.15
"""Share of the paper's light that something must swallow to count as ink. Thin office paper
lets a tenth through; on 120 synthetic photos the darkest hundredth of a map, print included,
swallowed 0.23 at least and 0.74 in the middle."""

SPECKS = 6e-4
"""Share of a page that dust, creases and staple marks may darken."""

EDGE = 0.08
"""Share of a page on each side where feeders leave shadows and punches leave holes."""

_PAGE_PX = 1200  # longer side of what is looked at: about 100 dpi for A4
_DARKEST_PAPER = 140  # a scanned page is brighter; what is darker is no paper but a table


def darkness(bgr: NDArray[np.uint8], paper_px: float) -> NDArray[np.float32]:
    """Share of the light that is swallowed beside the paper nearby: (H, W) float32, 0..1.

    bgr: (H, W, 3) uint8. paper_px: within so many pixels some bare paper can be seen.
    """
    grey = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.float32) + 1
    quarter = (max(1, grey.shape[1] // 4), max(1, grey.shape[0] // 4))
    small = cv2.resize(grey, quarter, interpolation=cv2.INTER_AREA)
    size = max(3, round(paper_px / 4)) | 1
    paper = cv2.GaussianBlur(cv2.dilate(small, np.ones((size, size))), (0, 0), size / 2)
    light = cv2.resize(paper, bgr.shape[1::-1])
    return np.asarray(np.clip(1 - grey / light, 0, 1), np.float32)


def shows_through(sheet: RectifiedSheet) -> bool:
    """Whether a map is so pale that it must stand on the other side of the paper."""
    return quantile(darkness(sheet.bgr, FLAT_PX / 4)[::2, ::2], 0.99)[0] < FAINT


def is_blank(photo: Photo) -> bool:
    """Whether a picture is a bright page with nothing on it but specks."""
    view, _ = at_most(photo, _PAGE_PX)
    h, w = view.shape[:2]
    y, x = round(EDGE * h), round(EDGE * w)
    inner = view[y : h - y, x : w - x]
    if inner.size == 0 or float(np.median(inner)) < _DARKEST_PAPER:
        return False
    return float(np.mean(darkness(inner, _PAGE_PX / 40) > FAINT)) < SPECKS
