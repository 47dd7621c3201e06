"""Detection of single tile squares in a picture by a voting network.

For every patch of a thumbnail the network predicts whether it lies on a square of a tile, where
that square's centre is and how uncertain that is, and the square's angle and size. The votes of one
square cluster around its centre.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import STRIDE, thumbnail
from kdscan.imaging.picture import Floats, Network, Photo, sigmoid
from kdscan.sheets.kingdom.lattice import Centers

FINE = 4
"""Bins per patch along each side of the histogram of votes."""
CLUSTER_RADIUS = 0.32
"""Radius of a cluster of votes for one square, in sides."""
MIN_VOTES = 1.2
"""Least number of votes for a square, weighted by their precision."""
MIN_SURE_PATCHES, MIN_LIKELY_PATCHES = 3, 8
"""Least numbers of patches in a region with a logit above `SURE_LOGIT`, or else above 0."""
JOIN_RADIUS = 3
"""Patches: gaps between sure patches of one region may be this wide."""
SURE_LOGIT = 1.5
"""Logit from which on a patch certainly belongs to a square."""


@dataclass(frozen=True, eq=False)
class VoteMap:
    """The network's outputs for a picture cropped from the photo at `corner`.

    on_tile: (h, w) logits. center, log_error, pose: (C, h, w), see `predict_votes`.
    scale: thumbnail pixels per photo pixel.
    """

    on_tile: Floats
    center: Floats
    log_error: Floats
    pose: Floats
    scale: float
    corner: tuple[int, int]

    def to_photo(self, patches: Floats) -> Floats:
        """Points (..., 2) in units of patches → photo frame."""
        return np.asarray((patches + 0.5) * STRIDE / self.scale - 0.5 + np.array(self.corner))

    def at(self, xy: Floats) -> Floats:
        """(N,) `on_tile` logits of the patches nearest to points (N, 2), photo frame."""
        patches = (xy - np.array(self.corner) + 0.5) * self.scale / STRIDE - 0.5
        last = np.array(self.on_tile.shape[::-1]) - 1
        cols, rows = np.clip(np.round(patches).astype(int), 0, last).T
        return np.asarray(self.on_tile[rows, cols])


def predict_votes(
    photo: Photo, network: Network, corner: tuple[int, int] = (0, 0), shrink: int = 1
) -> VoteMap:
    """Run the network on a picture cropped from a photo at `corner` and reduced by `shrink`.

    network: `thumbnail` → on-square logit (1, 1, h, w), centre x, y in patches (1, 2, h, w),
        log of its expected error (1, 1, h, w), cosine and sine of four times the angle and log
        of the side in patches (1, 3, h, w).
    """
    thumb, scale = thumbnail(photo)
    on_tile, center, log_error, pose = (out[0].astype(np.float64) for out in network(thumb))
    return VoteMap(on_tile[0], center, log_error, pose, scale / shrink, corner)


def find_regions(votes: VoteMap) -> list[tuple[Floats, Floats]]:
    """Bounding boxes (low and high corner, photo frame) of regions with squares: connected sure
    patches, or larger components of likely patches without sure ones."""

    def corners(marked: NDArray[np.bool_], least: int, joined: int) -> list[tuple[Floats, Floats]]:
        some = component_boxes(marked, least, joined)
        return [(votes.to_photo(low - 0.5), votes.to_photo(high + 0.5)) for low, high in some]

    found = corners(votes.on_tile > SURE_LOGIT, MIN_SURE_PATCHES, JOIN_RADIUS)
    for low, high in corners(votes.on_tile > 0, MIN_LIKELY_PATCHES, 1):
        middle = (low + high) / 2
        if not any(((middle > a) & (middle < b)).all() for a, b in found):
            found.append((low, high))
    return found


def find_squares(votes: VoteMap) -> Centers:
    """Cluster the votes into squares, photo frame."""
    rows, cols = np.nonzero(votes.on_tile > 0)
    centers = np.stack([cols, rows], 1) + votes.center[:, rows, cols].T
    weight = sigmoid(-votes.log_error[0, rows, cols])
    cosine, sine, log_side = votes.pose[:, rows, cols]
    log_side = np.clip(log_side, -1, 4)
    side = np.exp(log_side)
    typical = float(np.median(side)) if len(side) else 1.0
    peaks = _peaks(centers, weight, votes.on_tile.shape, typical)
    # Distances as absolute values of complex numbers: faster than norms.
    away = np.abs((peaks @ (1, 1j))[:, None] - centers @ (1, 1j))
    mine = away < CLUSTER_RADIUS * side[away.argmin(1)][:, None] if len(centers) else away < 0
    share = mine * weight
    weights = share.sum(1)
    kept = (weights >= MIN_VOTES * 0.5) & (mine.sum(1) >= 2)
    share, weights = share[kept], weights[kept]
    # einsum rather than @, which would start BLAS threads that spin longer than all of this takes.
    values = np.column_stack([centers, log_side, cosine, sine])
    mean = np.einsum("pv,vk->pk", share / weights[:, None], values)
    sides, angles = (
        np.exp(mean[:, 2]) * STRIDE / votes.scale,
        np.arctan2(mean[:, 4], mean[:, 3]) / 4,
    )
    return Centers(votes.to_photo(mean[:, :2]), sides, angles, weights)


def component_boxes(
    marked: NDArray[np.bool_], least: float, joined: int = 1
) -> list[tuple[Floats, Floats]]:
    """Bounding boxes, as (column, row) low and high, of the connected components of a mask (h, w)
    with at least `least` patches.

    joined: size of the dilation that bridges gaps, in patches.
    """
    near = np.ones((joined, joined), np.uint8)
    count, label = cv2.connectedComponents(cv2.dilate(marked.astype(np.uint8), near))
    found = []
    for i in range(1, count):
        at = np.argwhere((label == i) & marked)[:, ::-1].astype(np.float64)
        if len(at) >= least:
            found.append((at.min(0), at.max(0)))
    return found


def _peaks(votes: Floats, weight: Floats, shape: tuple[int, ...], side: float) -> Floats:
    """Local maxima (N, 2), in units of patches, of the votes' density; at least half a side
    apart."""
    h, w = shape[0] * FINE, shape[1] * FINE
    density = np.zeros((h, w), np.float32)
    at = np.round((votes + 0.5) * FINE - 0.5).astype(int)
    inside = ((at >= 0) & (at < (w, h))).all(1)
    np.add.at(density, (at[inside, 1], at[inside, 0]), weight[inside])
    soft = np.asarray(cv2.GaussianBlur(density, (0, 0), max(0.6, 0.1 * side * FINE)))
    reach = 2 * max(1, round(0.35 * side * FINE)) + 1
    top = cv2.dilate(soft, np.ones((reach, reach), np.uint8))
    rows, cols = np.nonzero((soft == top) & (soft > 1e-3))
    order = np.argsort(-soft[rows, cols])
    points = (np.stack([cols, rows], 1)[order] + 0.5) / FINE - 0.5
    away = np.linalg.norm(points[:, None] - points[None], axis=-1)
    kept: list[int] = []
    for i in range(len(points)):
        if (away[i, kept] > 0.5 * side).all():
            kept.append(i)
    return points[kept]
