"""Geometry of learned templates: are shields and circles found where they are printed?

    OMP_NUM_THREADS=1 python -m lab.benchmarks.template_geometry --pads 100

A blank of each generated pad, of all grounds in turn, is photographed and learned; its layout tells
the truth. Circles are right if their number is, and each lies within 0.02 of a cell of its place;
shields if they overlap the printed outline by 0.85 (intersection over union). A template that is
not certain is asked about; one that is wrong and certain is silent.
"""

from __future__ import annotations

import cv2
import numpy as np
import typer

from kdscan.errors import KdscanError
from kdscan.imaging.picture import Floats, Photo
from kdscan.templates.align import align
from kdscan.templates.learn import learn_template
from kdscan.templates.template import Template
from lab.synth.pads import pad_blank, pad_print
from lab.synth.scene import SynthPhoto
from lab.synth.sheets.grounds.draw import GROUPS
from lab.synth.tool import run

SIZE_WH = (2016, 1512)
MAX_OFF, MIN_OVERLAP = 0.02, 0.85


def offset_of(template: Template, shot: SynthPhoto) -> tuple[Floats, bool]:
    """(2,): cells by which the template's lattice is off the printed one; whether it is upside
    down."""
    true = shot.centers_xy
    placed = align(template, Photo(shot.bgr), true).centers_xy
    right, down = true[0, -1] - true[0, 0], true[-1, 0] - true[0, 0]
    turned = float(np.vdot(placed[0, -1] - placed[0, 0], right)) < 0
    off = ((placed[::-1, ::-1] if turned else placed) - true).reshape(-1, 2)
    axes = np.stack([right / (true.shape[1] - 1), down / (true.shape[0] - 1)], 1)
    return np.median(np.linalg.solve(axes, off.T), 1), turned


def overlap(outline: Floats, other: Floats) -> float:
    """Intersection over union of two polygons in cells from a cell's centre."""
    masks = np.zeros((2, 400, 400), np.uint8)
    for mask, polygon in zip(masks, (outline, other), strict=True):
        if len(polygon) > 2:
            cv2.fillPoly(mask, [np.round((polygon + 1) * 200).astype(np.int32)], 1)
    return float((masks[0] & masks[1]).sum() / max((masks[0] | masks[1]).sum(), 1))


def main(pads: int = 100, first: int = 962_000_000) -> None:
    """Learn and compare; first: the first pad's seed."""
    cv2.setNumThreads(1)
    circles = shields = asked = refused = silent = 0
    for number in range(pads):
        seed, ground = first + number, list(GROUPS)[number % len(GROUPS)]
        page = pad_print(seed, ground)
        shot = pad_blank(seed, page, "easy", SIZE_WH)
        try:
            template = learn_template([Photo(shot.bgr, str(seed))], "pad", unmarked=True)
        except KdscanError as error:
            refused += 1
            print(seed, ground, f"refused: {error}", flush=True)
            continue
        (off, turned), cell = offset_of(template, shot), template.cell
        sign = -1 if turned else 1
        found = np.array(cell.circles).reshape(-1, 2) * sign + off
        printed = np.array(page[0].circles) / page[0].cell_mm
        away = np.linalg.norm(found[:, None] - printed, axis=-1)
        right = len(found) == len(printed) and bool(away.min(0).max() < MAX_OFF)
        shield = np.array(cell.shield).reshape(-1, 2) * sign + off
        alike = overlap(shield, np.array(page[0].shield) / page[0].cell_mm)
        shaped, certain = alike > MIN_OVERLAP, cell.is_certain
        circles, shields = circles + right, shields + shaped
        asked, silent = asked + (not certain), silent + (certain and not (right and shaped))
        worst = min(cell.shield_certainty, *cell.certainty)
        print(seed, ground, len(found), len(printed), right, f"{alike:.2f} {worst:.2f}", flush=True)
    print(f"of {pads}: refused {refused}, circles right {circles}, shields right {shields},")
    print(f"asked about {asked}, wrong and certain {silent}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
