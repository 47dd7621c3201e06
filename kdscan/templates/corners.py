"""A print's grid as placed by a person."""

from __future__ import annotations

import numpy as np

from kdscan.errors import LayoutError
from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.rectify import (
    CENTERS,
    RectifiedSheet,
    lattice_to_photo_homography,
    project,
    rectify,
    resolution,
    shift_cells,
)

LEAST_CELL_PX = 20
"""Pixels per cell; closer corners are taken for a mistake."""


def rectify_by_corners(photo: Photo, corners_xy: Floats) -> RectifiedSheet:
    """The sheet whose grid has its corners at (4, 2) in the photo, in the order of `SheetOutline`.

    Raises LayoutError for corners that no sheet has, or that lie outside the photo.
    """
    if (corners_xy < 0).any() or (corners_xy > (photo.width, photo.height)).any():
        raise LayoutError(
            "these corners lie outside the photo, which has {width} × {height} pixels",
            width=photo.width,
            height=photo.height,
        )
    return rectify(photo, centers_within(corners_xy), confidence=1.0)


def centers_within(corners_xy: Floats) -> Floats:
    """(5, 7, 2): the centres of the cells of a grid with these corners, (4, 2). Raises LayoutError
    for corners that no sheet has: crossed, turned over, or too close together."""
    along = np.roll(corners_xy, -1, axis=0) - corners_xy
    after = np.roll(along, -1, axis=0)
    turns = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    if not (np.isfinite(corners_xy).all() and (turns > 0).all()):
        raise LayoutError(
            "these corners do not form a sheet; give those of the grid clockwise, from the "
            "upper left"
        )
    centers = project(lattice_to_photo_homography(corners_xy), CENTERS)
    if resolution(centers) < LEAST_CELL_PX:
        raise LayoutError("these corners are too close together; give those of the whole grid")
    return centers


def shifted_to(measured_xy: Floats, given_xy: Floats) -> Floats:
    """Measured centres (5, 7, 2), shifted so that their mean is that of the centres that a person
    gave. Matching cells with each other gives their relative places, but not where a cell
    begins."""
    right = (given_xy[:, -1] - given_xy[:, 0]).mean(0) / (given_xy.shape[1] - 1)
    down = (given_xy[-1] - given_xy[0]).mean(0) / (given_xy.shape[0] - 1)
    off = (given_xy - measured_xy).reshape(-1, 2).mean(0)
    return shift_cells(measured_xy, np.linalg.solve(np.stack([right, down], axis=1), off))
