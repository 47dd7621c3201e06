"""Pens: what players have at hand, from hard pencils to broad markers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lab.synth.fields import Color, Rng, any_of, as_bgr
from lab.synth.hands.habits import any_habit


@dataclass(frozen=True)
class Pen:
    """One pen. Lengths in mm.

    bgr: transmittance of full ink, 0..1 per channel.
    width: of a stroke at normal pressure.
    opacity: share of the paper's light that one stroke absorbs, 0..1.
    grain: 0 smooth .. 1 only the paper's tooth catches colour.
    skip: share of a stroke where a ball pen writes little or nothing.
    press: how much pressure (darkness and width) varies within a stroke, 0..1.
    overlap: True when a second stroke over the first is darker.
    bleed: blur of the edge.
    pool: extra ink where the pen lands and lifts, 0..1.
    nib: 0 round .. 1 broad nib, whose strokes are thin along `nib_angle` (radians).
    """

    kind: str
    bgr: Color
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

    def between(self, least: float, most: float) -> Pen:
        """The pen with a line no thinner and no wider than these, mm."""
        return replace(self, width=min(max(self.width, least), most))


BALL: tuple[Color, ...] = (
    (0.55, 0.18, 0.10),
    (0.45, 0.12, 0.12),
    (0.12, 0.11, 0.11),
    (0.62, 0.30, 0.12),
    (0.12, 0.10, 0.62),
    (0.22, 0.42, 0.10),
    (0.50, 0.14, 0.36),
)
FELT: tuple[Color, ...] = (
    (0.08, 0.07, 0.07),
    (0.58, 0.22, 0.08),
    (0.10, 0.10, 0.75),
    (0.20, 0.45, 0.08),
    (0.48, 0.12, 0.45),
    (0.08, 0.38, 0.85),
    (0.16, 0.22, 0.38),
    (0.60, 0.45, 0.05),
)


Range = tuple[float, float] | tuple[float, float, float] | float
"""Low and high; with a third value, only for this share of pens. Or just the share of pens that
have something."""

# fmt: off
_PENS: dict[str, dict[str, Range]] = {
    "pencil": {"width": (0.3, 0.85), "opacity": (0.5, 0.97), "grain": (0.25, 0.9),
               "press": (0.1, 0.9), "overlap": 1, "bleed": (0, 0.05)},
    "hard pencil": {"width": (0.28, 0.5), "opacity": (0.42, 0.6), "grain": (0.1, 0.45),
                    "press": (0.1, 0.5), "overlap": 1},
    "coloured": {"width": (0.45, 1.1), "opacity": (0.55, 0.92), "grain": (0.4, 0.95),
                 "press": (0.2, 0.8), "overlap": 1, "bleed": (0, 0.06)},
    "ball": {"width": (0.22, 0.5), "opacity": (0.72, 0.97), "grain": (0, 0.25),
             "skip": (0.02, 0.22, 0.4), "press": (0.1, 0.8), "overlap": 1, "pool": (0, 0.6)},
    "gel": {"width": (0.3, 0.7), "opacity": (0.92, 1.0), "press": (0, 0.25), "pool": (0, 0.5),
            "bleed": (0, 0.04)},
    "fountain": {"width": (0.4, 0.9), "opacity": (0.75, 0.95), "press": (0.1, 0.5), "overlap": 1,
                 "pool": (0.1, 0.8), "nib": (0.2, 0.65), "nib_angle": (-1.2, -0.3),
                 "bleed": (0, 0.06)},
    "felt": {"width": (0.6, 1.5), "opacity": (0.7, 1.0), "press": (0, 0.3), "overlap": 1,
             "pool": (0.1, 0.9), "bleed": (0.02, 0.12), "grain": (0, 0.2)},
    "marker": {"width": (1.3, 2.6), "opacity": (0.75, 0.98), "press": (0, 0.2), "overlap": 0.6,
               "pool": (0.2, 1.0), "bleed": (0.04, 0.16), "nib": (0, 0.4, 0.4),
               "nib_angle": (-math.pi / 2, math.pi / 2)},
    "fineliner": {"width": (0.25, 0.55), "opacity": (0.85, 1.0), "press": (0, 0.15),
                  "pool": (0, 0.7)},
    "wipe": {"width": (0.7, 1.9), "opacity": (0.6, 0.95), "grain": (0, 0.35), "skip": (0.0, 0.3),
             "press": (0, 0.4), "pool": (0.2, 1.0), "bleed": (0, 0.06)},
    "crayon": {"width": (1.2, 2.4), "opacity": (0.6, 0.9), "grain": (0.7, 1.0),
               "press": (0.3, 0.9), "overlap": 1, "bleed": (0.02, 0.08)},
    "dry_felt": {"width": (0.8, 1.6), "opacity": (0.45, 0.7), "grain": (0.4, 0.75),
                 "skip": (0.25, 0.45), "press": (0.4, 1.0), "overlap": 1},
}
# fmt: on
"""Properties of each kind, in the order in which they are sampled. Hard lead is thin and pale, but
its line is complete; wipe-off ink contracts into beads on laminated sheets."""

_FEW = {"ball": (4, 0.75), "fountain": (4, 1.0), "felt": (3, 0.6)}
"""How many of the first shades are used, and with what probability, by kind."""


def random_pen(rng: Rng, kind: str | None = None) -> Pen:
    """Return a random pen of a kind (a habit of the part `pen`), or of any that is not held out."""
    kind = kind or any_habit("pen", False, rng)
    ranges = _PENS[kind]
    if kind == "pencil":
        grey = rng.uniform(0.12, 0.34)
        ink = (grey + rng.uniform(-0.02, 0.03), grey, grey + rng.uniform(-0.03, 0.02))
        ranges = _PENS["hard pencil"] if rng.random() < 0.2 else ranges
    else:
        shades = BALL if kind in ("ball", "gel", "fountain", "fineliner") else FELT
        few, often = _FEW.get(kind, (0, 0.0))
        if often == 1 or (often and rng.random() < often):
            shades = shades[:few]
        shade = np.array(any_of(rng, shades)) + rng.normal(0, 0.035, 3) + rng.normal(0, 0.02)
        ink = as_bgr(np.clip(shade, 0.01, 0.9))
    drawn: dict[str, Any] = {name: _drawn(rng, within) for name, within in ranges.items()}
    return Pen(kind, ink, **drawn)


def _drawn(rng: Rng, within: Range) -> float | bool:
    if not isinstance(within, tuple):
        return within == 1 or rng.random() < within
    if len(within) == 3 and rng.random() >= within[2]:
        return 0.0
    return rng.uniform(within[0], within[1])
