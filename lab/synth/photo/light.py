"""Light on a table: a lamp or the sun, ambient light from the room, and shadows.

All amounts are linear; `to_display` converts them to the scale of stored pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import tau

import cv2
import numpy as np

from lab.synth.fields import F32, F64, U8, Rng, Size, blur, f32, fill_into, noise, toward, unit

GAMMA = 2.2
"""Exponent from stored pixels, 0..1, to linear light."""


@dataclass(frozen=True, eq=False)
class Light:
    """One main light and the ambient light of the room.

    towards: (3,) unit, from the origin to the light. distance: mm; inf for the sun.
    direct_bgr, ambient_bgr: (3,) linear amounts on a surface that faces the light.
    beam: cosine power of a spotlight's cone, 0 for a bare lamp.
    softness: width of penumbrae, in mm for each mm of height.
    gloss, sharpness: strength and exponent of the desk's highlight.
    sheen: strength of the paper's highlight.
    """

    towards: F64
    distance: float
    direct_bgr: F64
    ambient_bgr: F64
    beam: float
    softness: float
    gloss: float
    sharpness: float
    sheen: float

    def reaches(self, xyz: F64, normals: F64) -> tuple[F32, F64]:
        """Direct light (...,) on points with unit normals, and directions to the light."""
        if np.isinf(self.distance):
            to_light = np.broadcast_to(self.towards, xyz.shape)
            fall: F64 | float = 1.0
        else:
            lamp = self.towards * self.distance
            away = lamp - xyz
            r = np.linalg.norm(away, axis=-1, keepdims=True)
            to_light = away / r
            fall = (self.distance / r[..., 0]) ** 2
            if self.beam:
                fall = fall * np.maximum(to_light @ self.towards, 0) ** self.beam
        lit = np.maximum((to_light * normals).sum(-1), 0) * fall
        return f32(lit), to_light

    def mixed(self, ambient: F32, direct: F32) -> F32:
        """Linear BGR (H, W, 3) of amounts (H, W) of ambient and direct light."""
        a, d = f32(self.ambient_bgr), f32(self.direct_bgr)
        return ambient[..., None] * a + direct[..., None] * d

    def mirrored(self, xyz: F64, normals: F64, to_light: F64, eye: F64, sharpness: float) -> F32:
        """Blinn's highlight (...,) for unit strength."""
        half = eye - xyz
        half = half / np.linalg.norm(half, axis=-1, keepdims=True) + to_light
        half = half / np.linalg.norm(half, axis=-1, keepdims=True)
        return f32(np.clip((half * normals).sum(-1), 0, 1) ** sharpness)

    def shadow_of(self, xyz: F64) -> F64:
        """(K, 3): where world points (K, 3) cast their shadows on the desk."""
        _, to_light = self.reaches(xyz, np.broadcast_to(np.array([0, 0, 1.0]), xyz.shape))
        reach = np.minimum(xyz[:, 2:] / np.maximum(to_light[:, 2:], 0.15), 400)
        return np.asarray((xyz - to_light * reach) * (1, 1, 0))


def daylight() -> Light:
    """Even light without any shadow, as in a scanner."""
    one = np.ones(3)
    return Light(np.array([0, 0, 1.0]), np.inf, 0.2 * one, 0.8 * one, 0, 1, 0, 50, 0)


def random_light(rng: Rng, severity: float) -> Light:
    """A random light; `severity` 0..1 makes it lower, harder and more coloured."""
    height = np.deg2rad(rng.uniform(80 - 45 * severity, 85) - 12)
    around = rng.uniform(0, tau)
    towards = np.append(np.cos(height) * toward(around), np.sin(height))
    distance = np.inf if rng.random() < 0.35 else rng.uniform(300, 700) / (0.3 + 0.7 * severity)
    ambient = rng.uniform(0.1, 0.7) if rng.random() < 0.7 else rng.uniform(0.05, 0.25)
    glossy = rng.random() < 0.25 + 0.25 * severity
    return Light(
        towards,
        distance,
        direct_bgr=(1 - ambient) * _white(rng, 1.0),
        ambient_bgr=ambient * _white(rng, 0.7),
        beam=rng.uniform(2, 20) if rng.random() < 0.35 * severity else 0.0,
        softness=float(rng.choice([0.02, 0.08, 0.25, 0.6]) * rng.uniform(0.6, 1.5)),
        gloss=float(rng.uniform(0.1, 1.0) ** 2 * rng.choice([0.3, 1, 4])) if glossy else 0.0,
        sharpness=float(10 ** rng.uniform(0.8, 3.3)),
        sheen=(rng.uniform(0, 0.3) * severity) if rng.random() < 0.4 else 0.0,
    )


def _white(rng: Rng, spread: float) -> F64:
    """A white between candle and blue sky, (3,) BGR of mean 1; mostly near neutral. The slope of
    log blue and red against warmth follows black bodies of 2700 to 9000 K."""
    warmth = rng.normal(0, 0.35) if rng.random() < 0.6 else rng.uniform(-0.8, 1.3)
    tint = rng.normal(0, 0.06)
    white = np.exp(spread * np.array([-0.45 * warmth, tint, 0.35 * warmth]))
    return np.asarray(white / white.mean())


def to_display(linear: F32) -> F32:
    """Convert linear light to the factor for stored pixels."""
    return f32(cv2.pow(np.maximum(linear, 1e-5), 1 / GAMMA))


def thrown_shadow(rng: Rng, shape: Size, severity: float) -> F32:
    """Shadows of objects outside the picture: arms, phones, window frames, leaves. Returns (H, W)
    float32, 0 in full light, 1 in full shadow."""
    h, w = shape
    shade = np.zeros(shape, np.float32)
    if rng.random() >= 0.15 + 0.5 * severity:
        return shade
    for _ in range(rng.integers(1, 3)):
        kind = str(rng.choice(["arm", "phone", "edge", "window", "leaves", "blob"]))
        mask = _leaves(rng, shape) if kind == "leaves" else unit(_cast(rng, kind, h, w))
        sigma = max(h, w) * 10 ** rng.uniform(-2.9, -1.1)
        shade = np.maximum(shade, blur(mask, float(sigma)) * rng.uniform(0.4, 1))
    return shade


def _cast(rng: Rng, kind: str, h: int, w: int) -> U8:
    size = max(h, w)
    mask = np.zeros((h, w), np.uint8)
    angle = rng.uniform(0, tau)
    along = toward(angle)
    across = np.array([-along[1], along[0]])
    at = np.array([w, h]) * rng.uniform(0.1, 0.9, 2)
    if kind == "edge":
        a, b = size * 2 * across, 2 * size * (across + along)
        fill_into(mask, np.stack([at - a, at + a, at + b, at + 2 * size * (along - across)]))
    elif kind == "window":
        pane, bar = rng.uniform(0.12, 0.4) * size, rng.uniform(0.02, 0.12) * size
        mask[:] = 255
        lean = across + rng.uniform(-0.5, 0.5) * along
        for i in range(-int(rng.integers(0, 3)), int(rng.integers(1, 4))):
            for j in range(-int(rng.integers(0, 3)), int(rng.integers(1, 4))):
                corner = at + i * (pane + bar) * along + j * (pane * 1.3 + bar) * lean
                side, up = pane * along, pane * 1.3 * lean
                pane_xy = np.stack([corner, corner + side, corner + side + up, corner + up])
                fill_into(mask, pane_xy, 0)
    else:
        arm = rng.uniform(0.05, 0.16) * size
        bend = rng.uniform(-0.4, 0.4)
        far = at + 2 * size * (along + bend * across)
        if kind in ("arm", "phone"):
            near, wide = arm * across, 1.6 * arm * across
            fill_into(mask, np.stack([at - near, at + near, far + wide, far - wide]))
            cv2.circle(mask, (int(at[0]), int(at[1])), int(arm * 1.15), 255, -1)
        if kind == "phone":
            a, b = arm * rng.uniform(1.5, 2.6) * along, arm * rng.uniform(0.9, 1.3) * across
            fill_into(mask, np.stack([at + a + b, at - a + b, at - a - b, at + a - b]))
        elif kind == "blob":
            t = np.linspace(0, tau, 24, endpoint=False)
            r = arm * 2 * (1 + 0.2 * np.cos(2 * t + angle) + 0.12 * np.cos(3 * t))
            fill_into(mask, at + toward(t) * r[:, None])
    return mask


def _leaves(rng: Rng, shape: Size) -> F32:
    field = noise(rng, shape, rng.uniform(3, 18))
    field += 0.7 * noise(rng, shape, rng.uniform(12, 40))
    return f32(np.clip((field - rng.uniform(-0.5, 1)) * 3, 0, 1))


def reflections(rng: Rng, shape: Size) -> F32:
    """Windows, lamps and walls mirrored by a polished table; (H, W) float32, 0..1."""
    h, w = shape
    mask = np.zeros(shape, np.uint8)
    for _ in range(rng.integers(1, 4)):
        angle, size = rng.uniform(0, tau), max(h, w) * rng.uniform(0.05, 0.5)
        along = toward(angle)
        across = np.array([-along[1], along[0]]) * rng.uniform(0.1, 1.2)
        at = np.array([w, h]) * rng.uniform(0, 1, 2)
        quad = np.stack([at, at + size * along, at + size * (along + across), at + size * across])
        fill_into(mask, quad, int(rng.integers(80, 256)))
    return blur(unit(mask), float(max(h, w) * 10 ** rng.uniform(-2.5, -1.1)))


def uneven(rng: Rng, shape: Size, severity: float) -> F32:
    """Uneven ambient light: a gradient across the picture and broad clouds; (H, W), mean near 1."""
    h, w = shape
    slope = rng.normal(0, 0.22 * severity, 2)
    x = np.linspace(-1, 1, w, dtype=np.float32)
    y = np.linspace(-1, 1, h, dtype=np.float32)[:, None]
    field = 1 + slope[0] * x + slope[1] * y + 0.08 * severity * noise(rng, shape, 2.0)
    return f32(np.clip(field, 0.35, 1.8))
