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

from kdscan.paper.parts import Layout
from kdscan.rules.duel.board import CELLS
from lab.benchmarks.shared import CAMERA_QUALITY, parser, positive
from lab.synth.fields import F32, F64, U8, Rng, any_of, color, f32, fill_into, rotation, toward, u8
from lab.synth.hands.habits import TIDY
from lab.synth.hands.sketch import Hand
from lab.synth.patches import GONE, mirrored_lamp
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.clutter import Solid, finger, random_solid, skin_color
from lab.synth.photo.lens import Camera, PageMap
from lab.synth.scene import any_look, draw_page, own_page, random_page, save_photo, shoot

KINDS = ("finger", "die", "scrap", "glare", "cloth", "pencil", "brick", "sheet")
"""Covers on which thresholds are fitted."""
OTHERS = ("coin", "pawn", "ball", "note", "cube", "lamps")
"""Covers for tests, never for fitting, in addition to `KINDS`."""


class Covering:
    """One object over one shield of a sheet, as passed to `photograph`.

    kind: of `KINDS` or `OTHERS`. at: row and column of the shield.
    hidden: set when the photo is taken: (34,) share of each shield and its circles that the object
        hides, in the order of `CELLS`.
    """

    def __init__(self, rng: Rng, layout: Layout, kind: str, at: tuple[int, int]) -> None:
        self.kind, self.hidden = kind, np.zeros(len(CELLS))
        self._rng, self._layout = rng, layout
        slip = rng.uniform(-0.3, 0.3, 2) * layout.cell_mm
        self._at_mm: F64 = np.array(layout.center_mm(*at), np.float64) + slip
        self._solids: list[Solid] = []
        self._camera: Camera
        self._page: PageMap

    def things(self, camera: Camera, page: PageMap) -> Sequence[Solid]:
        """The solids on the sheet, in world mm."""
        self._camera, self._page = camera, page
        rng, kind = self._rng, self.kind
        (place,) = page.sheet.at(self._at_mm[None])
        if kind == "finger":
            skin = skin_color(rng)
            angle = rng.uniform(0, tau)
            along = toward(angle)
            tip = place - np.array([*along, 0]) * rng.uniform(3, 12)
            self._solids = [finger(rng, skin, tip, along)]
        elif kind in ("scrap", "note", "cloth", "sheet"):
            # a thin object that lies on the sheet
            cell = float(np.mean(self._layout.cell_mm))
            outline: F64
            white = color(rng, (0, 0.06), (0.8, 1)).astype(float)
            if self.kind == "scrap":
                t = np.sort(rng.uniform(0, tau, int(rng.integers(4, 9))))
                star = toward(t) * rng.uniform(0.5, 1.2, (len(t), 1))
                outline = np.asarray(cv2.convexHull(f32(star))[:, 0] * cell, np.float64)
            elif self.kind == "sheet":  # another sheet that covers a corner of this one
                outline = (np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) - (0.02, 0.02)) * 150.0
            else:
                outline = (np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) - 0.5) * cell
                outline *= rng.uniform(0.8, 2.2, 2)
            if self.kind == "note":
                white = color(rng, (0.25, 0.7), (0.75, 1)).astype(float)
            elif self.kind == "cloth":
                white = np.full(3, 190.0)
            (middle,) = self._page.sheet.at(np.array([self._layout.page_mm]) / 2)
            away = np.arctan2(*(place - middle)[1::-1])
            angle = (
                away - pi / 4 + rng.normal(0, 0.3) if self.kind == "sheet" else rng.uniform(0, 7)
            )
            flat = (
                np.column_stack([outline @ rotation(float(angle)).T, np.full(len(outline), 0.4)])
                + place
            )
            self._solids = [Solid((flat,), np.array([[0, 0, 1.0]]), white[None], 0.02)]
        elif kind not in ("glare", "lamps"):
            solid = random_solid(rng, kind).lifted()
            self._solids = [solid.moved(place)]
        return self._solids

    def finish(self, image: U8) -> None:
        """Add glare, in place; then compute what is hidden."""
        mask: U8 = np.zeros(image.shape[:2], np.uint8)
        for solid in self._solids:
            for face in solid.faces:
                fill_into(mask, self._camera.project(face))
        if self.kind in ("glare", "lamps"):
            rng = self._rng
            h, w = image.shape[:2]
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
            mask = u8(np.where(extra > GONE, 255, 0))
        # (34,) share of each shield and its circles under the mask
        points = np.array([*self._layout.shield, *self._layout.circles])
        low, high = points.min(0), points.max(0)
        steps = np.linspace(0, 1, 12)
        net = low + np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2) * (high - low)
        centers = np.array([self._layout.center_mm(r, c) for r, c in CELLS])
        at = self._page.page_to_photo(centers[:, None] + net).round().astype(int)
        x = np.clip(at[..., 0], 0, mask.shape[1] - 1)
        y = np.clip(at[..., 1], 0, mask.shape[0] - 1)
        self.hidden = np.asarray((mask[y, x] > 127).mean(1), np.float64)


SIZE_WH = (2016, 1512)
OF_A_SHEET = 3
"""Objects laid, one at a time, on each sheet."""


def main() -> None:
    """Draw and photograph the sheets."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, help="for the photos and their truth")
    options.add_argument("--sheets", type=positive, default=50)
    options.add_argument("--first", type=int, default=29_000_000, help="seed of the first sheet")
    args = options.parse_args()
    cv2.setNumThreads(1)
    kinds = itertools.cycle(KINDS + OTHERS)
    for seed in range(args.first, args.first + args.sheets):
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
            path = args.folder / f"{seed}-{number}.jpg"
            save_photo(path, photo.bgr, photo.truth() | about, CAMERA_QUALITY)


if __name__ == "__main__":
    main()
