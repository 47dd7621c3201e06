"""A sheet of paper that does not lie flat: curl, waves, lifted corners, folds.

Each bend is a profile along one direction, parametrised by arc length, so that a sheet
with a single bend keeps its lengths, as paper does. Several bends are added up, which is
accurate for small slopes.

World frame: mm, x to the right and y down the page, z up from the desk (z = 0);
origin under the middle of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, tau

import numpy as np

from lab.synth.fields import F64, Rng, noise, toward

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


def _mesh(page_mm: tuple[float, float]) -> tuple[int, int]:
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
