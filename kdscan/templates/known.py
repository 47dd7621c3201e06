"""A known print: the blank design that all sheets of one pad share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import FrozenArrays
from kdscan.imaging.rectify import FLAT_MARGIN
from kdscan.paper.parts import Castle, LineStyle, Point, Polygon
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.templates.features import cielab, normalize_contrast

PRINT_PX = 128
"""Pixels per cell of a print's picture, equal to those of a rectified sheet."""

PRINT_MARGIN = 0.375
"""Cells of margin around the grid, because a sheet's grid may be detected a quarter of a cell
off."""

PRINT_WH = (
    round((COLS + 2 * PRINT_MARGIN) * PRINT_PX),
    round((ROWS + 2 * PRINT_MARGIN) * PRINT_PX),
)
"""Width and height of a print's picture in pixels."""

KNOWN_STEP = 8
"""Pixels of the picture per pixel of `KnownPrint.known`."""

_RIM = round((PRINT_MARGIN - FLAT_MARGIN) * PRINT_PX)
SHEET = np.s_[_RIM:-_RIM, _RIM:-_RIM]
"""The part of a print's picture that `RectifiedSheet.bgr` shows."""

ALIGN_PX = 64
"""Pixels per cell of the view in which prints are aligned."""

CHANNEL_WEIGHTS = np.array([0.5, 0.25, 0.25], np.float32)
"""Weights of a signature's L, a and b. Among 48 prints, 32 of them mirrored, the right one is among
the first three for 98.7% of 158 photos; with equal weights for 97.5%."""

THUMB_PX = 8
"""Pixels per cell of the thumbnail from which signatures are computed."""

SIGNATURE = 1
"""Version of `signature_of`; increase it if signatures change, so that those in files are
recomputed."""

SIGNATURE_SHAPE = (3, PRINT_WH[0] * PRINT_WH[1] * THUMB_PX**2 // PRINT_PX**2)
"""Channels and pixels of a signature."""


@dataclass(frozen=True)
class CellGeometry:
    """What is printed in each cell; in cells from its centre, x right, y down.

    shield: closed polygon; () if none was found. circles: centres. radius: of the circles.
    """

    shield: Polygon
    circles: tuple[Point, ...]
    radius: float


@dataclass(frozen=True, eq=False)
class KnownPrint(FrozenArrays):
    """The rectified print of a pad; its cells lie exactly on the lattice.

    The centre of cell (r, c) lies at pixel ((c + .5 + PRINT_MARGIN) * PRINT_PX - .5,
    (r + .5 + PRINT_MARGIN) * PRINT_PX - .5).

    name: what people call the pad; `layout` in the JSON.
    bgr: (736, 992, 3) uint8.
    known: (92, 124) float32, 0..1: how well each part of the print is known.
    cell, castle: geometry of shields, circles and castle, in cells from the cell's centre.
    lines: how the lines between cells are printed. aspect: height of a cell over its width.
    residual: median distance of cells from the fitted lattice, in cells.
    sheets: number of sheets it was learned from. by_itself: learned automatically.
    """

    name: str
    bgr: NDArray[np.uint8]
    known: NDArray[np.float32]
    cell: CellGeometry
    castle: Castle
    lines: LineStyle
    aspect: float
    residual: float
    sheets: int
    by_itself: bool = False

    def __post_init__(self) -> None:
        w, h = PRINT_WH
        if self.bgr.shape != (h, w, 3) or self.bgr.dtype != np.uint8:
            raise ValueError(f"a print is ({h}, {w}, 3) uint8, not {self.bgr.shape}")
        if self.known.shape != (h // KNOWN_STEP, w // KNOWN_STEP):
            raise ValueError(f"`known` has shape {self.known.shape}")
        super().__post_init__()

    def __repr__(self) -> str:
        return f"<print {self.name}: {self.sheets} sheets>"

    @cached_property
    def normalized(self) -> dict[int, NDArray[np.uint8]]:
        """The picture with local contrast normalized out, by pixels per cell; see
        `normalize_contrast`."""
        return {px: normalize_contrast(self._resized(px), px) for px in (ALIGN_PX // 2, ALIGN_PX)}

    @cached_property
    def signature(self) -> NDArray[np.float32]:
        """(3, 2852) float32: the thumbnail's three normalised channels, each with zero mean and its
        weight as length."""
        return signature_of(self.thumbnail)

    @property
    def thumbnail(self) -> NDArray[np.uint8]:
        """(46, 62, 3) uint8 BGR: the picture with `THUMB_PX` pixels per cell."""
        return self._resized(THUMB_PX)

    def _resized(self, px: int) -> NDArray[np.uint8]:
        scale = px / PRINT_PX
        small = cv2.resize(self.bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)


def signature_of(thumbnail: NDArray[np.uint8]) -> NDArray[np.float32]:
    """`KnownPrint.signature` of a print's thumbnail, (46, 62, 3) uint8 BGR."""
    channels = normalize_colors(thumbnail).reshape(3, -1)
    channels = channels - channels.mean(1, keepdims=True)
    length = np.linalg.norm(channels, axis=1, keepdims=True) + 1e-3
    return np.asarray(channels / length * CHANNEL_WEIGHTS[:, None], np.float32)


def normalize_colors(thumbnail: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(3, H, W) float32: CIELAB of a thumbnail, (H, W, 3) BGR, normalised for illumination: local
    contrast of L within half a cell; a and b minus what changes over more than two cells."""
    light, *colours = cv2.split(cielab(thumbnail))
    away = light - cv2.GaussianBlur(light, (0, 0), 0.5 * THUMB_PX)
    contrast = away / (np.sqrt(cv2.GaussianBlur(away * away, (0, 0), THUMB_PX)) + 1.5)
    tints = [c - cv2.GaussianBlur(c, (0, 0), 2.0 * THUMB_PX) for c in colours]
    return np.asarray(np.stack([contrast, *tints]), np.float32)
