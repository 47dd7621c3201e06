"""Squares of tiles in a picture, the lattices that they form, and what each of their squares holds.

For every patch of a thumbnail a network votes: whether it lies on a square of a tile, where that
square's centre is and how uncertain that is, and the square's angle and size. The votes for one
square cluster around its centre. As a kingdom has no fixed outline, a lattice is grown from square
to square: a neighbour lies one side away in one of the square's four directions. A homography is
fitted to each grown lattice; squares that disagree are dropped.

A single crop of a rectified square can be ambiguous: a yellow table looks like a wheat field. But a
table looks much the same everywhere, and tiles differ from it. So each place is compared with those
of the same lattice that are certainly table. A place that is not a tile and does not look like the
table either is covered by an object, which may hide a tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import STRIDE, thumbnail
from kdscan.imaging.arrays import median, sigmoid, softmax
from kdscan.imaging.picture import (
    FLAT_MARGIN,
    Floats,
    Network,
    Photo,
    RectifiedSheet,
    lattice_points,
    project,
)
from kdscan.rules.kingdomino.kingdom import EMPTY
from kdscan.sheets.kingdom.model import ONE_HOT

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

NEIGHBOUR_RADIUS = 0.35
"""Sides: a neighbour may lie this far from where it is expected, as dominoes lie askew."""
MAX_LOG_RATIO = 0.4
"""Largest log ratio of neighbours' sides."""
STEP_RATE = 0.6
"""Learning rate with which a step to a neighbour updates the next expected step."""
NEIGHBOURHOOD = 3.2
"""Sides: squares within this distance of the seed determine its initial steps. On 96 photos, 36 of
them tilted by 38 to 60 degrees, steps measured between neighbours read no square better."""
ON_PLANE = 0.3
"""Sides: RANSAC's inlier threshold for the lattice's plane."""
SEEDS, EARLY_STOP = 6, 0.8
"""Number of seeds, of which the one with the largest lattice counts. A lattice with this share of
the remaining squares ends the search."""
MIN_SQUARES = 4
"""Least squares of a lattice: a castle and two dominoes have five."""
MAX_ROUNDS = 4
"""Most iterations of fitting the plane and collecting its squares."""
MAX_BEND = 0.2
"""Sides: a square's detected centre is used up to this distance from the plane's."""


class VoteMap(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Centers:
    """Detected squares: xy (N, 2), side (N,), angle (N,) in radians modulo 90°, weight (N,)."""

    xy: Floats
    side: Floats
    angle: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.xy)

    def __getitem__(self, mask: NDArray[np.bool_]) -> Centers:
        """The squares of a mask (N,)."""
        return Centers(self.xy[mask], self.side[mask], self.angle[mask], self.weight[mask])


@dataclass(frozen=True, eq=False)
class Lattice:
    """A lattice of squares with a ring of empty places around it.

    centers_xy: (R, C, 2), photo frame, as detected, or else predicted by the plane.
    detected: (R, C), whether a square was detected there.
    """

    centers_xy: Floats
    detected: NDArray[np.bool_]

    @property
    def side(self) -> float:
        """Median distance of neighbours in a row, photo pixels."""
        return float(np.median(np.linalg.norm(np.diff(self.centers_xy, axis=1), axis=-1)))

    @property
    def squares(self) -> int:
        """Number of squares detected."""
        return int(self.detected.sum())

    @property
    def squares_xy(self) -> Floats:
        """(N, 2), photo frame: the detected squares' centres."""
        return self.centers_xy[self.detected]

    def share_of(self, other: Lattice, near: float) -> float:
        """Share of another lattice's squares within `near` sides of one of this one's."""
        away = np.linalg.norm(other.squares_xy[:, None] - self.squares_xy[None], axis=-1).min(1)
        return float((away < near * self.side).mean())


def lies_on(lattice: Lattice, others: Iterable[Lattice]) -> bool:
    """Whether most squares of a lattice are within a side of the squares of one of the others."""
    return any(other.share_of(lattice, 1.0) > 0.5 for other in others)


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
    boxes = component_boxes(votes.on_tile > SURE_LOGIT, MIN_SURE_PATCHES, JOIN_RADIUS)
    for low, high in component_boxes(votes.on_tile > 0, MIN_LIKELY_PATCHES):
        middle = (low + high) / 2
        if not any(((middle > a - 0.5) & (middle < b + 0.5)).all() for a, b in boxes):
            boxes.append((low, high))
    return [(votes.to_photo(low - 0.5), votes.to_photo(high + 0.5)) for low, high in boxes]


def component_boxes(
    mask: NDArray[np.bool_], least: float, joined: int = 1
) -> list[tuple[Floats, Floats]]:
    """Bounding boxes, as (column, row) low and high, of the connected components of a mask (h, w)
    with at least `least` patches.

    joined: size of the dilation that bridges gaps, in patches.
    """
    near = np.ones((joined, joined), np.uint8)
    count, label = cv2.connectedComponents(cv2.dilate(mask.astype(np.uint8), near))
    parts = [np.argwhere((label == i) & mask)[:, ::-1].astype(float) for i in range(1, count)]
    return [(at.min(0), at.max(0)) for at in parts if len(at) >= least]


def find_squares(votes: VoteMap) -> Centers:
    """Cluster the votes into squares, photo frame."""
    rows, cols = np.nonzero(votes.on_tile > 0)
    centers = np.stack([cols, rows], 1) + votes.center[:, rows, cols].T
    weight = sigmoid(-votes.log_error[0, rows, cols])
    cosine, sine, log_side = votes.pose[:, rows, cols]
    log_side = np.clip(log_side, -1, 4)
    side = np.exp(log_side)
    typical = float(np.median(side)) if len(side) else 1.0
    # Local maxima of the votes' density, in units of patches.
    h, w = (patches * FINE for patches in votes.on_tile.shape)
    density = np.zeros((h, w), np.float32)
    at = np.round((centers + 0.5) * FINE - 0.5).astype(int)
    inside = ((at >= 0) & (at < (w, h))).all(1)
    np.add.at(density, (at[inside, 1], at[inside, 0]), weight[inside])
    soft = np.asarray(cv2.GaussianBlur(density, (0, 0), max(0.6, 0.1 * typical * FINE)))
    reach = 2 * max(1, round(0.35 * typical * FINE)) + 1
    top = cv2.dilate(soft, np.ones((reach, reach), np.uint8))
    rows, cols = np.nonzero((soft == top) & (soft > 1e-3))
    peaks = (np.stack([cols, rows], 1) + 0.5) / FINE - 0.5
    # Distances as absolute values of complex numbers: faster than norms.
    away = np.abs((peaks @ (1, 1j))[:, None] - centers @ (1, 1j))
    near = away < CLUSTER_RADIUS * side[away.argmin(1)][:, None] if len(centers) else away < 0
    share = near * weight
    weights = share.sum(1)
    enough = (weights >= MIN_VOTES * 0.5) & (near.sum(1) >= 2)
    share, weights = share[enough], weights[enough]
    # einsum rather than @, which would start BLAS threads that spin longer than all of this takes.
    values = np.column_stack([centers, log_side, cosine, sine])
    mean = np.einsum("pv,vk->pk", share / weights[:, None], values)
    sides = np.exp(mean[:, 2]) * STRIDE / votes.scale
    return Centers(
        votes.to_photo(mean[:, :2]), sides, np.arctan2(mean[:, 4], mean[:, 3]) / 4, weights
    )


def grow_lattices(squares: Centers) -> list[Lattice]:
    """All lattices of at least `MIN_SQUARES` squares, the largest first."""
    free = set(range(len(squares)))
    grown = []
    while free:
        seeds = sorted(free, key=lambda i: -float(squares.weight[i]))[:SEEDS]
        largest: dict[tuple[int, int], int] = {}
        for seed in seeds:
            largest = max(largest, _grow(squares, seed, free), key=len)
            if len(largest) > EARLY_STOP * len(free):
                break
        free -= set(largest.values()) if len(largest) >= MIN_SQUARES else set(seeds)
        grown.append(largest)
    free = set(range(len(squares)))
    lattices = []
    for places in sorted(grown, key=len, reverse=True):
        left = {place: i for place, i in places.items() if i in free}
        if len(left) >= MIN_SQUARES:
            lattice, used = _fit_lattice(squares, left, free)
            free -= used
            if lattice.squares >= MIN_SQUARES:
                lattices.append(lattice)
    return sorted(lattices, key=lambda lattice: -lattice.squares)


def _grow(squares: Centers, seed: int, free: set[int]) -> dict[tuple[int, int], int]:
    """Region growing: indices of squares by place (x, y) relative to the seed; x runs to the right.

    Under perspective the steps along x and y differ in length and are not orthogonal, so each
    step that leads to a square updates the expected next one in its direction.
    """
    xy = squares.xy @ (1, 1j)  # absolute values of complex numbers are faster than norms
    places = {(0, 0): seed}
    # The first steps, by the side and the mean angle that the network predicts for the seed and
    # those nearby; x within 45° of the photo's.
    side = float(squares.side[seed])
    nearby = np.linalg.norm(squares.xy - squares.xy[seed], axis=1) < NEIGHBOURHOOD * side
    angle = float(np.angle(np.exp(4j * squares.angle[nearby]).sum())) / 4
    c, s = np.cos(angle), np.sin(angle)
    steps = {seed: side * np.array([[c, s], [-s, c]])}
    queue = [(0, 0)]
    for x, y in queue:
        start = places[x, y]
        side = squares.side[start]
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            at = (x + dx, y + dy)
            if at in places:
                continue
            step = (dx + dy) * steps[start][abs(dy)]
            far = np.abs(xy - (xy[start] + complex(*step)))
            near = int(far.argmin())
            unlike = abs(np.log(squares.side[near] / side)) > MAX_LOG_RATIO
            if near in steps or near not in free or far[near] > NEIGHBOUR_RADIUS * side or unlike:
                continue
            measured = (squares.xy[near] - squares.xy[start]) * (dx + dy)
            learned = steps[start].copy()
            learned[abs(dy)] += STEP_RATE * (measured - learned[abs(dy)])
            steps[start] = learned
            places[at], steps[near] = near, learned
            queue.append(at)
    return places


def _fit_lattice(
    squares: Centers, places: dict[tuple[int, int], int], free: set[int]
) -> tuple[Lattice, set[int]]:
    """Fit a plane to grown squares; returns the lattice with a ring around, and its squares'
    indices.

    Squares that were not reached by growing, because of gaps, are added if they lie on the plane;
    each iteration may extend the lattice by a ring.
    """
    for _ in range(MAX_ROUNDS):
        at, index = np.array(list(places), np.float64), np.array(list(places.values()))
        xy = squares.xy[index]
        adjacent = np.abs(at[:, None] - at[None]).sum(-1) == 1
        pitches = np.linalg.norm(xy[:, None] - xy[None], axis=-1)[adjacent]
        side = float(np.median(pitches if len(pitches) else squares.side[index]))
        plane = _fit_plane(at, xy, ON_PLANE * side)
        low = at.min(0).astype(int) - 1
        cols, rows = at.max(0).astype(int) - low + 2
        centers = project(plane, lattice_points(int(rows), int(cols)) + low)
        unused = np.array(sorted(free))
        away = np.abs((centers @ (1, 1j)).ravel() - (squares.xy[unused] @ (1, 1j))[:, None])
        nearest = away.argmin(1)
        extended = {}
        for k in np.argsort(-away.min(1), kind="stable"):  # the nearest to a place comes last
            row, col = divmod(int(nearest[k]), int(cols))
            if away[k, nearest[k]] < ON_PLANE * side:
                extended[int(col + low[0]), int(row + low[1])] = int(unused[k])
        if extended.keys() == places.keys() or len(extended) < MIN_SQUARES:
            break
        places = extended
    detected = np.zeros((rows, cols), np.bool_)
    col, row = (np.array(list(extended)) - low).T
    detected[row, col] = True
    bend = squares.xy[list(extended.values())] - centers[row, col]
    far = np.maximum(np.linalg.norm(bend, axis=1), 1e-9)
    centers[row, col] += bend * np.minimum(1.0, MAX_BEND * side / far)[:, None]
    return Lattice(centers, detected), set(extended.values())


def _fit_plane(at: Floats, xy: Floats, limit: float) -> Floats:
    """(3, 3) homography from places to points by RANSAC; a similarity if there are too few."""
    flat: Any
    if len(at) >= 8 and np.ptp(at[:, 0]) >= 2 and np.ptp(at[:, 1]) >= 2:
        h: Any
        h, agree = cv2.findHomography(at, xy, cv2.RANSAC, limit)
        if h is not None and agree.sum() >= 0.7 * len(at):
            inliers = agree.ravel() > 0
            refined: Any
            refined, _ = cv2.findHomography(at[inliers], xy[inliers], 0)
            return np.asarray(h if refined is None else refined, np.float64)
    flat, _ = cv2.estimateAffinePartial2D(at, xy, ransacReprojThreshold=limit)
    if flat is None:
        flat = np.array([[1, 0, xy[0, 0]], [0, 1, xy[0, 1]]])
    return np.vstack([np.asarray(flat, np.float64), [0, 0, 1]])


# What each square of a rectified lattice holds

SIDE_PX = 64
"""Pixels per square of a rectified kingdom."""
CROP_SQUARES = 1 + 2 * FLAT_MARGIN
"""Side of a crop in squares."""
SINGLE_VIEW, ROTATIONS = 0.98, 4
"""A square is classified in a single view if its best kind has this probability, else in this many
rotations."""

TABLE_PROBABILITY = 0.9
"""Least probability of being empty at which an undetected place is surely table."""
NEIGHBOURS = 2
"""Number of most similar table places whose mean distance is used."""
BLOCKS = 8
"""Blocks along each side of a place for its descriptor; the outer ones are left out."""
SPREADS = np.array([20.0, 8, 8, 12, 6, 6])
"""Scale of each descriptor component: the spread between tiles of the means of CIELAB L, a, b (8
bit) and of their standard deviations among blocks."""
FULL_DISTANCE, MIN_DISTANCE = 4.0, 0.05
"""At the first distance from the table the probabilities are unchanged. The odds of being a tile
change with the square of the distance, to which the second is added. Fitted on 4,263 places of
synthetic photos; in fivefold cross-validation 8 places were wrong instead of 41 without it."""
PARTS, SAMPLES = 4, 4
"""Parts along each side of a place, and pixels along each side of a part. Parts are compared one by
one with those of other places, because a patterned table looks different in different places."""
PART_SPREADS = np.array([12.0, 6, 6, 8, 4, 4])
"""Scale of each part's means and standard deviations, as `SPREADS`: the spread of a plain table's
light and grain."""
MIN_PLACES = 5
"""Least number of table places with which a place is compared; a cut-out board shows hardly any."""


def crops(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.float32]:
    """(rows * cols, 3, 80, 80) float32, 0..1, BGR: each square with a margin, row-major."""
    side = round(CROP_SQUARES * SIDE_PX)
    planes = flat_bgr.transpose(2, 0, 1)
    cut = [
        planes[:, y : y + side, x : x + side]
        for y in range(0, rows * SIDE_PX, SIDE_PX)
        for x in range(0, cols * SIDE_PX, SIDE_PX)
    ]
    return np.stack(cut).astype(np.float32) / np.float32(255)


def classify_squares(
    flat: RectifiedSheet,
    network: Network,
    visible: NDArray[np.bool_],
    undetected: NDArray[np.bool_],
) -> Floats:
    """(R, C, K) float64: probability of each of `SQUARE_CLASSES` on each square.

    network: (B, 3, 80, 80) → logits (B, K). visible: (R, C), squares inside the photo; others are
    taken to be empty. undetected: see `adjust_for_table`.
    """
    probs = np.tile(ONE_HOT[EMPTY], (*visible.shape, 1))

    def adjusted(batch: Floats) -> Floats:
        """The probabilities of all squares, given those of the visible ones."""
        probs[visible] = batch
        return adjust_for_table(probs, flat, undetected)

    batch = crops(flat.bgr, *visible.shape)[visible.ravel()]
    return adjusted(
        softmax(predict_squares(batch, network, lambda batch: adjusted(batch)[visible]))
    )


def predict_squares(
    batch: NDArray[np.float32], network: Network, adjusted: Callable[[Floats], Floats] = np.asarray
) -> Floats:
    """Logits (B, K), float64, of crops (B, 3, 80, 80).

    Tiles have no upright orientation: the logits of doubtful squares are averaged over four
    rotations by 90° (test-time augmentation). adjusted: probabilities (B, K) → the same, corrected
    by further evidence, which may resolve a doubt.
    """
    logits = network(batch)[0].astype(np.float64)
    doubtful = adjusted(softmax(logits)).max(1) < SINGLE_VIEW
    if doubtful.any():
        rest = batch[doubtful]
        views = [np.ascontiguousarray(np.rot90(rest, k, (2, 3))) for k in range(1, ROTATIONS)]
        rotated = [network(view)[0].astype(np.float64) for view in views]
        logits[doubtful] = (logits[doubtful] + sum(rotated)) / ROTATIONS
    return np.asarray(logits)


def adjust_for_table(probs: Floats, flat: RectifiedSheet, undetected: NDArray[np.bool_]) -> Floats:
    """(R, C, K): probabilities adjusted for similarity to the table; unchanged with too little
    table.

    probs: (R, C, K), from each crop alone. undetected: (R, C), visible places where the locating
    network found no square.
    """
    rows, cols = undetected.shape
    blocks = _lab(flat.bgr, rows, cols, BLOCKS).reshape(rows, BLOCKS, cols, BLOCKS, 3)
    inner = blocks[:, 1:-1, :, 1:-1]
    descriptors = np.concatenate([inner.mean((1, 3)), inner.std((1, 3))], -1) / SPREADS
    table = (probs[..., EMPTY] > TABLE_PROBABILITY) & undetected
    distances = np.linalg.norm(descriptors[:, :, None] - descriptors[table], axis=-1)
    distances[table, np.arange(distances.shape[-1])] = np.inf  # no place is compared with itself
    if distances.shape[-1] <= NEIGHBOURS:
        return probs
    distance = np.sort(distances, axis=-1)[..., :NEIGHBOURS].mean(-1) + MIN_DISTANCE
    adjusted = probs.copy()
    adjusted[..., EMPTY] *= (FULL_DISTANCE / distance) ** 2
    return np.asarray(adjusted / adjusted.sum(-1, keepdims=True))


def unlike_table(
    probs: Floats, flat: RectifiedSheet, undetected: NDArray[np.bool_], bare: NDArray[np.bool_]
) -> Floats:
    """(R, C): how unlike the table each bare place looks, in units of `PART_SPREADS`: the median,
    over its parts, of the distance to the most similar part of any certain table. Adjoining places
    are not compared, since an object may cover several. 0 for other places and with too little
    table.

    probs: (R, C, K). undetected: see `adjust_for_table`. bare: (R, C), visible places that are
    classified as table.
    """
    rows, cols = bare.shape
    lab = _lab(flat.bgr, rows, cols, PARTS * SAMPLES)
    blocks = lab.reshape(rows, PARTS, SAMPLES, cols, PARTS, SAMPLES, 3)
    stats = np.concatenate([blocks.mean((2, 5)), blocks.std((2, 5))], -1) / PART_SPREADS
    parts = stats.swapaxes(1, 2).reshape(rows, cols, PARTS**2, -1)

    places = np.argwhere(bare)
    table = np.argwhere((probs[..., EMPTY] > TABLE_PROBABILITY) & undetected)
    apart = np.abs(places[:, None] - table).max(-1, initial=0) > 1
    unlike = np.zeros(bare.shape)
    too_few = apart.sum(1) < MIN_PLACES
    if too_few.all():
        return unlike
    ours, theirs = parts[bare].reshape(-1, 6), parts[table[:, 0], table[:, 1]].reshape(-1, 6)
    squares = (ours**2).sum(1)[:, None] + (theirs**2).sum(1) - 2 * ours @ theirs.T
    nearest = squares.reshape(len(places), PARTS**2, len(table), PARTS**2).min(-1)
    away = np.sqrt(np.maximum(nearest, 0)).swapaxes(1, 2)  # (places, table, parts)
    away[~apart] = np.inf
    unlike[bare] = np.where(too_few, 0, median(away.min(1).T))
    return unlike


def _lab(flat_bgr: NDArray[np.uint8], rows: int, cols: int, side: int) -> Floats:
    """(R * side, C * side, 3): a lattice's places in CIELAB, `side` pixels each."""
    margin = round(FLAT_MARGIN * SIDE_PX)
    inner = flat_bgr[margin : margin + rows * SIDE_PX, margin : margin + cols * SIDE_PX]
    small = cv2.resize(inner, (cols * side, rows * side), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.float64)
