"""Non-rigid registration of a known print with a sheet in a photo, through curl and folds.

Dense optical flow (DIS: Kroeger et al., "Fast optical flow using dense inverse search", 2016)
between pictures with normalised local mean and contrast, from coarse to fine. As ink disturbs the
flow locally, displacements are weighted by the correlation they achieve; a polynomial surface is
fitted robustly to all of them, and folds are added as a weighted mean of the residuals nearby.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import (
    CENTERS,
    ENOUGH_PX,
    Floats,
    Photo,
    finest_decoded,
    finest_for,
    lattice_to_photo,
    resolution,
    sample,
    sampling_grid,
)
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.templates.cells import TERMS, smoothed
from kdscan.templates.features import normalize_contrast
from kdscan.templates.template import ALIGN_PX, TEMPLATE_MARGIN, TEMPLATE_PX, Template

STAGES = ((ALIGN_PX // 2, 0.6, False), (ALIGN_PX, 0.3, False), (ALIGN_PX, 0.2, True))
"""Pixels per cell, smoothing in cells of what folds add, and whether the flow is refined; from
coarse to fine. On 40 sheets of four pads the cells are placed to within 0.004 of a cell in the
median, 95% within 0.02. A fourth stage gains nothing, and refining only the last flow loses
nothing."""

MIN_CORRELATION = 0.7
"""Least local correlation at which a point of the print counts as found in the photo."""
MIN_CELL_CORRELATION = 0.5
"""The same within cells, which may be filled by coats."""
MIN_FIRST_LIKENESS = 0.1
"""Least likeness after the first stage; below it registration is abandoned. It was at least 0.25
for all of 32 sheets of the print, and less for nearly all other sheets."""

_NODES = 8  # displacements per cell
_MAX_FOLD = 0.08  # cells: limit of what folds add; more is an error of the flow
_RIDGE = 1e-3  # weight of the penalty on the polynomial's quadratic and cubic terms

Grid = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Aligned:
    """A template registered with a sheet.

    centers_xy: (5, 7, 2) photo frame, where the print's cells lie.
    agreement: (46, 62) float32, -1..1, correlation of print and photo, 8 places per cell.
    structure: (46, 62) float32, 0..1, how much the print shows there.
    likeness: 0..1, share of the print's structure that is found in the photo.
    """

    template: Template
    centers_xy: Floats
    agreement: Grid
    structure: Grid
    likeness: float
    _sheet_xy: Floats
    _offset: Grid

    def flatten(self, photo: Photo, margin: float = TEMPLATE_MARGIN) -> NDArray[np.uint8]:
        """The photo in the frame of the print: (H, W, 3) uint8, `TEMPLATE_PX` pixels per cell.

        margin: cells around the grid, at most the print's.
        """
        step = TEMPLATE_PX // _NODES
        net, size_wh = sampling_grid(ROWS, COLS, TEMPLATE_PX, margin, step)
        px_per_cell = resolution(self._sheet_xy)
        shrink, finest = px_per_cell / TEMPLATE_PX, finest_for(photo, px_per_cell, ENOUGH_PX)
        where = _to_photo(self._sheet_xy, self._offset, net)
        return sample(photo, where, step, size_wh, shrink, finest)

    @property
    def found(self) -> Grid:
        """(5, 7): share of each cell's structure that is found in the photo."""
        rim = round(TEMPLATE_MARGIN * _NODES)
        shown = self.structure * (self.agreement > MIN_CELL_CORRELATION)
        both = [
            v[rim:-rim, rim:-rim].reshape(ROWS, _NODES, COLS, _NODES).sum((1, 3))
            for v in (shown, self.structure)
        ]
        return np.asarray(both[0] / np.maximum(both[1], 1e-3), np.float32)


def align(
    template: Template, photo: Photo, centers_xy: Floats, least: float = MIN_FIRST_LIKENESS
) -> Aligned:
    """Register a print with the upright sheet whose cell centres, (5, 7, 2) photo frame, are known
    to within half a cell.

    least: likeness after the first stage below which registration is abandoned.
    """
    sheet = smoothed(centers_xy)
    nodes = [round((cells + 2 * TEMPLATE_MARGIN) * _NODES) for cells in (ROWS, COLS)]
    offset = np.zeros((*nodes, 2), np.float32)
    view: View | None = None
    for px, smoothing, refined in STAGES:
        if view is None or view.px != px:
            view = _sample_view(photo, sheet, offset, px)
        else:  # from the view itself, whose displacements are slightly different
            by = cv2.resize((offset - view.offset) * px, view.normalized.shape[::-1])
            moved_by = np.asarray(by, np.float32)
            view = View(px, _displaced(view.normalized, moved_by), offset)
        offset, agreement, structure = _refine_offset(template, view, smoothing, refined)
        found = (structure * (agreement > MIN_CORRELATION)).sum() / max(
            float(structure.sum()), 1e-6
        )
        if found < least:
            break
    moved = _to_photo(sheet, offset, CENTERS)
    return Aligned(template, moved, agreement, structure, float(found), sheet, offset)


@dataclass(frozen=True, eq=False)
class View:
    """A sheet resampled with the current displacements and normalised.

    px: pixels per cell. offset: (46, 62, 2), the displacements in cells.
    """

    px: int
    normalized: NDArray[np.uint8]
    offset: Grid


def _sample_view(photo: Photo, sheet: Floats, offset: Grid, px: int) -> View:
    step = px // _NODES
    net, size_wh = sampling_grid(ROWS, COLS, px, TEMPLATE_MARGIN, step)
    where = _to_photo(sheet, offset, net)
    bgr = sample(photo, where, step, size_wh, resolution(sheet) / px, finest_decoded(photo))
    return View(px, normalize_contrast(bgr, px), offset)


def _displaced(picture: NDArray[np.uint8], by: Grid) -> NDArray[np.uint8]:
    """A picture (H, W) warped by a displacement field (H, W, 2), pixels."""
    where = _pixels(*picture.shape) + by
    return np.asarray(
        cv2.remap(picture, where, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),  # type: ignore[call-overload]
        np.uint8,
    )


def _refine_offset(
    template: Template, view: View, smoothing: float, refined: bool
) -> tuple[Grid, Grid, Grid]:
    """One registration step: new displacements (46, 62, 2) in cells, local correlation of print and
    photo, and local structure of the print."""
    px, offset = view.px, view.offset
    step, fixed, moving = px // _NODES, template.normalized[px], view.normalized
    preset = cv2.DISOPTICAL_FLOW_PRESET_FAST if refined else cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST
    dis: Any = cv2.DISOpticalFlow_create(preset)  # type: ignore[attr-defined]
    flow = np.asarray(dis.calc(fixed, moving, None), np.float32)  # (H, W, 2), pixels
    alike, structure = _local_correlation(fixed, moving, flow, step)
    small = cv2.resize(flow, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    middle = [cv2.medianBlur(np.ascontiguousarray(small[..., i]), 5) for i in (0, 1)]
    seen = (np.dstack(middle) / px + offset).astype(np.float32)
    weight = (np.maximum(alike, 0) ** 2 * structure).astype(np.float32)
    paper = _smooth(seen, weight)
    fold = seen - paper
    sure = weight / (1 + (np.linalg.norm(fold, axis=-1) / _MAX_FOLD) ** 2)
    blurred = _blur(fold * sure[..., None], smoothing) / (_blur(sure, smoothing) + 0.02)[..., None]
    return (paper + blurred).astype(np.float32), alike, structure


def _local_correlation(
    fixed: NDArray[np.uint8], moving: NDArray[np.uint8], flow: Grid, step: int
) -> tuple[Grid, Grid]:
    """Local correlation of two normalised pictures under a flow, and the first one's local
    power."""
    one, other = (v.astype(np.float32) - 128 for v in (fixed, _displaced(moving, flow)))

    def near(v: Grid) -> Grid:
        small = cv2.resize(v, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.5), np.float32)

    both, power, power_other = near(one * other), near(one * one), near(other * other)
    alike = both / np.sqrt(power * power_other + 50)
    return alike.astype(np.float32), np.minimum(power / 200, 1).astype(np.float32)


def _smooth(seen: NDArray[np.float32], weight: Grid) -> Grid:
    """A cubic polynomial surface through displacements, by robust ridge regression."""
    basis = _basis(*weight.shape)
    target, prior = seen.reshape(-1, 2).astype(np.float64), weight.ravel() + 1e-6
    penalty = _RIDGE * len(target) * np.diag([float(i + j > 1) for i, j in TERMS])
    current = prior
    for _ in range(6):
        weighted = basis * current[:, None]
        coefficients = np.linalg.solve(weighted.T @ basis + penalty, weighted.T @ target)
        residual = np.hypot(*(target - basis @ coefficients).T)
        current = prior / (1 + (residual / 0.03) ** 2) ** 2
    return (basis @ coefficients).reshape(seen.shape).astype(np.float32)


@lru_cache(maxsize=4)
def _basis(rows: int, cols: int) -> Floats:
    x, y = np.meshgrid(np.linspace(-1, 1, cols), np.linspace(-1, 1, rows))
    return np.stack([(x**i * y**j).ravel() for i, j in TERMS], 1)


@lru_cache(maxsize=4)
def _pixels(h: int, w: int) -> Grid:
    """(H, W, 2): x and y of each pixel."""
    return np.dstack(np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32)))


def _to_photo(sheet: Floats, offset: Grid, lattice_xy: Floats) -> Floats:
    """Photo coordinates of displaced points (H, W, 2) of the lattice; beyond the print's picture
    displacements are constant."""
    at = ((lattice_xy + 0.5 + TEMPLATE_MARGIN) * _NODES - 0.5).astype(np.float32)
    moved = cv2.remap(
        offset, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return lattice_to_photo(sheet, lattice_xy + moved)


def _blur(values: Grid, cells: float) -> Grid:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), cells * _NODES), np.float32)
