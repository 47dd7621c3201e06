"""Objects on the table: pencils, dice, cups, coins, phones, pawns, fingers on the edge.

A solid is a set of flat faces in world mm. Faces are painted from far to near and lit by their
normals; each casts its own shadow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import pi, tau

import cv2
import numpy as np
from numpy.typing import ArrayLike

from lab.synth.fields import F64, U8, Rng, color, f32, fill_into, to_fine, toward
from lab.synth.photo.lens import Camera
from lab.synth.photo.light import GAMMA, Light


@dataclass(frozen=True, eq=False)
class Solid:
    """faces: K polygons (P, 3) in world mm; normals: (K, 3) unit; colors: (K, 3) BGR 0..255. shine:
    strength of highlights."""

    faces: tuple[F64, ...]
    normals: F64
    colors: F64
    shine: float = 0.1

    def moved(self, to: ArrayLike = (0, 0, 0), spin: F64 | None = None) -> Solid:
        """Rotated by the matrix `spin` (3, 3), then shifted by `to` (3,)."""
        spin = np.eye(3) if spin is None else spin
        return Solid(
            tuple(f @ spin.T + np.asarray(to) for f in self.faces),
            self.normals @ spin.T,
            self.colors,
            self.shine,
        )

    def lifted(self) -> Solid:
        """Placed on the desk: lowest point at z = 0."""
        low = min(float(f[:, 2].min()) for f in self.faces)
        return self.moved((0, 0, -low))

    def joined(self, other: Solid) -> Solid:
        return Solid(
            self.faces + other.faces,
            np.concatenate([self.normals, other.normals]),
            np.concatenate([self.colors, other.colors]),
            self.shine,
        )


def turn(y: float = 0.0, z: float = 0.0) -> F64:
    """Rotation matrix about y, then z, in radians."""
    out = np.eye(3)
    for a, (i, j) in ((y, (2, 0)), (z, (0, 1))):
        m = np.eye(3)
        m[i, i] = m[j, j] = np.cos(a)
        m[j, i], m[i, j] = np.sin(a), -np.sin(a)
        out = m @ out
    return out


def box(size: tuple[float, float, float], bgr: F64) -> Solid:
    """A box with its centre at the origin."""
    h = np.array(size) / 2
    faces, normals = [], []
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            corners = np.zeros((4, 3))
            corners[:, axis] = side * h[axis]
            corners[:, i] = np.array([-1, 1, 1, -1]) * h[i]
            corners[:, j] = np.array([-1, -1, 1, 1]) * h[j]
            faces.append(corners)
            normals.append(np.eye(3)[axis] * side)
    return Solid(tuple(faces), np.array(normals), np.tile(bgr, (6, 1)).astype(float))


def lathe(profile: list[tuple[float, float]], colors: list[F64], sides: int, shine: float) -> Solid:
    """A solid of revolution about the z axis; profile: (radius, z) upwards, with a colour for each
    step."""
    t = np.linspace(0, tau, sides + 1)
    ring = toward(t)
    faces, normals, shades = [], [], []
    for (r0, z0), (r1, z1), bgr in zip(profile[:-1], profile[1:], colors, strict=True):
        slope = np.array([z1 - z0, r0 - r1]) / max(np.hypot(z1 - z0, r0 - r1), 1e-9)
        if min(r0, r1) == 0 and z0 == z1:  # a cap in one piece
            faces.append(np.column_stack([ring[:-1] * max(r0, r1), np.full(sides, z0)]))
            normals.append(np.array([0, 0, slope[1]]))
            shades.append(bgr)
            continue
        for k in range(sides):
            low, high = ring[k : k + 2] * r0, ring[k : k + 2][::-1] * r1
            faces.append(np.column_stack([np.concatenate([low, high]), [z0, z0, z1, z1]]))
            middle = (ring[k] + ring[k + 1]) / 2
            normals.append(np.array([*(middle * slope[0]), slope[1]]))
            shades.append(bgr)
    n = np.array(normals)
    return Solid(
        tuple(faces), n / np.linalg.norm(n, axis=1, keepdims=True), np.array(shades, float), shine
    )


def _spot(center: F64, u: F64, v: F64, bgr: F64) -> Solid:
    """An ellipse painted on something: semi-axes u and v, facing u × v."""
    t = np.linspace(0, tau, 14, endpoint=False)[:, None]
    n = np.cross(u, v)
    return Solid(
        (center + np.cos(t) * u + np.sin(t) * v,),
        (n / np.linalg.norm(n))[None],
        np.array([bgr], float),
        0,
    )


def random_solid(rng: Rng, kind: str | None = None) -> Solid:
    """An object of the table at its real size, standing or lying at the origin. kind: one of
    `SOLIDS`, at random if None."""
    kind = kind or str(rng.choice(_CHOICE))
    bgr = color(rng, (0.0, 1.0), (0.1, 1.0)).astype(float)
    return SOLIDS[kind](rng, bgr, rng.uniform(0.8, 1.3))


def _pencil(rng: Rng, bgr: F64, scale: float) -> Solid:
    r, length = rng.uniform(3, 6.5), scale * rng.uniform(90, 190)
    wood, lead = np.array([150, 190, 225.0]), np.full(3, 40.0)
    end = color(rng, (0, 0.8), (0.1, 0.9)).astype(float)
    profile = [(0, 0), (r, 0), (r, 10), (r, length - 22), (0.25 * r, length - 4), (0.05, length)]
    colors = [end, end, bgr, wood if rng.random() < 0.6 else bgr, lead]
    shape = lathe(profile, colors, int(rng.choice([6, 14])), 0.35)
    return shape.moved(spin=turn(y=pi / 2, z=rng.uniform(0, tau)))


def _cube(rng: Rng, bgr: F64, scale: float, pips: bool = False) -> Solid:
    half = scale * rng.uniform(6, 17) / 2
    solid = box((2 * half,) * 3, bgr)
    if pips:
        ink = np.full(3, 245.0 if bgr.mean() < 130 else 20.0)
        for center, n in zip([f.mean(0) for f in solid.faces], solid.normals, strict=True):
            u, v = np.roll(n, 1), np.roll(n, 2)
            for _ in range(rng.integers(1, 5)):
                a, b = rng.choice([-0.5, 0, 0.5], 2) * half
                spot = _spot(center * 1.001 + a * u + b * v, 0.16 * half * u, 0.16 * half * v, ink)
                if (spot.normals[0] * n).sum() < 0:
                    spot = Solid(spot.faces, -spot.normals, spot.colors, 0)
                solid = solid.joined(spot)
    return solid.moved(spin=turn(z=rng.uniform(0, tau)))


def _cup(rng: Rng, bgr: F64, scale: float) -> Solid:
    r, h = scale * rng.uniform(28, 48), scale * rng.uniform(20, 100)
    r0 = r * rng.uniform(0.65, 1.0)
    inside = bgr * 0.8 if rng.random() < 0.5 else np.full(3, 225.0)
    drink = color(rng, (0.2, 0.8), (0.05, 0.6), (10, 50)).astype(float)
    if rng.random() < 0.4:  # a candle, a block, a lid
        return lathe([(r0, 0), (r, h), (0, h)], [bgr, bgr * 0.95], 28, 0.25)
    wall = lathe([(r0, 0), (r, h), (0.93 * r, h)], [bgr, bgr], 28, 0.3)
    surface = [(0.93 * r, h - 0.1), (0.8 * r, h - 0.1), (0, h - 0.1)]
    return wall.joined(lathe(surface, [inside * 0.6, drink], 28, 0.4))


def _coin(rng: Rng, bgr: F64, scale: float) -> Solid:
    r, z = scale * rng.uniform(8, 14), rng.uniform(1.2, 2.6)
    metal = np.array([[70, 130, 190], [90, 190, 220], [190, 195, 200]])[rng.integers(0, 3)]
    metal = metal * rng.uniform(0.6, 1.1)
    return lathe([(r, 0), (r, z), (0.86 * r, z), (0, z)], [metal, metal, 0.85 * metal], 24, 0.6)


def _phone(rng: Rng, bgr: F64, scale: float) -> Solid:
    w, h, z = 72 * scale, 148 * scale, 8.0
    body = box((w, h, z), bgr * rng.choice([0.1, 0.3, 1.0]))
    glow = color(rng, (0, 0.6), (0.0, float(rng.choice([0.1, 0.9])))).astype(float)
    screen = box((w * 0.93, h * 0.93, 0.2), glow)
    whole = body.joined(screen.moved((0, 0, z / 2 + 0.11)))
    return whole.moved(spin=turn(z=rng.uniform(0, 6.3)))


def _pawn(rng: Rng, bgr: F64, scale: float) -> Solid:
    r = 7 * scale
    waist = [(0.45 * r, 1.6 * r), (0.4 * r, 2.2 * r)]
    head = [(0.7 * r, 2.7 * r), (0.5 * r, 3.2 * r), (0, 3.3 * r)]
    return lathe([(r, 0), (r, 2.0), *waist, *head], [bgr] * 6, 18, 0.3)


def _ball(rng: Rng, bgr: F64, scale: float) -> Solid:
    r, a = scale * rng.uniform(6, 22), np.linspace(-pi / 2, pi / 2, 11)
    profile = [(r * np.cos(v) if abs(v) < 1.57 else 0.0, r * np.sin(v)) for v in a]
    return lathe(profile, [bgr] * 10, 22, 0.4)


def _brick(rng: Rng, bgr: F64, scale: float) -> Solid:
    """Something square with a label: a box, a book, a block."""
    x, y, z = scale * rng.uniform((20, 10, 4), (130, 70, 35))
    label = box((x * 0.7, y * 0.6, 0.1), color(rng).astype(float))
    whole = box((x, y, z), bgr).joined(label.moved((0, 0, z / 2 + 0.06)))
    return whole.moved(spin=turn(z=rng.uniform(0, 6.3)))


SOLIDS: dict[str, Callable[[Rng, F64, float], Solid]] = {
    "pencil": _pencil,
    "cube": _cube,
    "die": partial(_cube, pips=True),
    "cup": _cup,
    "coin": _coin,
    "phone": _phone,
    "pawn": _pawn,
    "ball": _ball,
    "brick": _brick,
}
"""Objects on the table: functions of their colour (3,) BGR and their size, 1 for the usual one."""

_CHOICE = ("pencil", *SOLIDS)
"""Pencils are twice as frequent as others."""


def finger(rng: Rng, skin: F64, tip: F64, along: F64) -> Solid:
    """A finger whose tip presses on `tip` (3,), coming from the direction `along` (2,)."""
    r, length = rng.uniform(6, 10), rng.uniform(70, 130)
    a = np.linspace(0, pi / 2, 6)
    profile = [(0.0 if v == 0 else r * np.sin(v), -r * np.cos(v)) for v in a]
    profile += [(1.05 * r, 14), (0.95 * r, 26), (1.12 * r, 34), (1.2 * r, length)]
    shape = lathe(profile, [skin * rng.normal(1, 0.015) for _ in profile[1:]], 24, 0.08)
    nail = np.clip(skin * (1.1, 1.08, 1.12) + 12, 0, 255)
    up = np.array([1.0, 0, 0])
    plate = _spot(
        np.array([1.015 * r, 0, 1.0]), np.array([0, 0.62 * r, 0]), np.array([0, 0, 0.75 * r]), nail
    )
    plate = Solid(plate.faces, up[None], plate.colors, 0.5)
    if rng.random() < 0.7:
        shape = shape.joined(plate)
    # lay it down: its axis (z) along the desk and rising, its back (x) up
    rise = rng.uniform(0.15, 0.6)
    axis = np.append(along * np.cos(rise), np.sin(rise))
    side = np.array([-along[1], along[0], 0.0])
    back = np.cross(side, axis)
    back = back if back[2] > 0 else -back
    spin = np.stack([back, np.cross(axis, back), axis], 1)
    return shape.moved(tip + (0, 0, 0.8 * r), spin)


def skin_color(rng: Rng) -> F64:
    """BGR, from pale to dark."""
    depth = rng.uniform(0, 1)
    pale, dark = np.array([175.0, 195, 235]), np.array([45.0, 65, 100])
    return np.asarray(pale + depth * (dark - pale) + rng.normal(0, 5, 3))


def paint_solid(image: U8, solid: Solid, camera: Camera, light: Light, exposure: F64) -> None:
    """Paint onto `image` (H, W, 3) in place. exposure: (3,) linear BGR scale at that place."""
    centers = np.stack([f.mean(0) for f in solid.faces])
    to_eye = camera.eye - centers
    far = np.linalg.norm(to_eye, axis=1)
    facing = (to_eye * solid.normals).sum(1) > 0
    lit, to_light = light.reaches(centers, solid.normals)
    shine = solid.shine * light.mirrored(centers, solid.normals, to_light, camera.eye, 30.0)
    glow = (
        light.ambient_bgr * (0.75 + 0.25 * solid.normals[:, 2:]) + light.direct_bgr * lit[:, None]
    )
    linear = (solid.colors / 255) ** GAMMA * glow + shine[:, None] * light.direct_bgr
    shades = 255 * np.clip(linear * exposure, 0, 1) ** (1 / GAMMA)
    for k in np.argsort(-far):
        if facing[k]:
            fill_into(image, camera.project(solid.faces[k]), tuple(int(v) for v in shades[k]))


def cast(mask: U8, solid: Solid, camera: Camera, light: Light) -> None:
    """Add the solid's shadow on the desk to `mask` on the finer raster, in place."""
    sizes = [len(f) for f in solid.faces]
    ground = to_fine(camera.project(light.shadow_of(np.concatenate(solid.faces))))
    for part in np.split(ground, np.cumsum(sizes)[:-1]):
        fill_into(mask, cv2.convexHull(f32(part))[:, 0].astype(float))
