"""Centres of squares → lattices, by region growing and a fitted homography.

A kingdom has no fixed outline, so a lattice is grown from square to square: a neighbour lies one
side away in one of the square's four directions. A homography is then fitted to each grown
lattice; squares that disagree are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats
from kdscan.imaging.rectify import lattice_points, project

NEIGHBOUR_RADIUS = 0.35
"""Sides: a neighbour may lie this far from where it is expected, as dominoes lie askew."""
MAX_LOG_RATIO = 0.4
"""Largest log ratio of neighbours' sides."""
STEP_RATE = 0.6
"""Learning rate with which a step to a neighbour updates the next expected step."""
NEIGHBOURHOOD = 3.2
"""Sides: squares within this distance of the seed determine its initial steps."""
STEP_RANGE = (0.55, 1.5)
"""Range of a step's length, in sides as the network predicts them."""
SAME_STEP = 0.22
"""Sides: steps that differ by less are the same."""
MAX_COSINE = 0.7
"""Largest cosine of the angle between two steps that span a lattice."""
MIN_STEPS = 4
"""With fewer steps around the seed its own predicted pose is used."""
ON_PLANE = 0.3
"""Sides: RANSAC's inlier threshold for the lattice's plane."""
SEEDS, EARLY_STOP = 6, 0.8
"""Number of seeds; the largest lattice grown from them is kept. A lattice with this share of the
remaining squares ends the search."""
MIN_SQUARES = 4
"""Least squares of a lattice: a castle and two dominoes have five."""
MAX_ROUNDS = 4
"""Most iterations of fitting the plane and collecting its squares."""
MAX_BEND = 0.2
"""Sides: a square's detected centre is used up to this distance from the plane's."""


@dataclass(frozen=True, eq=False)
class Centers:
    """Detected squares: xy (N, 2), side (N,), angle (N,) in radians modulo 90°, weight (N,)."""

    xy: Floats
    side: Floats
    angle: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.xy)

    def __getitem__(self, kept: NDArray[np.bool_]) -> Centers:
        """The squares of a mask (N,)."""
        return Centers(self.xy[kept], self.side[kept], self.angle[kept], self.weight[kept])


@dataclass(frozen=True, eq=False)
class Lattice:
    """A lattice of squares with a ring of empty places around it.

    centers_xy: (R, C, 2), photo frame, as detected, or else predicted by the plane.
    seen: (R, C) bool, whether a square was detected there.
    """

    centers_xy: Floats
    seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def side(self) -> float:
        """Median distance of neighbours in a row, photo pixels."""
        return float(np.median(np.linalg.norm(np.diff(self.centers_xy, axis=1), axis=-1)))


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
    found = []
    for places in sorted(grown, key=len, reverse=True):
        left = {place: i for place, i in places.items() if i in free}
        if len(left) >= MIN_SQUARES:
            one, used = _on_plane(squares, left, free)
            free -= used
            if one.seen.sum() >= MIN_SQUARES:
                found.append(one)
    return sorted(found, key=lambda one: -int(one.seen.sum()))


def overlap_share(other: Lattice, lattice: Lattice, near: float) -> float:
    """Share of the other lattice's squares within `near` sides of one of this lattice's squares."""
    mine, its = lattice.centers_xy[lattice.seen], other.centers_xy[other.seen]
    away = np.linalg.norm(its[:, None] - mine[None], axis=-1).min(1)
    return float((away < near * lattice.side).mean())


def lies_on(other: Lattice, lattices: Iterable[Lattice]) -> bool:
    """Whether most squares of a lattice are within a side of one of these lattices' squares."""
    return any(overlap_share(other, lattice, 1.0) > 0.5 for lattice in lattices)


def _grow(squares: Centers, seed: int, free: set[int]) -> dict[tuple[int, int], int]:
    """Region growing: indices of squares by place (x, y) relative to the seed; x runs to the right.

    Under perspective the steps along x and y differ in length and are not orthogonal, so each found
    step updates the expected next one in its direction.
    """
    xy = squares.xy @ (1, 1j)  # absolute values of complex numbers are faster than norms
    places = {(0, 0): seed}
    steps = {seed: _first_steps(squares, seed)}
    queue = [(0, 0)]
    for x, y in queue:
        here = places[x, y]
        side = squares.side[here]
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            at = (x + dx, y + dy)
            if at in places:
                continue
            step = (dx + dy) * steps[here][abs(dy)]
            far = np.abs(xy - (xy[here] + complex(*step)))
            near = int(far.argmin())
            unlike = abs(np.log(squares.side[near] / side)) > MAX_LOG_RATIO
            if near in steps or near not in free or far[near] > NEIGHBOUR_RADIUS * side or unlike:
                continue
            found = (squares.xy[near] - squares.xy[here]) * (dx + dy)
            learned = steps[here].copy()
            learned[abs(dy)] += STEP_RATE * (found - learned[abs(dy)])
            steps[here] = learned
            places[at], steps[near] = near, learned
            queue.append(at)
    return places


def _first_steps(squares: Centers, seed: int) -> Floats:
    """(2, 2): initial steps along x and y at a square; x within 45° of the photo's.

    The two directions in which most squares nearby have a neighbour and that agree with the angles
    the network predicts; under perspective a diagonal can be shorter than a side. With too few
    neighbours the square's own predicted pose is used.
    """
    side = float(squares.side[seed])
    around = np.linalg.norm(squares.xy - squares.xy[seed], axis=1) < NEIGHBOURHOOD * side
    xy = squares.xy[around]
    away = (xy[:, None] - xy[None]).reshape(-1, 2)
    away = away[away @ (1.0, 1e-3) > 0]  # each pair once
    length = np.linalg.norm(away, axis=1)
    away = away[(length > STEP_RANGE[0] * side) & (length < STEP_RANGE[1] * side)]
    pairs = _crossing(away)
    if len(away) < MIN_STEPS or not len(pairs):
        return _square_steps(side, float(squares.angle[seed]))
    alike = np.linalg.norm(away[:, None] - away[None], axis=-1) < SAME_STEP * side
    alike |= np.linalg.norm(away[:, None] + away[None], axis=-1) < SAME_STEP * side
    one, two = pairs.T
    size = np.linalg.norm(away, axis=1) / side
    upright = np.abs(away[one, 0] * away[two, 1] - away[one, 1] * away[two, 0]) / side**2
    # Diagonal steps span the same lattice: prefer the most orthogonal pair.
    score = (alike.sum(1)[one] + alike.sum(1)[two]) * upright / (size[one] * size[two]) ** 1.5
    turn = np.exp(4j * np.angle(away @ (1, 1j)))
    off = (turn[one] + turn[two]) * np.conj(np.exp(4j * squares.angle[around]).sum())
    best = int(np.argmax(score * (1 + np.cos(np.angle(off)))))
    steps = np.stack([_mean_step(away[alike[i]], away[i]) for i in (one[best], two[best])])
    return _upright(steps)


def _crossing(away: Floats) -> NDArray[np.intp]:
    """(N, 2): index pairs of steps with a large enough angle between them to span a lattice."""
    unit = away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return np.argwhere(np.triu(np.abs(unit @ unit.T) < MAX_COSINE, 1))


def _mean_step(alike: Floats, like: Floats) -> Floats:
    return np.asarray((alike * np.sign(alike @ like)[:, None]).mean(0))


def _upright(steps: Floats) -> Floats:
    """The two steps, swapped or reversed so that x runs to the right and y down."""
    x, y = steps if abs(steps[0, 0]) >= abs(steps[1, 0]) else steps[::-1]
    x = x if x[0] > 0 else -x
    return np.stack([x, y if x[0] * y[1] - x[1] * y[0] > 0 else -y])


def _square_steps(side: float, angle: float) -> Floats:
    quarter = np.pi / 2
    angle -= quarter * round(angle / quarter)
    c, s = np.cos(angle), np.sin(angle)
    return side * np.array([[c, s], [-s, c]])


def _on_plane(
    squares: Centers, places: dict[tuple[int, int], int], free: set[int]
) -> tuple[Lattice, set[int]]:
    """Fit a plane to grown squares; returns the lattice with a ring around, and its squares'
    indices.

    Squares that were not reached by growing, because of gaps, are added if they lie on the plane;
    each iteration may extend the lattice by a ring.
    """
    for _ in range(MAX_ROUNDS):
        at = np.array(list(places), np.float64)
        index = np.array(list(places.values()))
        side = _pitch(at, squares.xy[index]) or float(np.median(squares.side[index]))
        plane = _plane(at, squares.xy[index], ON_PLANE * side)
        low = at.min(0).astype(int) - 1
        cols, rows = at.max(0).astype(int) - low + 2
        centers = project(plane, lattice_points(int(rows), int(cols)) + low)
        some = np.array(sorted(free))
        away = np.abs((centers @ (1, 1j)).ravel() - (squares.xy[some] @ (1, 1j))[:, None])
        nearest = away.argmin(1)
        again = {}
        for k in np.argsort(-away.min(1), kind="stable"):  # the nearest to a place comes last
            row, col = divmod(int(nearest[k]), int(cols))
            if away[k, nearest[k]] < ON_PLANE * side:
                again[int(col + low[0]), int(row + low[1])] = int(some[k])
        if again.keys() == places.keys() or len(again) < MIN_SQUARES:
            break
        places = again
    seen = np.zeros((rows, cols), np.bool_)
    col, row = (np.array(list(again)) - low).T
    seen[row, col] = True
    centers[row, col] = _limit_bend(centers[row, col], squares.xy[list(again.values())], side)
    return Lattice(centers, seen), set(again.values())


def _pitch(at: Floats, xy: Floats) -> float:
    """Median distance of adjacent squares; 0 if there are none."""
    beside = np.abs(at[:, None] - at[None]).sum(-1) == 1
    away = np.linalg.norm(xy[:, None] - xy[None], axis=-1)[beside]
    return float(np.median(away)) if len(away) else 0.0


def _limit_bend(expected: Floats, seen: Floats, side: float) -> Floats:
    """(N, 2): the seen places, none further than `MAX_BEND` sides from the expected one."""
    away = seen - expected
    far = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    return np.asarray(expected + away * np.minimum(1.0, MAX_BEND * side / far)[:, None])


def _plane(at: Floats, xy: Floats, limit: float) -> Floats:
    """(3, 3) homography from places to points by RANSAC; a similarity if there are too few."""
    flat: Any
    if len(at) >= 8 and np.ptp(at[:, 0]) >= 2 and np.ptp(at[:, 1]) >= 2:
        h: Any
        h, agree = cv2.findHomography(at, xy, cv2.RANSAC, limit)
        if h is not None and agree.sum() >= 0.7 * len(at):
            again: Any
            again, _ = cv2.findHomography(at[agree.ravel() > 0], xy[agree.ravel() > 0], 0)
            return np.asarray(h if again is None else again, np.float64)
    flat, _ = cv2.estimateAffinePartial2D(at, xy, ransacReprojThreshold=limit)
    if flat is None:
        flat = np.array([[1, 0, xy[0, 0]], [0, 1, xy[0, 1]]])
    return np.vstack([np.asarray(flat, np.float64), [0, 0, 1]])
