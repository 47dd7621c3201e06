"""Stage: photo and template → the sheet in the template's frame, its ink, and logits of its marks.

Form dropout: the grid is the registered template's, and marks are what the ink reader and the
marks network read together, from the ink and from the photo. Cells where the print is hardly known
are classified from the photo alone. A player draws all lines of a sheet alike, so a line with far
more ink than the others is doubted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import softmax
from kdscan.imaging.picture import (
    FLAT_MARGIN,
    Ink,
    Network,
    Photo,
    RectifiedSheet,
    outline_of,
    resolution,
)
from kdscan.marks.crops import CROP_PX, crop_cell, segment
from kdscan.marks.network import Logits, average, predict
from kdscan.rules.duel.board import CELLS, COATS, Coat
from kdscan.templates.align import Aligned
from kdscan.templates.ink_by_subtraction import ink_by_subtraction
from kdscan.templates.ink_reader import read_ink
from kdscan.templates.template import COVERAGE_STEP, SHEET, TEMPLATE_MARGIN, TEMPLATE_PX, Template

PLACEMENT_CONFIDENCE = 0.9999
"""Placement confidence of a registered print: a misplaced one would not have been recognised
(`recognize.SURELY`)."""
MIN_KNOWN, MAX_UNKNOWN_SHARE = 0.4, 0.1
"""A cell is read from the photo if the coverage of more than `MAX_UNKNOWN_SHARE` of its shield and
circles is below `MIN_KNOWN`."""
MIN_FOUND = 0.1
"""A cell is read from the photo if less than this share of its print is found: under a finger
nothing is found; under coats and crosses, on six sheets of two pads, 0.56 and more."""


MIN_GAIN = 0.04
"""Least gain in mean log probability for preferring the photo, see `pooled`. A print with a
circle in a wrong place, which had 14 shields wrong on each of three sheets, is 0.08 and more below
the photo."""

WEIGHTS = 0.5, 0.6
"""Weight of each of the two voices for coats and for crosses, of which they err more independently.
Of 167 sheets 72 rather than 78 ask than with 0.5 for both, half rather than 57% need the second
view, and as many totals are wrong after all questions."""


@dataclass(frozen=True, eq=False)
class InkSheet:
    """A sheet of a known print.

    rectified: as the photo shows it, in the print's frame. poorly_known: (34,) in the order of
    `CELLS`: the cells to read from the photo.
    """

    template: Template
    rectified: RectifiedSheet
    ink: Ink
    poorly_known: NDArray[np.bool_]


def drop_out(photo: Photo, aligned: Aligned) -> InkSheet:
    """The sheet with which a print was aligned, and its ink."""
    template, flat = aligned.template, aligned.flatten(photo, FLAT_MARGIN)
    ink = ink_by_subtraction(flat, template.bgr[SHEET])
    centers = aligned.centers_xy
    rectified = RectifiedSheet(
        flat, centers, outline_of(centers), resolution(centers), PLACEMENT_CONFIDENCE
    )
    # Something other than a coat covers the cell: a finger, glare, a change of the print.
    covered = aligned.found[tuple(np.transpose(CELLS))] < MIN_FOUND
    return InkSheet(template, rectified, ink, poorly_known(template) | covered)


def poorly_known(template: Template) -> NDArray[np.bool_]:
    """(34,) in the order of `CELLS`: where too little of shield and circles is known; all cells if
    they were not found for certain."""
    if not template.cell.is_certain:
        return np.ones(len(CELLS), bool)  # the ink reader would look in wrong places
    points = np.array([*template.cell.shield, *template.cell.circles])
    places = TEMPLATE_PX // COVERAGE_STEP
    low, high = points.min(0), points.max(0)
    out = np.zeros(len(CELLS), bool)
    for i, (row, col) in enumerate(CELLS):
        x0, y0 = np.floor((low + (col, row) + 0.5 + TEMPLATE_MARGIN) * places).astype(int)
        x1, y1 = np.ceil((high + (col, row) + 0.5 + TEMPLATE_MARGIN) * places).astype(int)
        out[i] = (
            np.mean(template.coverage[max(y0, 0) : y1, max(x0, 0) : x1] < MIN_KNOWN)
            > MAX_UNKNOWN_SHARE
        )
    return out


def predict_ink(sheet: InkSheet, marks: Network, reader: Network) -> Iterator[Logits]:
    """Logits after one view and after two, see `predict`, from the ink and from the photo. In the
    second view the photo is upside down and the ink mirrored: four looks at the ink read 139 of 167
    boards right, and so do these two."""
    crops, of_photo, of_ink = segment(sheet.rectified.bgr), list[Logits](), list[Logits]()
    for turned in (False, True):
        of_photo.append(predict(crops, marks, turned))
        of_ink.append(view_of_ink(sheet, reader, turned))
        yield pooled(sheet, average(of_photo), average(of_ink))


def view_of_ink(sheet: InkSheet, reader: Network, turned: bool) -> Logits:
    """Logits of coats and crosses from the ink alone. turned: seen mirrored."""
    flip = (1, -1 if turned else 1)
    return read_ink(sheet.ink.probability, sheet.template.printed_cells, reader, flip)


def pooled(sheet: InkSheet, of_photo: Logits, of_ink: Logits) -> Logits:
    """Logits from a photo, see `predict`, together with those from the sheet's ink.

    The photo alone is used for poorly known cells, and for all coats or all crosses if it is
    clearly more confident: then shields or circles are misplaced in the print, or the print
    contains other people's ink. Lines with far more ink than others that are read as the same coat
    are doubted.
    """
    coat, crosses = (
        np.where(
            sheet.poorly_known[None, :, None]
            | (mean_log_probability(theirs) > mean_log_probability(ours) + MIN_GAIN),
            theirs,
            (ours + theirs) * weight,
        )
        for ours, theirs, weight in zip(of_ink, of_photo[:2], WEIGHTS, strict=True)
    )
    unlike = unlike_others(shield_ink(sheet.ink), coat[0].argmax(-1)) & ~sheet.poorly_known
    # An unlike shield may with probability one half be any coat, so that it needs review.
    any_coat = np.log((softmax(coat.astype(np.float64)) + 1 / coat.shape[-1]) / 2)
    doubted = np.where(unlike[None, :, None], any_coat, coat)
    return np.asarray(doubted, np.float32), crosses, *of_photo[2:]


def mean_log_probability(logits: NDArray[np.float32]) -> float:
    """Mean log probability of the shields' best classes; logits: (1, 34, K)."""
    probabilities = softmax(logits[0].astype(np.float64))
    return float(np.log(probabilities.max(-1)).mean())


COMPARED = tuple(COATS.index(coat) for coat in (Coat.LINE, Coat.DOUBLE_LINE))
"""Coats for which a loose fill is mistaken. (The ink of one player's dots varies tenfold.)"""

MIN_PEERS, INK_RATIO = 2, 3.0
"""A line is unlike the others of its coat, of which there are at least `MIN_PEERS`, if it has
`INK_RATIO` times the median of their ink. On 95 sheets of nine known pads this doubts 2 of 8 wrong
lines, one of which was read confidently, and 4 of 1,138 right ones, on sheets that need review
anyway."""

NO_INK = 0.005
"""Mean probability of ink that is added to all shields, so that tiny amounts of ink are not
compared."""


def shield_ink(ink: Ink) -> NDArray[np.float64]:
    """(34,) in the order of `CELLS`: the mean probability of ink in the middle of each cell, half a
    crop wide and high."""
    middle = np.s_[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4]
    return np.array([crop_cell(ink.probability, *at)[middle].mean() for at in CELLS], np.float64)


def unlike_others(ink: NDArray[np.float64], coats: NDArray[np.int_]) -> NDArray[np.bool_]:
    """(34,): the shields with far more ink (34,) than the others of their coat (34,), an index of
    `COATS`; only lines are compared."""
    out = np.zeros(len(ink), bool)
    for i in np.flatnonzero(np.isin(coats, COMPARED)):
        peers = ink[(coats == coats[i]) & (np.arange(len(ink)) != i)]
        if len(peers) >= MIN_PEERS:
            out[i] = ink[i] + NO_INK > INK_RATIO * (np.median(peers) + NO_INK)
    return out
