"""A pinhole camera with slight lens distortion, and its mappings.

`Camera.project` maps world points to photo pixels, and `desk_at` maps pixels back to the desk's
plane. `PageMap` maps between page millimetres and photo pixels through the sheet's mesh, in both
directions, so that picture and ground truth use the same mapping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, tau

import numpy as np

from lab.synth.fields import F64, Rng
from lab.synth.photo.paper import Sheet

Rect = tuple[float, float, float, float]
"""x, y, width, height in mm."""


def middle(rect: Rect) -> tuple[float, float]:
    """The middle of a rectangle."""
    x, y, w, h = rect
    return x + w / 2, y + h / 2


def corners_of(rect: Rect) -> F64:
    """(4, 2): its corners, clockwise from the top left."""
    x, y, w, h = rect
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])


def net(rect: Rect, count: int) -> F64:
    """(count², 2): a regular grid of points over it, row by row, its edges included."""
    (x, y, w, h), steps = rect, np.linspace(0, 1, count)
    return np.stack(np.meshgrid(x + w * steps, y + h * steps), -1).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Camera:
    """Where the camera stands and how it sees.

    eye: (3,) world mm. axes: (3, 3), rows are image right, image down, viewing direction.
    focal: pixels. size_wh: photo's pixels. k1: radial distortion at half the diagonal.
    """

    eye: F64
    axes: F64
    focal: float
    size_wh: tuple[int, int]
    k1: float = 0.0

    @property
    def center(self) -> F64:
        return (np.array(self.size_wh, float) - 1) / 2

    @property
    def radius(self) -> float:
        return float(np.hypot(*self.size_wh)) / 2

    @property
    def scale(self) -> float:
        """Photo pixels per millimetre at the point that the camera looks at."""
        return self.focal / float(np.linalg.norm(self.eye))

    def project(self, xyz: F64) -> F64:
        """World points (..., 3) to photo pixels (..., 2)."""
        seen = (xyz - self.eye) @ self.axes.T
        xy = seen[..., :2] * (self.focal / np.maximum(seen[..., 2:], 1e-3))
        bent = 1 + self.k1 * (xy**2).sum(-1, keepdims=True) / self.radius**2
        return np.asarray(xy * bent + self.center)

    def rays(self, photo_xy: F64) -> F64:
        """Unit viewing directions (..., 3) in the world for photo pixels (..., 2)."""
        target = photo_xy - self.center
        xy = target
        for _ in range(4):
            xy = target / (1 + self.k1 * (xy**2).sum(-1, keepdims=True) / self.radius**2)
        ray = xy @ self.axes[:2] + self.focal * self.axes[2]
        return np.asarray(ray / np.linalg.norm(ray, axis=-1, keepdims=True))

    def desk_at(self, photo_xy: F64) -> F64:
        """World points (..., 3) on the desk; points near the horizon are clamped."""
        ray = self.rays(photo_xy)
        down = np.maximum(-ray[..., 2:], 0.06)
        return np.asarray(self.eye + ray * (self.eye[2] / down)) * (1.0, 1.0, 0.0)


def aim(rng: Rng, tilt: float, roll: float) -> F64:
    """Axes of a camera that looks down, rotated by `roll` and tilted by `tilt` (radians).

    The far side of the table is mostly towards the top of the picture.
    """
    right = np.array([np.cos(roll), np.sin(roll), 0])
    down = np.array([-np.sin(roll), np.cos(roll), 0])
    look = np.array([0, 0, -1.0])
    towards = -pi / 2 + rng.normal(0, 0.4) if rng.random() < 0.6 else rng.uniform(0, tau)
    c, s = np.cos(towards), np.sin(towards)
    lean, across = c * right + s * down, c * down - s * right
    tilted = np.cos(tilt) * look + np.sin(tilt) * lean
    lean = np.cos(tilt) * lean - np.sin(tilt) * look
    return np.stack([c * lean - s * across, s * lean + c * across, tilted])


def frame(
    rng: Rng, camera: Camera, must_see: F64, corners: F64, share: float, edge: float, spread: float
) -> Camera:
    """Move the camera until all of `must_see` is in the photo.

    must_see: (K, 3) world points. corners: (4, 3), four of them, whose longest side should take
    `share` of the photo's long side; less if it does not fit.
    edge: margin to keep, as a share of the long side. spread: 0..1, how far off the middle.
    """
    size = np.array(camera.size_wh, float)
    margin = edge * size.max()
    offset = rng.uniform(-1, 1, 2) * spread
    distance, target = 1000.0, np.zeros(3)
    for _ in range(60):
        camera = replace(camera, eye=target - distance * camera.axes[2])
        sides = np.linalg.norm(np.diff(camera.project(corners[[0, 1, 2, 3, 0]]), axis=0), axis=1)
        zoom = float(np.clip(sides.max() / (share * size.max()), 0.5, 2))
        distance *= zoom
        camera = replace(camera, eye=target - distance * camera.axes[2])
        xy = camera.project(must_see)
        low, high = xy.min(0), xy.max(0)
        room = (size - 2 * margin - (high - low)) / 2
        if (room < 0).any():
            share *= 0.96
            room = np.maximum(room, 0)
        move = (low + high) / 2 - (camera.center + offset * room)
        if (
            abs(zoom - 1) < 0.02
            and np.abs(move).max() < 2
            and (low >= margin * 0.5).all()
            and (high <= size - 1 - margin * 0.5).all()
        ):
            break
        depth = float(((must_see - camera.eye) @ camera.axes[2]).mean())
        target = target + (move @ camera.axes[:2]) * (depth / camera.focal)
        target[:2] -= target[2] / camera.axes[2, 2] * camera.axes[2, :2]
        target[2] = 0.0
    return camera


@dataclass(frozen=True, eq=False)
class PageMap:
    """The mapping from page millimetres to photo pixels, bilinear between the sheet's nodes."""

    sheet: Sheet
    nodes_xy: F64

    @classmethod
    def through(cls, camera: Camera, sheet: Sheet) -> PageMap:
        return cls(sheet, camera.project(sheet.xyz))

    def page_to_photo(self, page_xy: F64) -> F64:
        """(..., 2) mm on the page to (..., 2) pixels of the photo."""
        page_xy = np.asarray(page_xy, float)
        value, _, _ = self._patch(self.sheet.to_nodes(page_xy).reshape(-1, 2))
        return value.reshape(page_xy.shape)

    def _patch(self, ij: F64) -> tuple[F64, F64, F64]:
        """Photo points (K, 2) at mesh indices, and their derivatives along columns and rows."""
        m, n = self.nodes_xy.shape[:2]
        cell = np.clip(np.floor(ij).astype(np.intp), 0, (n - 2, m - 2))
        f = ij - cell
        fx, fy = f[:, :1], f[:, 1:]
        flat = self.nodes_xy.reshape(-1, 2)
        at = cell[:, 1] * n + cell[:, 0]
        a, b, c, d = flat[at], flat[at + 1], flat[at + n], flat[at + n + 1]
        ab, ac = b - a, c - a
        twist = d - c - ab
        dx, dy = ab + fy * twist, ac + fx * twist
        return a + fx * ab + fy * dy, dx, dy

    def is_seen_whole(self) -> bool:
        """True if no part of the paper hides another or is seen edge-on."""
        dy: F64 = np.diff(self.nodes_xy, axis=0)[:, :-1]
        dx: F64 = np.diff(self.nodes_xy, axis=1)[:-1]
        area = dx[..., 0] * dy[..., 1] - dx[..., 1] * dy[..., 0]
        return bool(area.min() > 0.12 * np.median(area) > 0)

    def photo_to_nodes(self, photo_xy: F64) -> F64:
        """(K, 2) photo pixels to fractional mesh indices, by Newton's method."""
        # mesh indices by the homography that fits the nodes best (direct linear transform)
        nodes_xy = self.nodes_xy
        rows, cols = nodes_xy.shape[:2]
        jj, ii = np.meshgrid(
            np.linspace(0, rows - 1, 9).round(), np.linspace(0, cols - 1, 9).round(), indexing="ij"
        )
        src = nodes_xy[jj.astype(int), ii.astype(int)].reshape(-1, 2)
        dst = np.stack([ii, jj], -1).reshape(-1, 2)
        mean, scale = src.mean(0), src.std()
        x, y = ((src - mean) / scale).T
        u, v = (dst / (cols, rows)).T
        zero, one = np.zeros_like(x), np.ones_like(x)
        system = np.concatenate(
            [
                np.stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u], 1),
                np.stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v], 1),
            ]
        )
        h = np.linalg.eigh(system.T @ system)[1][:, 0].reshape(3, 3)
        p = (photo_xy - mean) / scale @ h[:, :2].T + h[:, 2]
        depth = np.where(np.abs(p[:, 2:]) < 1e-9, 1e-9, p[:, 2:])  # on the horizon
        ij = np.asarray(p[:, :2] / depth * (cols, rows))
        limit = np.array(self.nodes_xy.shape[1::-1], float)
        for _ in range(8):
            value, dx, dy = self._patch(ij)
            miss = photo_xy - value
            det = dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]
            det = np.where(np.abs(det) < 1e-6, 1e-6, det)
            step = np.stack(
                [
                    (miss[:, 0] * dy[:, 1] - miss[:, 1] * dy[:, 0]) / det,
                    (miss[:, 1] * dx[:, 0] - miss[:, 0] * dx[:, 1]) / det,
                ],
                -1,
            )
            ij = np.clip(ij + np.clip(step, -20, 20), -0.3 * limit, 1.3 * limit)
            if np.abs(step).max() < 2e-3:
                break
        return ij
