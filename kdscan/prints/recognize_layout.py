"""Which learned layout is this? Compares the pattern shared by all cells of a sheet with learned
cells."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import LayoutError
from kdscan.imaging.encode import png
from kdscan.marks.crops import COARSE, CROP_PX, crop_cell, half_size, planes
from kdscan.records import CELLS, RectifiedSheet
from kdscan.records.arrays import Plane

if TYPE_CHECKING:
    from kdscan.sheet.parts import Layout

ALIKE = 0.6
"""Correlation from which two prints are one design. On synthetic photos of random designs 99% of
pairs of different ones stayed below 0.53, all below 0.58; so did one in 14 pairs of the same
design."""

CELL_PRINT_PX = CROP_PX // COARSE
"""Side of a cell's print."""

_REACH = 6  # pixels by which a crop may be off
_INK = 200.0  # grey levels of full ink in the file


def cell_print(flat_bgr: NDArray[np.uint8]) -> Plane:
    """What three quarters of a sheet's cells share: (80, 80) float32, 64 pixels per cell.

    flat_bgr: as in `RectifiedSheet`.
    The cells are aligned with each other first, so that thin lines stay thin.
    """
    ink, _ = planes(half_size(flat_bgr))
    inks = np.stack([crop_cell(ink, r, c) for r, c in CELLS])
    common = np.quantile(inks, 0.25, axis=0).astype(np.float32)
    for _ in range(2):
        common = np.quantile([_laid_over(i, common) for i in inks], 0.25, axis=0).astype(np.float32)
    return common


def _laid_over(ink: Plane, common: Plane) -> Plane:
    inner = common[_REACH:-_REACH, _REACH:-_REACH]
    _, _, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(ink, inner, cv2.TM_CCOEFF_NORMED))
    move = np.array([[1, 0, _REACH - x], [0, 1, _REACH - y]], np.float32)
    size = (CELL_PRINT_PX, CELL_PRINT_PX)
    return np.asarray(cv2.warpAffine(ink, move, size, borderMode=cv2.BORDER_REPLICATE), np.float32)


def print_to_text(ink: Plane) -> str:
    """A cell's print as the text that a layout file holds: a grey PNG in base 64."""
    data = png(np.clip(ink * _INK, 0, 255).astype(np.uint8))
    return base64.b64encode(data).decode("ascii")


def print_from_text(text: str) -> Plane:
    """The inverse of `print_to_text`; raises LayoutError for other texts."""
    try:
        data = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
        grey = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    except (ValueError, cv2.error) as error:
        raise LayoutError("`cell_png` is not a PNG in base 64; learn the layout again.") from error
    if grey is None or grey.shape != (CELL_PRINT_PX, CELL_PRINT_PX):
        raise LayoutError(
            "`cell_png` is not a PNG of {n} × {n}; learn the layout again.",
            n=CELL_PRINT_PX,
        )
    return np.asarray(grey / _INK, np.float32)


def likeness(one: Plane, two: Plane) -> float:
    """Correlation of two prints, -1 to 1, at the best shift of a few pixels."""
    margin = _REACH + 2
    inner = two[margin:-margin, margin:-margin]
    return float(cv2.matchTemplate(one, inner, cv2.TM_CCOEFF_NORMED).max())


def recognized(sheet: RectifiedSheet, learned: Sequence[Layout]) -> str | None:
    """Name of the learned layout that the sheet is printed with, None if it is none of them.

    Layouts without a `cell_png` are skipped. Raises LayoutError for a broken one.
    """
    prints = [
        (layout.name, print_from_text(layout.cell_png)) for layout in learned if layout.cell_png
    ]
    if not prints:
        return None
    seen = cell_print(sheet.bgr)
    alike = [likeness(seen, one) for _, one in prints]
    best = int(np.argmax(alike))
    return prints[best][0] if alike[best] >= ALIKE else None
