"""Stage: ink on a known print → logits of its marks.

The network sees ink, the print's local contrast, and where shield and circles are printed. Where
ink follows an edge of the print, dropping out has failed; where the print shows circles, the
geometry can be checked. Attention compares the marks of one hand, without their places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_MARGIN, Floats, Network
from kdscan.rules.duel.board import CELLS, COLS, ROWS

Picture = NDArray[np.uint8]

SIDE, CELL_PX = 96, 80
"""Pixels: side of a shield's crop, and of a cell."""

CIRCLE_SIDE, CIRCLE_REACH, MAX_CIRCLES = 24, 2.4, 4
"""Pixels of a circle's crop; half its width in radii; most circles of a shield."""

CONTRAST_NEAR, CONTRAST_FAR = 0.15, 0.3
"""Cells: the print is seen relative to its blur by the first, in units of its contrast within the
second."""

MARGIN = SIDE / CELL_PX / 2 - 0.45
"""Cells around the grid of a `reduced` picture: crops may begin 0.05 cells beyond theirs."""

SIZE_WH = tuple(round((cells + 2 * MARGIN) * CELL_PX) for cells in (COLS, ROWS))

Flip = tuple[int, int]
FLIPS: tuple[Flip, ...] = ((1, 1), (-1, 1), (-1, -1), (1, -1))
"""Signs of x and y in the mirrored views of a sheet; marks mean the same mirrored."""

_NUMBER = np.zeros((ROWS, COLS), int)
_NUMBER[tuple(np.transpose(CELLS))] = np.arange(len(CELLS))
ORDER: dict[Flip, NDArray[np.int_]] = {
    (x, y): _NUMBER[::y, ::x][tuple(np.transpose(CELLS))] for x, y in FLIPS
}
"""For each flip, the cell of the upright sheet that is seen in the place of each of `CELLS`."""

_CORNERS = np.round((np.array(CELLS)[:, ::-1] + 0.5 + MARGIN) * CELL_PX - SIDE / 2).astype(int)
_MIDDLE = SIDE / 2 - 0.5

Inputs = tuple[Picture, Picture, Picture, Picture, NDArray[np.float32]]
"""Of the network, for one sheet: ink and print (34, 2, 96, 96); masks of shield and circles and the
common print (3, 96, 96); ink around circles (34, 4, 24, 24); the common print around circles
(4, 24, 24); and (6,): which circles exist, ten radii, a quarter of the number of circles."""


@dataclass(frozen=True, eq=False)
class PrintedCells:
    """What the reader knows of a print, the same for all of its sheets.

    shield: (N, 2), circles: (K, 2), in cells from a cell's centre. radius: of the circles, cells.
    common: (96, 96), the median of the cells' print. cells: (34, 96, 96), the print of each.
    """

    shield: Floats
    circles: Floats
    radius: float
    common: Picture
    cells: Picture

    @classmethod
    def of(cls, grey: Picture, shield: Any, circles: Any, radius: float) -> PrintedCells:
        """From a print's grey picture in the frame of `RectifiedSheet.bgr`, at any scale."""
        print_ = reduced(grey).astype(np.float32)
        away = print_ - cv2.GaussianBlur(print_, (0, 0), CONTRAST_NEAR * CELL_PX)
        power = cv2.GaussianBlur(away * away, (0, 0), CONTRAST_FAR * CELL_PX)
        cells = _cells(away / (np.sqrt(power) + 3))
        common, each = (
            np.clip(128 + 40 * v, 0, 255).astype(np.uint8) for v in (np.median(cells, 0), cells)
        )
        places = [np.asarray(points, np.float64).reshape(-1, 2) for points in (shield, circles)]
        return cls(places[0], places[1][:MAX_CIRCLES], radius, common, each)

    def mirrored(self, flip: Flip) -> PrintedCells:
        """The print of the mirrored sheet."""
        x, y = flip
        return replace(
            self,
            shield=self.shield * flip,
            circles=self.circles * flip,
            common=np.ascontiguousarray(self.common[::y, ::x]),
            cells=np.ascontiguousarray(self.cells[ORDER[flip]][:, ::y, ::x]),
        )


def reduced(picture: Picture) -> Picture:
    """A grey picture of a sheet with `FLAT_MARGIN`, at `CELL_PX` pixels per cell and `MARGIN`."""
    scale = picture.shape[1] / (COLS + 2 * FLAT_MARGIN) / CELL_PX
    shift = (np.array(picture.shape[::-1]) - 1) / 2 - scale * (np.array(SIZE_WH) - 1) / 2
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.35 * scale, 0.3))
    to_picture = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    small = cv2.warpAffine(soft, to_picture, SIZE_WH, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(small, np.uint8)


def inputs(ink: Picture, printed: PrintedCells) -> Inputs:
    """The network's inputs for one sheet. ink: `reduced`, 0 for none and 255 for full ink."""
    circles, radius = printed.circles, printed.radius * CELL_PX
    count = len(circles)
    rounds = np.zeros((len(CELLS), MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE), np.uint8)
    near = np.full((MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE), 128, np.uint8)
    if count:
        at = (circles + np.array(CELLS)[:, None, ::-1] + 0.5 + MARGIN) * CELL_PX - 0.5
        rounds[:, :count] = _around(ink, at.reshape(-1, 2), radius).reshape(
            len(CELLS), count, CIRCLE_SIDE, CIRCLE_SIDE
        )
        near[:count] = _around(printed.common, circles * CELL_PX + _MIDDLE, radius)
    exists = np.arange(MAX_CIRCLES) < count
    about = np.array([*exists, 10 * printed.radius, count / MAX_CIRCLES], np.float32)
    shared = np.stack([*_masks(printed), printed.common])
    return np.stack([_cells(ink), printed.cells], 1), shared, rounds, near, about


def _cells(picture: NDArray[Any]) -> NDArray[Any]:
    """(34, 96, 96): the crops of a `reduced` picture."""
    return np.stack([picture[y : y + SIDE, x : x + SIDE] for x, y in _CORNERS])


def _around(picture: Picture, at: Floats, radius: float) -> Picture:
    """(N, 24, 24): a picture around circles at (N, 2); all in pixels."""
    step = ((np.arange(CIRCLE_SIDE) + 0.5) / CIRCLE_SIDE * 2 - 1) * CIRCLE_REACH * radius
    shape = (len(at), CIRCLE_SIDE, CIRCLE_SIDE)
    where = (at[:, 0, None, None] + step, at[:, 1, None, None] + step[:, None])
    x, y = (np.broadcast_to(v, shape).reshape(-1, CIRCLE_SIDE).astype(np.float32) for v in where)
    around = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(around.reshape(shape), np.uint8)


def _masks(printed: PrintedCells) -> Picture:
    """(2, 96, 96): where the shield and the circles are printed."""
    masks, bits = np.zeros((2, SIDE, SIDE), np.uint8), 4

    def px(points: Floats) -> NDArray[np.int32]:
        return np.asarray(np.round((points * CELL_PX + _MIDDLE) * 2**bits), np.int32)

    if len(printed.shield):
        cv2.fillPoly(masks[0], [px(printed.shield)], 255, cv2.LINE_AA, bits)
    for x, y in px(printed.circles).tolist():
        radius = round(printed.radius * CELL_PX * 2**bits)
        cv2.circle(masks[1], (x, y), radius, 255, -1, cv2.LINE_AA, bits)
    return masks


def read_ink(
    ink: NDArray[np.float32], printed: PrintedCells, network: Network, flip: Flip = FLIPS[0]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits of coats (1, 34, 7) and crosses (1, 34, 5) of the upright sheet, seen mirrored.

    ink: (H, W) 0..1, see `Ink.probability`. network: `Inputs` with a first axis, 0..1 → logits.
    """
    small, (x, y) = reduced(np.asarray(ink * 255 + 0.5, np.uint8)), flip
    *pictures, about = inputs(np.ascontiguousarray(small[::y, ::x]), printed.mirrored(flip))
    scaled = (np.asarray(picture[None], np.float32) / 255 for picture in pictures)
    coat, crosses = network(*scaled, about[None])[:2]
    return coat[:, ORDER[flip]], crosses[:, ORDER[flip]]
