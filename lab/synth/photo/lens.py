"""A sheet of paper that does not lie flat, and the camera that sees it.

World frame: mm, x to the right and y down the page, z up from the desk (z = 0); origin under the
middle of the grid. Each bend of the paper is a profile along one direction, parametrised by arc
length, so that a sheet with a single bend keeps its lengths, as paper does. Several bends are added
up, which is accurate for small slopes.

`Camera.project` maps world points to photo pixels, and `desk_at` maps pixels back to the desk's
plane. `PageMap` maps between page millimetres and photo pixels through the sheet's mesh, in both
directions, so that picture and ground truth use the same mapping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, tau

import cv2
import numpy as np

from lab.synth.fields import F64, Rng, Size, noise, toward

_NODE_MM = 2.2  # pitch of the mesh: narrow enough for a crease
_SAMPLES = 600
_PAPER_MM = 0.15  # thickness, in effect: what touches the desk still throws a thin shadow


@dataclass(frozen=True, eq=False)
class Sheet:
    """The sheet as a mesh of nodes.

    x_mm: (N,), y_mm: (M,) float64: page coordinates of the mesh's columns and rows.
    xyz: (M, N, 3) float64, world frame.
    normals: (M, N, 3) float64, unit, pointing up.
    """

    x_mm: F64
    y_mm: F64
    xyz: F64
    normals: F64

    def to_nodes(self, page_xy: F64) -> F64:
        """Page mm (..., 2) to fractional mesh indices (column, row)."""
        last = np.array([self.x_mm[-1], self.y_mm[-1]])
        return np.asarray(page_xy / last * (len(self.x_mm) - 1, len(self.y_mm) - 1))

    def at(self, page_xy: F64) -> F64:
        """World points (K, 3) of page points (K, 2), interpolated between the nearest nodes."""
        ij = self.to_nodes(page_xy)
        m, n = self.xyz.shape[:2]
        cell = np.clip(np.floor(ij).astype(int), 0, (n - 2, m - 2))
        (fx, fy), (c, r) = (ij - cell).T[..., None], cell.T
        p = self.xyz
        top = p[r, c] * (1 - fx) + p[r, c + 1] * fx
        return np.asarray(top * (1 - fy) + (p[r + 1, c] * (1 - fx) + p[r + 1, c + 1] * fx) * fy)

    def outline(self) -> F64:
        """World points along the paper's edge, in order; (K, 3)."""
        p = self.xyz
        return np.concatenate([p[0, :-1], p[:-1, -1], p[-1, :0:-1], p[:0:-1, 0]])


def flat_sheet(page_mm: tuple[float, float], middle_mm: tuple[float, float]) -> Sheet:
    """A sheet that lies flat, its point `middle_mm` over the origin."""
    return _build(page_mm, middle_mm, [])


def bent_sheet(
    page_mm: tuple[float, float], middle_mm: tuple[float, float], rng: Rng, amount: float
) -> Sheet:
    """A sheet bent at random; `amount` 0 is flat, 1 is as bad as people photograph."""
    half = float(np.hypot(*page_mm)) / 2
    bends = [_bend(rng, half, page_mm, kind, amount) for kind in _kinds(rng, amount)]
    crumple = (rng.uniform(0, 0.5) * amount) * (3.0 if rng.random() < 0.15 * amount else 1.0)
    dents = crumple * noise(rng, _mesh(page_mm), rng.uniform(2, 9)).astype(np.float64)
    if rng.random() >= 0.1 * amount:
        return _build(page_mm, middle_mm, bends, dents)
    # held in the air, or leaning on something
    slope, lift = rng.normal(0, 0.1, 2), (rng.uniform(0, 0.35) * half)
    return _build(page_mm, middle_mm, bends, dents, slope, lift)


def _mesh(page_mm: tuple[float, float]) -> Size:
    """Rows and columns of nodes."""
    columns, rows = (int(np.clip(round(v / _NODE_MM), 24, 120)) + 1 for v in page_mm)
    return rows, columns


def _kinds(rng: Rng, amount: float) -> list[str]:
    kinds = []
    if rng.random() < 0.25 + 0.55 * amount:
        kinds.append(str(rng.choice(["curl", "curl", "wave", "corner", "edge"])))
    if rng.random() < 0.15 * amount:
        kinds.append(str(rng.choice(["corner", "wave", "edge"])))
    if rng.random() < 0.5 * amount - 0.05:
        kinds.append("fold")
        if rng.random() < 0.35:
            kinds.append("cross fold")
    return kinds


def _bend(
    rng: Rng, half: float, page_mm: tuple[float, float], kind: str, amount: float
) -> tuple[float, F64, F64]:
    """One bend: its direction (radians), stations along it, slope angle at each."""
    s = np.linspace(-half, half, _SAMPLES)
    unit = s / half
    sign = float(rng.choice([-1.0, 1.0]))
    angle = float(rng.choice([0.0, pi / 2]) + rng.normal(0, 0.25))
    if rng.random() < 0.35:
        angle = rng.uniform(0, pi)
    strength = amount * rng.uniform(0.15, 1.0)
    if kind == "curl":
        center = rng.uniform(-0.5, 0.5)
        theta = sign * 0.6 * strength * (unit - center)
        if rng.random() < 0.3:  # tighter at one side
            theta = theta * (1 + sign * 0.6 * unit)
    elif kind == "wave":
        theta = 0.4 * strength * np.sin(pi * rng.uniform(1.0, 3.2) * unit + rng.uniform(0, 6.3))
    elif kind in ("corner", "edge"):
        angle = float(rng.uniform(0, tau) if kind == "corner" else rng.integers(0, 4) * pi / 2)
        reach = half if kind == "corner" else page_mm[0 if abs(np.cos(angle)) > 0.5 else 1] / 2
        start = rng.uniform(0.3, 0.8) * reach
        theta = 1.1 * strength * np.clip((s - start) / (reach - start), 0, 1)
    else:
        count = int(rng.choice([1, 1, 1, 2, 3]))
        theta = np.zeros_like(s)
        span = max(page_mm)
        for i in range(count):
            at = ((i + 1) / (count + 1) - 0.5) * span + rng.normal(0, 0.04 * span)
            width = rng.uniform(0.5, 4)
            crease = (0.12 + 0.5 * strength) * sign * (-1) ** (i * int(rng.integers(0, 2)))
            theta += crease * (0.5 + 0.5 * np.tanh((s - at) / width))
            # paper next to a crease springs back
            theta -= crease * rng.uniform(0, 0.5) * np.clip((s - at) / (0.4 * span) + 0.5, 0, 1)
        theta = np.asarray(theta - theta.mean())
        vertical = rng.random() < page_mm[0] / (page_mm[0] + page_mm[1])
        angle = (0.0 if vertical != (kind == "cross fold") else pi / 2) + rng.normal(0, 0.03)
        if rng.random() < 0.12:
            angle = rng.uniform(0, pi)
    return angle, s, theta


def _build(
    page_mm: tuple[float, float],
    middle_mm: tuple[float, float],
    bends: list[tuple[float, F64, F64]],
    dents: F64 | float = 0.0,
    slope: F64 | float = 0.0,
    lift: float = _PAPER_MM,
) -> Sheet:
    """The mesh: the sum of the bends and of small dents (M, N) in mm, tilted by `slope` (2,) and
    raised by `lift` mm."""
    ny, nx = _mesh(page_mm)
    x, y = np.linspace(0, page_mm[0], nx), np.linspace(0, page_mm[1], ny)
    flat = np.stack(np.meshgrid(x - middle_mm[0], y - middle_mm[1]), -1)
    from_center = np.stack(np.meshgrid(x - page_mm[0] / 2, y - page_mm[1] / 2), -1)
    xyz = np.concatenate([flat, np.zeros((ny, nx, 1))], -1)
    for angle, s, theta in bends:
        along = toward(angle)
        t = from_center @ along
        step = s[1] - s[0]
        shift = np.cumsum(np.cos(theta) - 1) * step
        shift -= np.interp(0, s, shift)
        rise = np.cumsum(np.sin(theta)) * step
        xyz[..., :2] += np.interp(t, s, shift)[..., None] * along
        xyz[..., 2] += np.interp(t, s, rise)
    xyz[..., 2] += dents
    xyz[..., 2] += (flat * slope).sum(-1)
    xyz[..., 2] -= xyz[..., 2].min() - lift
    down, right = np.gradient(xyz, axis=(0, 1))
    n = np.cross(right, down)
    return Sheet(x, y, xyz, np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True)))


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
    size_wh: Size
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
    """Axes of a camera that looks down, rotated by `roll` and tilted by `tilt` (radians). The far
    side of the table is mostly towards the top of the picture."""
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


def _cross(a: F64, b: F64) -> F64:
    """The cross products (...,) of vectors (..., 2)."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


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
        area = _cross(dx, dy)
        return bool(area.min() > 0.12 * np.median(area) > 0)

    def photo_to_nodes(self, photo_xy: F64) -> F64:
        """(K, 2) photo pixels to fractional mesh indices, by Newton's method."""
        rows, cols = self.nodes_xy.shape[:2]
        i, j = (np.linspace(0, n - 1, 9).round().astype(int) for n in (cols, rows))
        spots = np.stack(np.meshgrid(i, j), -1).reshape(-1, 2)
        start, _ = cv2.findHomography(self.nodes_xy[spots[:, 1], spots[:, 0]], spots * 1.0, 0)
        p = np.pad(photo_xy, ((0, 0), (0, 1)), constant_values=1) @ np.asarray(start).T
        depth = np.where(np.abs(p[:, 2:]) < 1e-9, 1e-9, p[:, 2:])  # on the horizon
        ij = np.asarray(p[:, :2] / depth, np.float64)
        limit = np.array(self.nodes_xy.shape[1::-1], float)
        for _ in range(8):
            value, dx, dy = self._patch(ij)
            miss = photo_xy - value
            det = _cross(dx, dy)
            det = np.where(np.abs(det) < 1e-6, 1e-6, det)
            step = np.stack([_cross(miss, dy), -_cross(miss, dx)], 1) / det[:, None]
            ij = np.clip(ij + np.clip(step, -20, 20), -0.3 * limit, 1.3 * limit)
            if np.abs(step).max() < 2e-3:
                break
        return ij
