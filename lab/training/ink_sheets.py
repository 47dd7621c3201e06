"""Sheets of known prints and the ink on them, for the ink reader.

A sheet goes the whole way of the program: printed, drawn on, photographed, registered with a photo
of its empty pad, and divided by it. What lies around the sheet is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.formats import png
from kdscan.imaging.picture import CENTERS, Photo, flatten, lattice_to_photo
from kdscan.rules.duel.board import CELLS
from kdscan.templates.align import align
from kdscan.templates.drop_out import drop_out
from kdscan.templates.ink_reader import MAX_CIRCLES, PrintedCells
from kdscan.templates.template import (
    COVERAGE_STEP,
    SHEET,
    TEMPLATE_MARGIN,
    TEMPLATE_PX,
    CellGeometry,
    Template,
)
from lab.synth.fields import F32, F64, U8, Rng, any_of, u8
from lab.synth.pads import pad_blank, pad_print
from lab.synth.photo.camera import Level
from lab.synth.scene import Page, draw_page, shoot
from lab.training.dataset import labels, unpack, worker_strokes

SHEETS = 25
"""Sheets of each pad."""

STORED_WH = (696, 504)
"""Pixels of a stored sheet with its margin: 96 per cell."""

GROUNDS = (None, "painted", "painted", "engraved", "engraved", "sepia", "photographed", "pale")
"""Grounds of the pads, None for any."""

LEVELS: tuple[Level, ...] = (*("easy",) * 7, *("normal",) * 9, *("hard",) * 4)
LONG_SIDES = (1280, 1600, 1600, 2016)
"""Levels of the photos, and pixels of their longer sides."""

MIN_LIKENESS = 0.3
"""A sheet that is less like its print would not be read with it."""


@dataclass(frozen=True, eq=False)
class InkSheet:
    """A sheet of a known template.

    ink, pad: PNG, grey, `STORED_WH`; the pad's is shared by its sheets. cell: the printed geometry.
    coat, crosses: (34,) int64. crossed: (34, 4) float32, whether each circle is crossed out, -1 if
    that is unknown. labelled: (34,), whether the cell is seen at all.
    """

    ink: bytes
    pad: bytes
    cell: CellGeometry
    coat: NDArray[np.int64]
    crosses: NDArray[np.int64]
    crossed: F32
    labelled: NDArray[np.bool_]

    def ink_picture(self) -> U8:
        """(504, 696), 0 for none and 255 for full ink."""
        return unpack(self.ink, cv2.IMREAD_GRAYSCALE)

    def printed(self) -> PrintedCells:
        """What the reader knows of the print."""
        return _printed(self.pad, self.cell)


@lru_cache(maxsize=64)
def _printed(pad: bytes, cell: CellGeometry) -> PrintedCells:
    grey = unpack(pad, cv2.IMREAD_GRAYSCALE)
    return PrintedCells.of(grey, cell.shield, cell.circles, cell.radius)


def ink_sheet(seed: int) -> InkSheet | None:
    """The sheet of a seed, or None if it cannot be registered; call `dataset.init_worker` first.
    Every `SHEETS` seeds are sheets of one pad."""
    page, template, packed, off = _pad(seed // SHEETS)
    rng = np.random.default_rng([seed, 8])
    strokes = worker_strokes() if rng.random() < 0.5 else None
    drawn = draw_page(rng, page=page, wild=rng.random() < 0.6, strokes=strokes)
    size = _size(rng)
    size = size if rng.random() < 0.6 else size[::-1]
    shot = shoot(rng, drawn, any_of(rng, LEVELS), size_wh=size, table=False)
    photo, span = Photo(shot.bgr), np.ptp(shot.centers_xy, axis=(0, 1)).max()
    aligned = align(template, photo, shot.centers_xy + rng.normal(0, 0.005, 2) * span)
    if aligned.likeness < MIN_LIKENESS:
        return None
    sheet = drop_out(photo, aligned)
    ink = np.round(sheet.ink.probability * 255).astype(np.uint8)
    coat, crosses = labels(drawn.board)
    crossed = _crossed(drawn.crossed, crosses, template.cell, off)
    return InkSheet(
        _packed(ink), packed, template.cell, coat, crosses, crossed, ~sheet.poorly_known
    )


def _packed(picture: U8) -> bytes:
    return png(np.asarray(cv2.resize(picture, STORED_WH, interpolation=cv2.INTER_AREA)))


def _size(rng: Rng) -> tuple[int, int]:
    long = any_of(rng, LONG_SIDES)
    return long, round(0.75 * long)


@lru_cache(maxsize=2)
def _pad(seed: int) -> tuple[Page, Template, bytes, F64]:
    """A pad's page, its print as a photo of an empty sheet shows it, the print's grey picture, and
    by how many cells its frame is off the lattice: more at times, as learned prints without lines
    are."""
    rng = np.random.default_rng([seed, 7])
    page = pad_print(seed, any_of(rng, GROUNDS))
    blank = pad_blank(seed, page, "easy" if rng.random() < 0.8 else "normal", _size(rng))
    off = rng.normal(0, 0.08 if rng.random() < 0.2 else 0.008, 2).clip(-0.2, 0.2)
    centers = lattice_to_photo(blank.centers_xy, CENTERS + off)
    bgr = flatten(Photo(blank.bgr), centers, TEMPLATE_PX, TEMPLATE_MARGIN)
    layout = page[0]
    cell = np.array(layout.cell_mm)
    geometry = CellGeometry(
        tuple(map(tuple, np.array(layout.shield) / cell - off)),
        tuple(map(tuple, np.array(layout.circles).reshape(-1, 2) / cell - off)),
        layout.circle_radius_mm / float(np.sqrt(cell.prod())),
    )
    template = Template(
        name="pad",
        bgr=bgr,
        coverage=np.ones([n // COVERAGE_STEP for n in bgr.shape[:2]], np.float32),
        cell=geometry,
        castle=layout.castle,
        lines=layout.lines,
        aspect=float(cell[1] / cell[0]),
        residual=0.0,
        sheets=1,
    )
    return page, template, _packed(u8(cv2.cvtColor(bgr[SHEET], cv2.COLOR_BGR2GRAY))), off


def _crossed(spots: F32, crosses: NDArray[np.int64], cell: CellGeometry, off: F64) -> F32:
    """(34, 4): `InkSheet.crossed`, from `SynthPhoto.crossed`. Crosses beside the circles make those
    of their shield unknown."""
    crossed = np.zeros((len(CELLS), MAX_CIRCLES), np.float32)
    circles = np.array(cell.circles).reshape(-1, 2)[:MAX_CIRCLES]
    for number, *spot in spots:
        at = int(number)
        if len(circles):
            away = np.hypot(*(circles + CELLS[at][::-1] + off - spot).T)
            if away.min() < 1.3 * cell.radius:
                crossed[at, away.argmin()] = 1
    crossed[crossed.sum(1) != crosses] = -1
    return crossed
