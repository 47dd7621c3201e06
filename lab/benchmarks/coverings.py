"""Objects over shields in photos (fingers, dice, scraps of paper, glare): are they noticed?

    python -m lab.benchmarks.coverings data/covered --sheets 100
    python -m lab.benchmarks.accuracy data/covered

Tidily drawn sheets are photographed as they are and again, each with a shield covered. The objects
are never used in training.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import pi, tau
from pathlib import Path

import cv2
import numpy as np
import typer

from kdscan.paper.layout import Layout
from kdscan.rules.duel.board import CELLS
from lab.benchmarks.shared import CAMERA_QUALITY
from lab.synth.fields import F32, F64, SQUARE, U8, Rng, any_of, color, f32, rotation, toward, u8
from lab.synth.hands.habits import TIDY
from lab.synth.hands.sketch import Hand
from lab.synth.patches import mirrored_lamp
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.clutter import Solid, finger, random_solid, skin_color
from lab.synth.photo.lens import Camera, PageMap
from lab.synth.scene import any_look, draw_page, own_page, random_page, save_photo, shoot
from lab.synth.tool import run

KINDS = (
    *("finger", "die", "scrap", "glare", "cloth", "pencil", "brick", "sheet"),
    *("coin", "pawn", "ball", "note", "cube", "lamps"),
)
"""What may lie on a shield."""


class Covering:
    """One object over one shield of a sheet, as passed to `photograph`. kind: of `KINDS`. at: row
    and column of the shield."""

    def __init__(self, rng: Rng, layout: Layout, kind: str, at: tuple[int, int]) -> None:
        self.kind, self._rng, self._layout = kind, rng, layout
        slip = rng.uniform(-0.3, 0.3, 2) * layout.cell_mm
        self._at_mm: F64 = np.array(layout.center_mm(*at), np.float64) + slip
        self._page: PageMap

    def things(self, camera: Camera, page: PageMap) -> Sequence[Solid]:
        """The solids on the sheet, in world mm."""
        self._page, rng, kind = page, self._rng, self.kind
        (place,) = page.sheet.at(self._at_mm[None])
        if kind in ("glare", "lamps"):
            return []
        if kind == "finger":
            skin = skin_color(rng)
            along = toward(rng.uniform(0, tau))
            tip = place - np.array([*along, 0]) * rng.uniform(3, 12)
            return [finger(rng, skin, tip, along)]
        if kind not in ("scrap", "note", "cloth", "sheet"):
            return [random_solid(rng, kind).lifted().moved(place)]
        # a thin object that lies on the sheet
        cell, shade = float(np.mean(self._layout.cell_mm)), color(rng, (0, 0.06), (0.8, 1))
        if kind == "scrap":
            t = np.sort(rng.uniform(0, tau, int(rng.integers(4, 9))))
            star = toward(t) * rng.uniform(0.5, 1.2, (len(t), 1))
            outline = np.asarray(cv2.convexHull(f32(star))[:, 0] * cell, np.float64)
        elif kind == "sheet":  # another sheet that covers a corner of this one
            outline = (SQUARE / 2 + 0.48) * 150.0
        else:
            outline = SQUARE / 2 * cell * rng.uniform(0.8, 2.2, 2)
        if kind == "note":
            shade = color(rng, (0.25, 0.7), (0.75, 1))
        elif kind == "cloth":
            shade = np.full(3, 190.0, np.float32)
        (middle,) = page.sheet.at(np.array([self._layout.page_mm]) / 2)
        away = np.arctan2(*(place - middle)[1::-1]) - pi / 4
        angle = away + rng.normal(0, 0.3) if kind == "sheet" else rng.uniform(0, 7)
        flat = np.pad(outline @ rotation(float(angle)).T, ((0, 0), (0, 1)), constant_values=0.4)
        return [Solid((flat + place,), np.array([[0, 0, 1.0]]), shade[None].astype(float), 0.02)]

    def finish(self, image: U8) -> None:
        """Add glare, in place."""
        if self.kind not in ("glare", "lamps"):
            return
        rng, (h, w) = self._rng, image.shape[:2]
        first_two = np.array([self._layout.center_mm(0, c) for c in (0, 1)])
        cell = float(np.linalg.norm(np.diff(self._page.page_to_photo(first_two), axis=0)))
        (at,) = self._page.page_to_photo(self._at_mm[None])
        extra: F32 = np.zeros((h, w), np.float32)
        for _ in range(1 if self.kind == "glare" else int(rng.integers(2, 5))):
            turn = rng.uniform(0, pi)
            axes = cell * rng.uniform(0.35, 2.0), cell * rng.uniform(0.3, 0.7)
            power = 1.0 if rng.random() < 0.5 else 3.0
            strength = rng.uniform(110, 420)
            extra += f32(strength * mirrored_lamp((h, w), at, turn, axes, power))
            at = at + rng.normal(0, 1.2, 2) * cell
        tint = f32(1 - 0.15 * rng.uniform(0, 1, 3))
        image[:] = u8(np.clip(image + extra[..., None] * tint, 0, 255))


SIZE_WH = (2016, 1512)
OF_A_SHEET = 3
"""Objects laid, one at a time, on each sheet."""


def main(folder: Path, sheets: int = 50, first: int = 29_000_000) -> None:
    """Draw and photograph sheets into a folder, with their truth; first: the first one's seed."""
    cv2.setNumThreads(1)
    kinds = itertools.cycle(KINDS)
    for seed in range(first, first + sheets):
        rng = np.random.default_rng(seed)
        page = own_page(120, any_look(rng)) if rng.random() < 0.6 else random_page(rng)
        hand = Hand.random(rng, TIDY, dice=False)
        drawn = draw_page(rng, page=page, messiness=rng.uniform(0, 0.4), hand=hand)
        level, light = any_of(rng, HAND_HELD[:2]), int(rng.integers(2**31))
        covers: list[Covering | None] = [None]
        for kind in itertools.islice(kinds, OF_A_SHEET):
            covers.append(Covering(rng, drawn.layout, kind, CELLS[int(rng.integers(len(CELLS)))]))
        for number, cover in enumerate(covers):
            shots = np.random.default_rng(light)
            photo = shoot(shots, drawn, level, size_wh=SIZE_WH, cover=cover)
            about = {"level": "covered" if cover else "clean"}
            about["design"] = cover.kind if cover else "nothing"
            path = folder / f"{seed}-{number}.jpg"
            save_photo(path, photo.bgr, photo.truth() | about, CAMERA_QUALITY)


if __name__ == "__main__":
    run(lambda: typer.run(main))
