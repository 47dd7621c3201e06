"""What a network sees of tiles in a picture: which patches lie on them, and where squares are.

The network looks at the thumbnail and says for every patch whether it lies on a square of a
tile, where that square's centre is, how uncertain that is, and how the square is turned and
how large it is. Votes of one square meet in one point.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import STRIDE, thumbnail
from kdscan.kinds.kingdom.lattice import Centers
from kdscan.records import Photo
from kdscan.records.arrays import Floats, Network

FINE = 4
"""Places a patch along each side, on which votes are gathered."""
MEET = 0.32
"""Votes so near to each other, in sides, stand for one square."""
LEAST = 1.2
"""Votes that a square needs, each by its certainty."""
LEAST_PATCHES, MANY_PATCHES = 3, 8
"""A region of fewer patches that surely, or likely, lie on squares is not looked at."""
JOINED = 3
"""Patches that surely lie on squares and are so near to each other are one region's."""
SURELY_ON = 1.5
"""Logit of a patch that a region is made of."""


@dataclass(frozen=True, eq=False)
class Look:
    """What the network says of a picture cut from the photo at `corner`.

    on: (h, w) logits. place, doubt, laid: as the network gives them, (C, h, w).
    scale: thumbnail pixels a photo pixel.
    """

    on: Floats
    place: Floats
    doubt: Floats
    laid: Floats
    scale: float
    corner: tuple[int, int] = (0, 0)

    def to_photo(self, patches: Floats) -> Floats:
        """Points in patches → the photo's frame."""
        return np.asarray((patches + 0.5) * STRIDE / self.scale - 0.5 + np.array(self.corner))

    def at(self, xy: Floats) -> Floats:
        """(N,) logits of the patches nearest to points (N, 2) of the photo."""
        patches = (xy - np.array(self.corner) + 0.5) * self.scale / STRIDE - 0.5
        last = np.array(self.on.shape[::-1]) - 1
        cols, rows = np.clip(np.round(patches).astype(int), 0, last).T
        return np.asarray(self.on[rows, cols])


def look_at(
    photo: Photo, network: Network, corner: tuple[int, int] = (0, 0), shrink: int = 1
) -> Look:
    """Look at a picture that was cut from a photo at `corner` and shrunk so many times.

    network: `thumbnail` → on-square logit (1, 1, h, w), centre x, y in patches (1, 2, h, w),
        log of its expected error (1, 1, h, w), cosine and sine of four times the angle and log
        of the side in patches (1, 3, h, w).
    """
    thumb, scale = thumbnail(photo)
    on, place, doubt, laid = (out[0].astype(np.float64) for out in network(thumb))
    return Look(on[0], place, doubt, laid, scale / shrink, corner)


def regions_of(look: Look) -> list[tuple[Floats, Floats]]:
    """Corners, low and high, in the photo, of patches of table with squares on them: surely so,
    or many that are only likely and have no sure ones by them."""

    def corners(marked: NDArray[np.bool_], least: int, joined: int) -> list[tuple[Floats, Floats]]:
        some = patches_of(marked, least, joined)
        return [(look.to_photo(low - 0.5), look.to_photo(high + 0.5)) for low, high in some]

    found = corners(look.on > SURELY_ON, LEAST_PATCHES, JOINED)
    for low, high in corners(look.on > 0, MANY_PATCHES, 1):
        middle = (low + high) / 2
        if not any(((middle > a) & (middle < b)).all() for a, b in found):
            found.append((low, high))
    return found


def squares_of(look: Look) -> Centers:
    """Where votes meet, in the photo's frame."""
    rows, cols = np.nonzero(look.on > 0)
    votes = np.stack([cols, rows], 1) + look.place[:, rows, cols].T
    weight = 1 / (1 + np.exp(look.doubt[0, rows, cols]))
    cosine, sine, log_side = look.laid[:, rows, cols]
    log_side = np.clip(log_side, -1, 4)
    side = np.exp(log_side)
    peaks = _peaks(votes, weight, look.on.shape, float(np.median(side)) if len(side) else 1.0)
    away = np.abs((peaks @ (1, 1j))[:, None] - votes @ (1, 1j))  # of complex numbers: quickly had
    mine = away < MEET * side[away.argmin(1)][:, None] if len(votes) else away < 0
    share = mine * weight
    weights = share.sum(1)
    kept = (weights >= LEAST * 0.5) & (mine.sum(1) >= 2)
    share, weights = share[kept], weights[kept]
    # Not by @, which would wake BLAS's threads: they spin for longer than all of this takes.
    values = np.column_stack([votes, log_side, cosine, sine])
    mean = np.einsum("pv,vk->pk", share / weights[:, None], values)
    sides, angles = np.exp(mean[:, 2]) * STRIDE / look.scale, np.arctan2(mean[:, 4], mean[:, 3]) / 4
    return Centers(look.to_photo(mean[:, :2]), sides, angles, weights)


def patches_of(
    marked: NDArray[np.bool_], least: float, joined: int = 1
) -> list[tuple[Floats, Floats]]:
    """First and last column and row of what hangs together of (h, w) marked patches, where these
    are so many.

    joined: patches that are no farther apart than this hang together.
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
    """Points (N, 2), in patches, where votes are densest; none closer than half a side."""
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
