"""Pens: what players have at hand, from hard pencils to broad markers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kdscan.synth.habits import any_habit


@dataclass(frozen=True)
class Pen:
    """One pen. Lengths in mm.

    bgr: what full ink lets through, 0..1 a channel.
    width: of a stroke at normal pressure.
    opacity: share of the paper's light that one stroke takes, 0..1.
    grain: 0 smooth .. 1 only the paper's tooth catches colour.
    skip: share of a stroke where a ball pen writes nothing or little.
    press: how much pressure (darkness and width) swings in a stroke, 0..1.
    overlap: True when a second stroke over the first is darker.
    bleed: blur of the edge.
    pool: ink left where the pen lands and lifts, 0..1.
    nib: 0 round .. 1 broad nib, whose strokes are thin along `nib_angle` (radians).
    """

    kind: str
    bgr: tuple[float, float, float]
    width: float
    opacity: float
    grain: float = 0.0
    skip: float = 0.0
    press: float = 0.1
    overlap: bool = False
    bleed: float = 0.0
    pool: float = 0.0
    nib: float = 0.0
    nib_angle: float = 0.0


BALL = (
    (0.55, 0.18, 0.10),
    (0.45, 0.12, 0.12),
    (0.12, 0.11, 0.11),
    (0.62, 0.30, 0.12),
    (0.12, 0.10, 0.62),
    (0.22, 0.42, 0.10),
    (0.50, 0.14, 0.36),
)
FELT = (
    (0.08, 0.07, 0.07),
    (0.58, 0.22, 0.08),
    (0.10, 0.10, 0.75),
    (0.20, 0.45, 0.08),
    (0.48, 0.12, 0.45),
    (0.08, 0.38, 0.85),
    (0.16, 0.22, 0.38),
    (0.60, 0.45, 0.05),
)


def _ink(
    rng: np.random.Generator, shades: Sequence[tuple[float, float, float]]
) -> tuple[float, float, float]:
    """Return one of the shades, varied a little."""
    shade = np.array(shades[int(rng.integers(len(shades)))])
    b, g, r = np.clip(shade + rng.normal(0, 0.035, 3) + rng.normal(0, 0.02), 0.01, 0.9)
    return float(b), float(g), float(r)


def random_pen(rng: np.random.Generator, kind: str | None = None) -> Pen:
    """Return a pen of a kind (a habit of the part `pen`), or of any that is not held out."""
    u, kind = rng.uniform, kind or any_habit("pen", False, rng)
    if kind in _RARE:
        return _rare_pen(rng, kind)
    if kind == "pencil":
        grey = u(0.12, 0.34)
        tint = (grey + u(-0.02, 0.03), grey, grey + u(-0.03, 0.02))
        if rng.random() < 0.2:  # hard lead: thin and pale, yet all of the line is there
            return Pen(
                kind,
                tint,
                u(0.28, 0.5),
                u(0.42, 0.6),
                grain=u(0.1, 0.45),
                press=u(0.1, 0.5),
                overlap=True,
            )
        return Pen(
            kind,
            tint,
            u(0.3, 0.85),
            u(0.5, 0.97),
            grain=u(0.25, 0.9),
            press=u(0.1, 0.9),
            overlap=True,
            bleed=u(0, 0.05),
        )
    if kind == "coloured":
        return Pen(
            kind,
            _ink(rng, FELT),
            u(0.45, 1.1),
            u(0.55, 0.92),
            grain=u(0.4, 0.95),
            press=u(0.2, 0.8),
            overlap=True,
            bleed=u(0, 0.06),
        )
    if kind == "ball":
        ink = _ink(rng, BALL[:4] if rng.random() < 0.75 else BALL)
        return Pen(
            kind,
            ink,
            u(0.22, 0.5),
            u(0.72, 0.97),
            grain=u(0, 0.25),
            skip=u(0.02, 0.22) if rng.random() < 0.4 else 0.0,
            press=u(0.1, 0.8),
            overlap=True,
            pool=u(0, 0.6),
        )
    if kind == "gel":
        return Pen(
            kind,
            _ink(rng, BALL),
            u(0.3, 0.7),
            u(0.92, 1.0),
            press=u(0, 0.25),
            pool=u(0, 0.5),
            bleed=u(0, 0.04),
        )
    if kind == "fountain":
        return Pen(
            kind,
            _ink(rng, BALL[:4]),
            u(0.4, 0.9),
            u(0.75, 0.95),
            press=u(0.1, 0.5),
            overlap=True,
            pool=u(0.1, 0.8),
            nib=u(0.2, 0.65),
            nib_angle=u(-1.2, -0.3),
            bleed=u(0, 0.06),
        )
    if kind == "felt":
        return Pen(
            kind,
            _ink(rng, FELT[:3] if rng.random() < 0.6 else FELT),
            u(0.6, 1.5),
            u(0.7, 1.0),
            press=u(0, 0.3),
            overlap=True,
            pool=u(0.1, 0.9),
            bleed=u(0.02, 0.12),
            grain=u(0, 0.2),
        )
    return Pen(
        "marker",
        _ink(rng, FELT),
        u(1.3, 2.6),
        u(0.75, 0.98),
        press=u(0, 0.2),
        overlap=bool(rng.random() < 0.6),
        pool=u(0.2, 1.0),
        bleed=u(0.04, 0.16),
        nib=u(0, 0.4) if rng.random() < 0.4 else 0.0,
        nib_angle=math.pi * u(-0.5, 0.5),
    )


_RARE = frozenset(("fineliner", "wipe", "crayon", "dry_felt"))


def _rare_pen(rng: np.random.Generator, kind: str) -> Pen:
    """A thin felt, a wipe-off marker as on laminated sheets, a wax crayon, a felt running dry."""
    u = rng.uniform
    if kind == "fineliner":
        ink = _ink(rng, BALL)
        return Pen(kind, ink, u(0.25, 0.55), u(0.85, 1.0), press=u(0, 0.15), pool=u(0, 0.7))
    if kind == "wipe":  # its ink draws back into beads on plastic
        return Pen(
            kind,
            _ink(rng, FELT),
            u(0.7, 1.9),
            u(0.6, 0.95),
            grain=u(0, 0.35),
            skip=u(0.0, 0.3),
            press=u(0, 0.4),
            pool=u(0.2, 1.0),
            bleed=u(0, 0.06),
        )
    if kind == "crayon":
        return Pen(
            kind,
            _ink(rng, FELT),
            u(1.2, 2.4),
            u(0.6, 0.9),
            grain=u(0.7, 1.0),
            press=u(0.3, 0.9),
            overlap=True,
            bleed=u(0.02, 0.08),
        )
    return Pen(
        "dry_felt",
        _ink(rng, FELT),
        u(0.8, 1.6),
        u(0.45, 0.7),
        grain=u(0.4, 0.75),
        skip=u(0.25, 0.45),
        press=u(0.4, 1.0),
        overlap=True,
    )
