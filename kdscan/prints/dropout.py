"""Stage: photo and known print → the sheet in the print's own frame, its ink, and looks at it.

The grid comes from the print: each cell lies where the print says. Marks are read from the ink on a
plain page. Where the print is hardly known, the reader falls back to the photo, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, outline_of, resolution
from kdscan.ink.divide import divide
from kdscan.marks.classify import VIEWS, Logits, predict, softmax
from kdscan.marks.crops import segment
from kdscan.prints.align import Aligned
from kdscan.prints.known import KNOWN_STEP, PRINT_MARGIN, PRINT_PX, KnownPrint
from kdscan.prints.page import on_plain_page
from kdscan.records import CELLS, Ink, Photo, RectifiedSheet
from kdscan.records.arrays import Network

PLACED = 0.9999
"""How sure the grid is that a print was recognised by: a print that lies wrong is not found in the
photo (`recognize.SURELY`)."""
WELL_KNOWN, FEW = 0.4, 0.1
"""A cell in whose shield and circles more than `FEW` of the places are known less than `WELL_KNOWN`
is read from the photo."""
COVERED = 0.1
"""Share of a cell's print that is found below which it is read from the photo: under a finger none
is found; where only coats and crosses lie, on six sheets of two pads 0.56 and more."""


SURER = 0.04
"""Of the mean logarithm of probabilities. A print with a circle in a wrong place, which had 14
shields wrong on each of three sheets, loses 0.08 and more to the photo there."""


CONTRADICTS = 0.9
"""Probability from which what the photo says of a shield counts as much as what the ink says."""


@dataclass(frozen=True, eq=False)
class InkSheet:
    """A sheet of a known print. rectified: as the photo shows it, in the print's frame.
    poorly_known: (34,) the cells, in the order of `CELLS`, to read from the photo."""

    known: KnownPrint
    rectified: RectifiedSheet
    ink: Ink
    poorly_known: NDArray[np.bool_]


def drop_out(photo: Photo, aligned: Aligned) -> InkSheet:
    """The sheet that a print was laid over, and its ink."""
    known, flat = aligned.known, aligned.flatten(photo, FLAT_MARGIN)
    rim = round((PRINT_MARGIN - FLAT_MARGIN) * PRINT_PX)
    coarse = rim // KNOWN_STEP
    coverage = known.known[coarse:-coarse, coarse:-coarse]
    ink = divide(flat, known.bgr[rim:-rim, rim:-rim], coverage)
    centers = aligned.centers_xy
    rectified = RectifiedSheet(flat, centers, outline_of(centers), resolution(centers), PLACED)
    return InkSheet(known, rectified, ink, poorly_known(known) | covered(aligned))


def covered(aligned: Aligned) -> NDArray[np.bool_]:
    """(34,) in the order of `CELLS`: where the print is not seen in the photo at all. Something
    covers the cell, which is no coat: a finger, glare, another sheet, a print changed there."""
    found = aligned.found
    return np.array([found[at] < COVERED for at in CELLS])


def poorly_known(known: KnownPrint) -> NDArray[np.bool_]:
    """(34,) in the order of `CELLS`: where too little of shield and circles is known, all
    where either was not found."""
    if not (known.cell.shield and known.cell.circles):
        return np.ones(len(CELLS), bool)  # on the plain page coats or crosses would mean nothing
    points = np.array([*known.cell.shield, *known.cell.circles])
    places = PRINT_PX // KNOWN_STEP
    low, high = points.min(0), points.max(0)
    out = np.zeros(len(CELLS), bool)
    for i, (row, col) in enumerate(CELLS):
        x0, y0 = np.floor((low + (col, row) + 0.5 + PRINT_MARGIN) * places).astype(int)
        x1, y1 = np.ceil((high + (col, row) + 0.5 + PRINT_MARGIN) * places).astype(int)
        out[i] = np.mean(known.known[max(y0, 0) : y1, max(x0, 0) : x1] < WELL_KNOWN) > FEW
    return out


def predict_ink(sheet: InkSheet, network: Network) -> Iterator[Logits]:
    """Logits of each view, see `predict`, of the ink on a plain page; of the photo for poorly known
    cells, and for coats or crosses of the whole sheet where that is plainly surer: then shields or
    circles were not found where they are printed, or the print holds what others drew."""
    page = replace(sheet.rectified, bgr=on_plain_page(sheet.ink, sheet.known))
    seen, as_is = (predict(segment(one), network, VIEWS) for one in (page, sheet.rectified))
    doubted: list[bool] = []
    for of_ink, of_photo in zip(seen, as_is, strict=True):
        both = list(zip(of_ink[:2], of_photo[:2], strict=True))
        if not doubted:  # told by the first look
            doubted = [sureness(theirs) > sureness(ours) + SURER for ours, theirs in both]
        coat, crosses = (
            np.where(sheet.poorly_known[None, :, None] | doubt, theirs, weighed(ours, theirs))
            for (ours, theirs), doubt in zip(both, doubted, strict=True)
        )
        yield coat, crosses, *of_ink[2:]


def weighed(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (1, 34, kinds) of the ink; where the photo surely says something else, of both alike,
    which asks: what is on most sheets that a print was learned from may have become part of it."""
    ink, photo = softmax(ours.astype(np.float64)), softmax(theirs.astype(np.float64))
    against = (photo.max(-1) > CONTRADICTS) & (photo.argmax(-1) != ink.argmax(-1))
    mixed = np.log(np.maximum((ink + photo) / 2, 1e-9))
    return np.asarray(np.where(against[..., None], mixed, ours), np.float32)


def sureness(logits: NDArray[np.float32]) -> float:
    """Mean logarithm of the probability of what each shield most probably holds; logits: (1, 34,
    kinds)."""
    probabilities = softmax(logits[0].astype(np.float64))
    return float(np.log(probabilities.max(-1)).mean())
