"""Stage: rectified sheet → cell crops, normalised for light and pen.

Each crop's ink is paired with an estimate of the print, namely what all shields of the sheet have
in common. So no design has to be described in advance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import quantile
from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX, FrozenArrays, Plane
from kdscan.rules.duel.board import CASTLE, CELLS, COLS


@dataclass(frozen=True, eq=False)
class CellCrops(FrozenArrays):
    """Input of the marks network: one crop per shield in the order of `CELLS`, then the castle's.

    ink: (35, 1, S, S) float32, in full detail.
    coarse: (35, C, S / 2, S / 2) float32: ink again, print and colour, which carry no detail.
    """

    ink: NDArray[np.float32]
    coarse: NDArray[np.float32]

    def __post_init__(self) -> None:
        for crops in (self.ink, self.coarse):
            if len(crops) != len(CELLS) + 1 or crops.dtype != np.float32:
                raise ValueError(f"35 float32 crops are needed, not {crops.shape}")
        super().__post_init__()


CROP_PX = round((1 + 2 * FLAT_MARGIN) * FLAT_PX)
"""Side of a crop on the rectified sheet: 160 pixels for 1.25 cells."""

INPUT_PX = 128
"""Side of a crop that the network sees."""

CROP_CELLS = (*CELLS, CASTLE)
"""The cells in the order of their crops."""

CHANNELS = ("ink", "print", "color")
"""The planes of a crop; see `planes` and `segment`."""

Pixel = TypeVar("Pixel", bound=np.generic)

COARSE = 2
"""Downsampling factor of colour and print, which carry no detail."""

COARSE_PX = INPUT_PX // COARSE
"""Side of a crop's planes of colour and print."""


def planes(flat_bgr: NDArray[np.uint8]) -> tuple[Plane, Plane]:
    """Ink and colour of a rectified sheet, normalised for illumination.

    flat_bgr: (H, W, 3) uint8, about 64 pixels per cell.
    ink: (H, W) float32, 0 for bare paper, about 1 for the darkest marks of the sheet.
    color: (H, W) float32, 0..1, saturation relative to the paper nearby.
    """
    ink, color, _, _ = _lit(flat_bgr)
    return ink, color


def relative_to_paper(flat_bgr: NDArray[np.uint8]) -> Plane:
    """(H, W, 3) float32: a rectified sheet's colours divided by those of the paper nearby."""
    return _relative(flat_bgr, _light(flat_bgr))


def _lit(flat_bgr: NDArray[np.uint8]) -> tuple[Plane, Plane, Plane, np.float32]:
    """Ink and colour, and how they were normalised: the light on the paper and the ink's gain."""
    light = _light(flat_bgr)
    relative = _relative(flat_bgr, light)
    dark = _dark(relative)
    gain = np.float32(0.8 / max(quantile(dark[::3, ::3], 0.99)[0], 0.25))
    b, g, r = cv2.split(relative)
    spread = cv2.max(cv2.max(b, g), r) - cv2.min(cv2.min(b, g), r)
    color = np.asarray(np.clip(spread * gain, 0, 1), np.float32)
    return dark * gain, color, light, gain


def _light(flat_bgr: NDArray[np.uint8]) -> Plane:
    """(H / 4, W / 4, 3) float32: brightness of the paper around each pixel."""
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
    return np.asarray(np.maximum(dark, 0, out=dark), np.float32)


def crop_cell(plane: NDArray[Pixel], row: int, col: int) -> NDArray[Pixel]:
    """One cell's crop from a plane of a rectified sheet with margin: 1.25 cells wide, centred."""
    px = round(plane.shape[1] / (COLS + 2 * FLAT_MARGIN))
    side = round((1 + 2 * FLAT_MARGIN) * px)
    return plane[row * px : row * px + side, col * px : col * px + side]


def segment(flat_bgr: NDArray[np.uint8]) -> CellCrops:
    """Crop the 34 shields and the castle of a rectified sheet and resize them to `INPUT_PX`: their
    ink, and the planes of `CHANNELS` at half the size.

    flat_bgr: (672, 928, 3), see `RectifiedSheet.bgr`.

    The print plane is, pixel by pixel, the lower quartile of the shields' ink: what nearly all of
    them have is not drawn by hand.
    """
    coarse_ink, color, light, gain = _lit(half_size(flat_bgr))
    ink = _dark(_relative(flat_bgr, light))
    ink *= gain
    inks = np.stack([crop_cell(coarse_ink, r, c) for r, c in CELLS])
    common = np.partition(inks, len(CELLS) // 4, axis=0)[len(CELLS) // 4]
    half = np.asarray(
        cv2.resize(ink, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA),
        np.float32,
    )
    color, common = _soften(color), resized(_soften(common), COARSE_PX)
    fine = np.empty((len(CROP_CELLS), 1, INPUT_PX, INPUT_PX), np.float32)
    coarse = np.empty((len(CROP_CELLS), len(CHANNELS), COARSE_PX, COARSE_PX), np.float32)
    for detail, crop, at in zip(fine, coarse, CROP_CELLS, strict=True):
        detail[0] = resized(crop_cell(ink, *at), INPUT_PX)
        crop[0], crop[1] = resized(crop_cell(half, *at), COARSE_PX), common
        crop[2] = resized(crop_cell(color, *at), COARSE_PX)
    return CellCrops(fine, coarse)


def resized(crop: Plane, side: int) -> Plane:
    """A square crop reduced to (side, side), each pixel the mean of the area that it covers."""
    return np.asarray(cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA), np.float32)


def half_size(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A rectified sheet at the resolution of `planes`."""
    small = cv2.resize(bgr, None, fx=1 / COARSE, fy=1 / COARSE, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


_SOFT = np.array([0.125, 0.75, 0.125], np.float32)


def _soften(plane: Plane) -> Plane:
    """Equivalent to upsampling a plane by two and averaging it down again."""
    out = cv2.sepFilter2D(plane, -1, _SOFT, _SOFT, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32)
