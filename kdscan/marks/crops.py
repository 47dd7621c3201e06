"""Stage: rectified sheet → cell crops, light and pen taken out.

A shield is judged against its own sheet: the crop's ink stands beside a picture of
what all shields of this sheet have in common, which is the print. So a design that
nobody described brings its own description along.
"""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.records import CASTLE, CELLS, COLS, CellCrops, RectifiedSheet
from kdscan.records.arrays import quantile

CROP_PX = round((1 + 2 * FLAT_MARGIN) * FLAT_PX)
"""Side of a crop: 160 pixels for 1.25 cells."""

CROPPED = (*CELLS, CASTLE)
"""The cells in the order of their crops."""

CHANNELS = ("ink", "print", "color")
"""What the planes of a crop hold; see `planes` and `segment`."""

Plane = NDArray[np.float32]
Pixel = TypeVar("Pixel", bound=np.generic)

COARSE = 2
"""Pixels of a rectified sheet that make one of its colour and print, which carry no detail."""


def planes(flat_bgr: NDArray[np.uint8]) -> tuple[Plane, Plane]:
    """Ink and colour of a flat sheet, whatever light fell on it.

    flat_bgr: (H, W, 3) uint8, about 64 pixels a cell.
    ink: (H, W) float32, 0 for bare paper, about 1 for the darkest marks of the sheet.
    color: (H, W) float32, how far the hue leaves that of the paper nearby, 0..1.
    """
    ink, color, _, _ = _lit(flat_bgr)
    return ink, color


def relative(flat_bgr: NDArray[np.uint8]) -> Plane:
    """The colours of a flat sheet as shares of those of the paper around, (H, W, 3)."""
    return _relative(flat_bgr, _light(flat_bgr))


def _lit(flat_bgr: NDArray[np.uint8]) -> tuple[Plane, Plane, Plane, np.float32]:
    """The planes, and what they were judged by: the light on the paper, the gain of the ink."""
    light = _light(flat_bgr)
    relative = _relative(flat_bgr, light)
    dark = _dark(relative)
    gain = _gain(dark)
    return dark * gain, _color(relative, gain), light, gain


def _light(flat_bgr: NDArray[np.uint8]) -> Plane:
    """How bright the paper is around each place: (H / 4, W / 4, 3)."""
    paper = cv2.dilate(flat_bgr, np.ones((9, 9), np.uint8))
    small = cv2.resize(paper, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 8).astype(np.float32) + 1)


def _relative(bgr: NDArray[np.uint8], light: Plane) -> Plane:
    lit, wide = np.add(bgr, 1, dtype=np.float32), cv2.resize(light, bgr.shape[1::-1])
    return np.asarray(cv2.divide(lit, wide, dst=wide), np.float32)


def _dark(relative: Plane) -> Plane:
    weights = np.array([[0.114, 0.587, 0.299]], np.float32)
    grey = np.asarray(cv2.transform(relative, weights), np.float32)
    dark = np.subtract(1, grey, out=grey)
    return np.maximum(dark, 0, out=dark)


def _gain(dark: Plane) -> np.float32:
    return np.float32(0.8 / max(quantile(dark[::3, ::3], 0.99)[0], 0.25))


def _color(relative: Plane, gain: np.float32) -> Plane:
    b, g, r = cv2.split(relative)
    spread = cv2.max(cv2.max(b, g), r) - cv2.min(cv2.min(b, g), r)
    return np.asarray(np.clip(spread * gain, 0, 1), np.float32)


def cut(plane: NDArray[Pixel], row: int, col: int) -> NDArray[Pixel]:
    """The crop of one cell of a flat sheet with its margin: 1.25 cells wide around the centre."""
    px = round(plane.shape[1] / (COLS + 2 * FLAT_MARGIN))
    side = round((1 + 2 * FLAT_MARGIN) * px)
    return plane[row * px : row * px + side, col * px : col * px + side]


def segment(sheet: RectifiedSheet) -> CellCrops:
    """Cut the sheet into 34 shields and the castle: their ink, and the planes of `CHANNELS` at half
    the size, softened as `in_full` softens them.

    The print plane is, pixel by pixel, the ink that three quarters of the shields
    exceed: what is there in nearly all of them, hence not drawn by hand.
    """
    ink, color, common = _planes(sheet)
    half = cv2.resize(ink, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA)
    color, common = _softened(color), _softened(common)
    fine = np.empty((len(CROPPED), 1, CROP_PX, CROP_PX), np.float32)
    coarse = np.empty((len(CROPPED), len(CHANNELS), *common.shape), np.float32)
    for one, crop, at in zip(fine, coarse, CROPPED, strict=True):
        one[0] = cut(ink, *at)
        crop[0], crop[1], crop[2] = cut(half, *at), common, cut(color, *at)
    return CellCrops(fine, coarse)


def in_full(sheet: RectifiedSheet) -> NDArray[np.float32]:
    """(35, C, 160, 160): the crops of `segment` with all planes of `CHANNELS` at full size, as
    training shrinks and turns them; their means over two by two pixels are the coarse ones."""
    ink, color, common = _planes(sheet)
    common, color = _doubled(common), _doubled(color)
    crops = np.empty((len(CROPPED), len(CHANNELS), *common.shape), np.float32)
    for crop, at in zip(crops, CROPPED, strict=True):
        crop[0], crop[1], crop[2] = cut(ink, *at), common, cut(color, *at)
    return crops


def _planes(sheet: RectifiedSheet) -> tuple[Plane, Plane, Plane]:
    """Of the sheet its ink and, at half its size, its colour; of a crop, at half its size, what the
    shields have in common."""
    coarse_ink, color, light, gain = _lit(halved(sheet.bgr))
    ink = _dark(_relative(sheet.bgr, light))
    ink *= gain
    inks = np.stack([cut(coarse_ink, r, c) for r, c in CELLS])
    return ink, color, np.partition(inks, len(CELLS) // 4, axis=0)[len(CELLS) // 4]


def halved(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A rectified sheet in the resolution that `planes` takes."""
    small = cv2.resize(bgr, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _doubled(plane: Plane) -> Plane:
    return np.asarray(cv2.resize(plane, None, fx=COARSE, fy=COARSE), np.float32)


_SOFT = np.array([0.125, 0.75, 0.125], np.float32)


def _softened(plane: Plane) -> Plane:
    """What is left of a plane that was doubled and halved again."""
    out = cv2.sepFilter2D(plane, -1, _SOFT, _SOFT, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32)
