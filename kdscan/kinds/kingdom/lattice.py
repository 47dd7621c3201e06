"""Centres of squares → lattices: which centres lie side by side, and on which plane.

A kingdom has no fixed outline, so nothing says where its lattice begins. It grows from one
square to the next: a neighbour lies a side's length away in one of the four directions of
the square itself. What has grown together is laid on a plane; squares that disagree are out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import lattice, project
from kdscan.records.arrays import Floats

NEAR = 0.35
"""A neighbour may lie so many sides off where it is expected: dominoes lie askew."""
UNLIKE = 0.4
"""Neighbours' sides differ by no larger factor than exp of this."""
LEARN = 0.6
"""How far a step that was found changes what the next one is expected to be."""
AROUND = 3.2
"""Squares no farther than so many sides tell in which steps the lattice begins;"""
STEP = (0.55, 1.5)
"""a step is so long, in sides that the network gives;"""
ALIKE = 0.22
"""two are the same if they differ by less than this;"""
SLANT = 0.7
"""and two that span a lattice enclose an angle with no larger cosine."""
FEW_STEPS = 4
"""From fewer steps nothing is told."""
ON_PLANE = 0.3
"""A centre farther than this from its place on the common plane, in sides, is left out."""
SEEDS, NEARLY_ALL = 6, 0.8
"""A lattice is begun at each of so many squares; the one that grows farthest stays. One that
holds more than this share of what is left is far enough."""
FEWEST = 4
"""So few squares are no kingdom: the castle and two dominoes have five."""
ROUNDS = 4
"""How often a plane is fitted anew to what lies on it."""
BEND = 0.2
"""A square's own place counts up to so many sides away from the plane's."""


@dataclass(frozen=True, eq=False)
class Centers:
    """Squares seen: xy (N, 2), side (N,), angle (N,) radians modulo a quarter turn, weight (N,)."""

    xy: Floats
    side: Floats
    angle: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.xy)

    def __getitem__(self, kept: NDArray[np.bool_]) -> Centers:
        """Some of the squares; kept: (N,)."""
        return Centers(self.xy[kept], self.side[kept], self.angle[kept], self.weight[kept])


@dataclass(frozen=True, eq=False)
class Lattice:
    """A patch of squares with a ring around it.

    centers_xy: (R, C, 2), as seen where a square was seen, else by the plane.
    seen: (R, C) bool, whether a square's centre was seen there.
    """

    centers_xy: Floats
    seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def side(self) -> float:
        """Median distance of neighbours in a row, in pixels of the photo."""
        return float(np.median(np.linalg.norm(np.diff(self.centers_xy, axis=1), axis=-1)))


def grow_lattices(squares: Centers) -> list[Lattice]:
    """All lattices of at least `FEWEST` squares, the largest first."""
    free = set(range(len(squares)))
    grown = []
    while free:
        seeds = sorted(free, key=lambda i: -float(squares.weight[i]))[:SEEDS]
        largest: dict[tuple[int, int], int] = {}
        for seed in seeds:
            largest = max(largest, _grow(squares, seed, free), key=len)
            if len(largest) > NEARLY_ALL * len(free):
                break
        free -= set(largest.values()) if len(largest) >= FEWEST else set(seeds)
        grown.append(largest)
    free = set(range(len(squares)))
    found = []
    for places in sorted(grown, key=len, reverse=True):
        left = {place: i for place, i in places.items() if i in free}
        if len(left) >= FEWEST:
            one, used = _on_plane(squares, left, free)
            free -= used
            if one.seen.sum() >= FEWEST:
                found.append(one)
    return sorted(found, key=lambda one: -int(one.seen.sum()))


def share(other: Lattice, lattice: Lattice, near: float) -> float:
    """Share of the other lattice's squares that lie, but for so many sides, where one of this
    lattice's does."""
    mine, its = lattice.centers_xy[lattice.seen], other.centers_xy[other.seen]
    away = np.linalg.norm(its[:, None] - mine[None], axis=-1).min(1)
    return float((away < near * lattice.side).mean())


def _grow(squares: Centers, seed: int, free: set[int]) -> dict[tuple[int, int], int]:
    """Squares by their place (x, y), counted from the seed's; x runs to the right.

    Seen at a slant, the steps along x and y differ in length and are not square to each
    other: each step found is what the next one in its direction is expected to be.
    """
    xy = squares.xy @ (1, 1j)  # lengths of complex numbers are quickly had
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
            unlike = abs(np.log(squares.side[near] / side)) > UNLIKE
            if near in steps or near not in free or far[near] > NEAR * side or unlike:
                continue
            found = (squares.xy[near] - squares.xy[here]) * (dx + dy)
            learned = steps[here].copy()
            learned[abs(dy)] += LEARN * (found - learned[abs(dy)])
            steps[here] = learned
            places[at], steps[near] = near, learned
            queue.append(at)
    return places


def _first_steps(squares: Centers, seed: int) -> Floats:
    """(2, 2): the steps along x and y at a square; x within 45 degrees of the photo's.

    Two directions in which many squares around it have a neighbour, and as which the network
    sees them turned: at a slant a diagonal can be shorter than a side. How it sees the square
    itself counts where there are too few.
    """
    side = float(squares.side[seed])
    around = np.linalg.norm(squares.xy - squares.xy[seed], axis=1) < AROUND * side
    xy = squares.xy[around]
    away = (xy[:, None] - xy[None]).reshape(-1, 2)
    away = away[away @ (1.0, 1e-3) > 0]  # each pair once
    length = np.linalg.norm(away, axis=1)
    away = away[(length > STEP[0] * side) & (length < STEP[1] * side)]
    pairs = _crossing(away)
    if len(away) < FEW_STEPS or not len(pairs):
        return _squared(side, float(squares.angle[seed]))
    alike = np.linalg.norm(away[:, None] - away[None], axis=-1) < ALIKE * side
    alike |= np.linalg.norm(away[:, None] + away[None], axis=-1) < ALIKE * side
    one, two = pairs.T
    size = np.linalg.norm(away, axis=1) / side
    upright = np.abs(away[one, 0] * away[two, 1] - away[one, 1] * away[two, 0]) / side**2
    # Steps along a diagonal span the same lattice: of such pairs the squarer one is meant.
    score = (alike.sum(1)[one] + alike.sum(1)[two]) * upright / (size[one] * size[two]) ** 1.5
    turn = np.exp(4j * np.angle(away @ (1, 1j)))
    off = (turn[one] + turn[two]) * np.conj(np.exp(4j * squares.angle[around]).sum())
    best = int(np.argmax(score * (1 + np.cos(np.angle(off)))))
    steps = np.stack([_mean_step(away[alike[i]], away[i]) for i in (one[best], two[best])])
    return _upright(steps)


def _crossing(away: Floats) -> NDArray[np.intp]:
    """(N, 2): which two of these steps stand steeply enough on each other to span a lattice."""
    unit = away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return np.argwhere(np.triu(np.abs(unit @ unit.T) < SLANT, 1))


def _mean_step(alike: Floats, like: Floats) -> Floats:
    return np.asarray((alike * np.sign(alike @ like)[:, None]).mean(0))


def _upright(steps: Floats) -> Floats:
    """The same two steps, or the way back, so that x runs to the right and y down."""
    x, y = steps if abs(steps[0, 0]) >= abs(steps[1, 0]) else steps[::-1]
    x = x if x[0] > 0 else -x
    return np.stack([x, y if x[0] * y[1] - x[1] * y[0] > 0 else -y])


def _squared(side: float, angle: float) -> Floats:
    quarter = np.pi / 2
    angle -= quarter * round(angle / quarter)
    c, s = np.cos(angle), np.sin(angle)
    return side * np.array([[c, s], [-s, c]])


def _on_plane(
    squares: Centers, places: dict[tuple[int, int], int], free: set[int]
) -> tuple[Lattice, set[int]]:
    """The lattice on the plane of these squares, with a ring around, and the squares it took.

    Squares that did not grow on, because what lies between was not seen, are taken in when
    they lie on the plane; each round may reach a ring farther.
    """
    for _ in range(ROUNDS):
        at = np.array(list(places), np.float64)
        index = np.array(list(places.values()))
        side = _pitch(at, squares.xy[index]) or float(np.median(squares.side[index]))
        plane = _plane(at, squares.xy[index], ON_PLANE * side)
        low = at.min(0).astype(int) - 1
        cols, rows = at.max(0).astype(int) - low + 2
        centers = project(plane, lattice(int(rows), int(cols)) + low)
        some = np.array(sorted(free))
        away = np.abs((centers @ (1, 1j)).ravel() - (squares.xy[some] @ (1, 1j))[:, None])
        nearest = away.argmin(1)
        again = {}
        for k in np.argsort(-away.min(1), kind="stable"):  # of two at one place the nearer stays
            row, col = divmod(int(nearest[k]), int(cols))
            if away[k, nearest[k]] < ON_PLANE * side:
                again[int(col + low[0]), int(row + low[1])] = int(some[k])
        if again.keys() == places.keys() or len(again) < FEWEST:
            break
        places = again
    seen = np.zeros((rows, cols), np.bool_)
    for (x, y), i in again.items():
        row, col = y - low[1], x - low[0]
        seen[row, col] = True
        centers[row, col] = _bent(centers[row, col], squares.xy[i], side)
    return Lattice(centers, seen), set(again.values())


def _pitch(at: Floats, xy: Floats) -> float:
    """Median distance of squares that lie side by side; 0 when none do."""
    beside = np.abs(at[:, None] - at[None]).sum(-1) == 1
    away = np.linalg.norm(xy[:, None] - xy[None], axis=-1)[beside]
    return float(np.median(away)) if len(away) else 0.0


def _bent(expected: Floats, seen: Floats, side: float) -> Floats:
    away = seen - expected
    far = max(float(np.linalg.norm(away)), 1e-9)
    return np.asarray(expected + away * min(1.0, BEND * side / far))


def _plane(at: Floats, xy: Floats, limit: float) -> Floats:
    """(3, 3) homography from places to points; without perspective when they are too few."""
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
