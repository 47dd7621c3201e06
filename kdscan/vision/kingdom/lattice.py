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

from kdscan.vision.rectify import Floats, lattice, project

NEAR = 0.35
"""A neighbour may lie so many sides off where it is expected: dominoes lie askew."""
UNLIKE = 0.4
"""Neighbours' sides differ by no larger factor than exp of this."""
LEARN = 0.6
"""How far a step that was found changes what the next one is expected to be."""
ON_PLANE = 0.3
"""A centre farther than this from its place on the common plane, in sides, is left out."""
FEWEST = 4
"""So few squares are no kingdom: the castle and two dominoes have five."""
ROUNDS = 4
"""How often a plane is fitted anew to what lies on it."""
BEND = 0.2
"""A square's own place counts up to so many sides away from the plane's."""


@dataclass(frozen=True, eq=False)
class Centers:
    """Squares seen: xy (N, 2), side (N,), angle (N,) radians modulo a quarter turn, trust (N,)."""

    xy: Floats
    side: Floats
    angle: Floats
    trust: Floats

    def __len__(self) -> int:
        return len(self.xy)


@dataclass(frozen=True, eq=False)
class Lattice:
    """A patch of squares with a ring around it.

    centers_xy: (R, C, 2), as seen where a square was seen, else by the plane.
    seen: (R, C) bool, whether a square's centre was seen there.
    """

    centers_xy: Floats
    seen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def grow_lattices(squares: Centers) -> list[Lattice]:
    """All lattices of at least `FEWEST` squares, the largest first."""
    free = set(range(len(squares)))
    grown = []
    for seed in np.argsort(-squares.trust):
        if int(seed) in free:
            places = _grow(squares, int(seed), free)
            free -= set(places.values())
            grown.append(places)
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


def _grow(squares: Centers, seed: int, free: set[int]) -> dict[tuple[int, int], int]:
    """Squares by their place (x, y), counted from the seed's; x runs to the right.

    Seen at a slant, the steps along x and y differ in length and are not square to each
    other: each step found is what the next one in its direction is expected to be.
    """
    places = {(0, 0): seed}
    steps = {seed: _first_steps(float(squares.side[seed]), float(squares.angle[seed]))}
    queue = [(0, 0)]
    for x, y in queue:
        here = places[x, y]
        side = squares.side[here]
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            at = (x + dx, y + dy)
            if at in places:
                continue
            away = squares.xy - squares.xy[here] - np.array([dx, dy]) @ steps[here]
            far = np.linalg.norm(away, axis=1)
            near = int(np.argmin(far))
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


def _first_steps(side: float, angle: float) -> Floats:
    """(2, 2): the steps along x and y of a square; x within 45 degrees of the photo's."""
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
        side = float(np.median(squares.side[index]))
        plane = _plane(at, squares.xy[index], ON_PLANE * side)
        low = at.min(0).astype(int) - 1
        cols, rows = at.max(0).astype(int) - low + 2
        centers = project(plane, lattice(int(rows), int(cols)) + low)
        again: dict[tuple[int, int], int] = {}
        nearest: dict[tuple[int, int], float] = {}
        for i in free:
            away = np.linalg.norm(centers - squares.xy[i], axis=-1)
            row, col = np.unravel_index(int(np.argmin(away)), away.shape)
            place = int(col + low[0]), int(row + low[1])
            if away[row, col] < min(ON_PLANE * side, nearest.get(place, np.inf)):
                again[place], nearest[place] = i, float(away[row, col])
        if again.keys() == places.keys() or len(again) < FEWEST:
            break
        places = again
    seen = np.zeros((rows, cols), np.bool_)
    for (x, y), i in again.items():
        row, col = y - low[1], x - low[0]
        seen[row, col] = True
        centers[row, col] = _bent(centers[row, col], squares.xy[i], side)
    return Lattice(centers, seen), set(again.values())


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
