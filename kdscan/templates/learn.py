"""A print learned from photos: of an unmarked sheet, of several, or of filled ones alone.

>>> from kdscan import learn_print, load_photos, read_photo
>>> club = learn_print(load_photos("blank.jpg"), "club")                  # doctest: +SKIP
>>> for photo in load_photos("photo.jpg"):                                # doctest: +SKIP
...     print(read_photo(photo, prints=[club]))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.find import find_maps
from kdscan.detection.locate import clipped_cells
from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.detection.register import turned
from kdscan.errors import LayoutError, NoSheetFound
from kdscan.imaging.picture import Floats, Network, Photo, check_photo, softmax
from kdscan.imaging.quality import edge_width
from kdscan.imaging.rectify import RectifiedSheet, flatten, resolution
from kdscan.inference.store import Models, default_models
from kdscan.marks.network import refine_crops
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.coats import COATS
from kdscan.templates.align import Aligned, align
from kdscan.templates.corners import rectify_by_corners, shifted_to
from kdscan.templates.describe import OWN_CENTERS, describe_print, unknown_print
from kdscan.templates.flat import (
    FLAT_CENTERS,
    MIN_PX,
    FlatSheet,
    FlatSheetHead,
    coats_of,
    same_sheet,
)
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX, SHEET, KnownPrint
from kdscan.templates.lattice import Measured, measure_cells
from kdscan.templates.merge import merge
from kdscan.templates.names import checked_name
from kdscan.templates.recognize import SURELY
from kdscan.templates.separate import drawn_on

MIN_LIKENESS = 0.3
"""Least likeness of the cells, see `Measured`; below it a sheet is too blurred, or none at all.
Sharp sheets of 16 prints have at least 0.45."""
MAX_EDGE_WIDTH = 0.06
"""Cells, see `edge_width`; above it a sheet is too blurred. Nine unmarked sheets have 0.031 to
0.034; blurred by a Gaussian of 0.05 cells, all have more."""
MAX_SHEETS = 16
"""Most sheets that are used; more improve nothing and take 9 MB each."""
MIN_FILLED = 4
"""Least number of filled sheets from which a print is learned. Of 56 sheets of 14 pads, 43 boards
are right if the print was learned from four of each pad, 40 without it. With prints learned from
three, 28 instead of 27 of 42 are right, but totals are less certain than without; with two, 20
instead of 18 of 28 need review."""
ROUNDS = 2
"""Iterations of registering the sheets with the print and merging them."""
FILLED_SHARE = 0.08
"""Least share of shields with a coat, according to the marks network, on a filled sheet: three of
34. None of 20 unmarked sheets of as many prints has any; one of 64 filled ones, with two coats, has
fewer."""
COAT_PROBABILITY = 0.9
"""Least probability of a single coat. The probability of not being empty would be misleading: the
hills of an engraved print look like strokes in 27 of 34 shields, but like no coat in particular."""


@dataclass(frozen=True, eq=False)
class _MeasuredSheet:
    """A sheet in one of the photos. head: with the coats that are certainly on it. placed: a person
    gave the grid's corners."""

    photo: Photo
    measured: Measured
    head: FlatSheetHead
    filled: bool
    placed: bool = False

    def is_again(self, other: _MeasuredSheet) -> bool:
        """Whether both show the same filled sheet."""
        return self.filled and other.filled and same_sheet(self.head, other.head)


def learn_print(
    photos: Iterable[Photo],
    name: str,
    models: Models | None = None,
    *,
    unmarked: bool = False,
    corners_xy: Floats | None = None,
) -> KnownPrint:
    """Learn a pad's print from photos of its sheets: one unmarked, several, or four filled ones.

    name: of the pad; it becomes the `layout` of sheets that are recognised.
    unmarked: nobody has drawn on these sheets, for certain. corners_xy: (4, 2), where the grid's
    corners lie in the first photo, clockwise from the upper left, if a person says so.
    Raises LayoutError if the photos or the name are unsuitable and NoSheetFound if a photo shows no
    map, both with advice, and ModelError if the models are unusable.
    """
    name, models, photos = checked_name(name), models or default_models(), tuple(photos)
    for photo in photos:
        check_photo(photo)
    if not photos:
        raise LayoutError("name at least one photo of a sheet")
    seen = [
        _measure_sheet(photo, models, unmarked, None if number else corners_xy)
        for number, photo in enumerate(photos)
    ]
    # Ink that two pictures of one sheet share would be mistaken for print.
    different = [
        one for n, one in enumerate(seen) if not any(one.is_again(two) for two in seen[:n])
    ]
    _check_number(different)
    used = sorted(different, key=lambda one: (not one.placed, one.filled, -one.measured.likeness))[
        :MAX_SHEETS
    ]
    known = _initial_print(name, used[0])
    return known if len(used) == 1 else _merge_sheets(known, used, models.ink)


def learn_flat_sheets(
    sheets: Sequence[FlatSheet],
    name: str,
    inking: Network,
    known: KnownPrint | None = None,
    least: int = MIN_FILLED,
) -> KnownPrint:
    """Learn a print from filled sheets that probably have the print of the first; others are
    dropped.
    Raises LayoutError if fewer than `least` remain.

    inking: ink segmentation, see `drawn_on`. known: an earlier version of the print.
    """
    seen = []
    for sheet in sheets:
        measured = measure_cells(sheet.photo, FLAT_CENTERS)
        if measured.likeness >= MIN_LIKENESS:
            seen.append(_MeasuredSheet(sheet.photo, measured, sheet, True))
    if len(seen) < least:
        raise _too_few()
    return _merge_sheets(known or _initial_print(name, seen[0]), seen, inking, least)


def _initial_print(name: str, one: _MeasuredSheet) -> KnownPrint:
    return describe_print(unknown_print(name), one.photo, one.measured.centers_xy, one.placed)


def _merge_sheets(
    known: KnownPrint, used: Sequence[_MeasuredSheet], inking: Network, least: int = 0
) -> KnownPrint:
    """The common print of sheets, from an initial estimate. least: sheets of another print are
    dropped as long as this many remain; 0 to raise LayoutError for them."""
    for _ in range(ROUNDS):
        used, aligned = _register_all(known, used, least)
        flats = [a.flatten(one.photo) for a, one in zip(aligned, used, strict=True)]
        ink = [_predicted_ink(f, inking, one.filled) for f, one in zip(flats, used, strict=True)]
        bgr, coverage = merge(flats, ink)
        # Described from the merged picture, in which single sheets' marks have vanished.
        known = describe_print(known, Photo(bgr), OWN_CENTERS, used[0].placed)
    return replace(known, bgr=bgr, known=coverage, sheets=len(used))


def _predicted_ink(flat: NDArray[np.uint8], inking: Network, filled: bool) -> NDArray[np.float32]:
    """(H, W) 0..1: probability of ink on a sheet in the print's frame; 0 in the margin beyond the
    network's input, and everywhere on sheets that are not filled."""
    ink = np.zeros(flat.shape[:2], np.float32)
    if filled:
        ink[SHEET] = drawn_on(flat[SHEET], inking)
    return ink


def _measure_sheet(
    photo: Photo, models: Models, unmarked: bool, corners_xy: Floats | None
) -> _MeasuredSheet:
    if corners_xy is None:
        sheet = _find_sheet(photo, models)
    else:
        sheet = rectify_by_corners(photo, corners_xy)
    if clipped_cells(photo, sheet):
        raise LayoutError(
            "{photo}: the sheet is cut off; photograph it with some table all around",
            photo=photo.name,
        )
    if resolution(sheet.centers_xy) < MIN_PX:
        raise LayoutError(
            "{photo}: the sheet is too small in the picture; come closer", photo=photo.name
        )
    measured = measure_cells(photo, sheet.centers_xy)
    flat = flatten(photo, measured.centers_xy, PRINT_PX, PRINT_MARGIN)
    if measured.likeness < MIN_LIKENESS or edge_width(flat) > MAX_EDGE_WIDTH:
        raise LayoutError(
            "{photo}: the sheet's cells cannot be made out; photograph it again, sharp, flat and"
            " evenly lit",
            photo=photo.name,
        )
    coats = "." * len(CELLS) if unmarked else sure_coats(photo, sheet, models.marks)
    head = FlatSheetHead(photo.name, coats, UNKNOWN_LAYOUT)
    filled = head.marked >= FILLED_SHARE * len(CELLS)
    if corners_xy is not None:
        measured = replace(measured, centers_xy=shifted_to(measured.centers_xy, sheet.centers_xy))
    return _MeasuredSheet(photo, measured, head, filled, corners_xy is not None)


def _find_sheet(photo: Photo, models: Models) -> RectifiedSheet:
    found = find_maps(photo, models.locate, models.refine)[0]
    if not found:
        raise NoSheetFound(
            "{photo}: no map was found; photograph the whole sheet from straight above, sharp and"
            " evenly lit",
            photo=photo.name,
        )
    return found[0]


def _check_number(seen: Sequence[_MeasuredSheet]) -> None:
    if len(seen) < MIN_FILLED and all(one.filled for one in seen):
        raise LayoutError(
            "these sheets seem to be filled in; photograph one that nobody has drawn on, or at"
            " least {few} different filled ones",
            few=MIN_FILLED,
        )


def sure_coats(photo: Photo, sheet: RectifiedSheet, marking: Network) -> str:
    """The coats of the shields according to the marks network, as in `FlatSheetHead`; "." for those
    that are empty or uncertain."""
    _, views = refine_crops(photo, sheet, marking)
    probs = softmax(next(views)[0][0].astype(np.float64))[:, 1:]
    found = zip(CELLS, probs.argmax(1), probs.max(1) > COAT_PROBABILITY, strict=True)
    return coats_of({at: COATS[1 + coat] for at, coat, sure in found if sure})


def _register_all(
    known: KnownPrint, seen: Sequence[_MeasuredSheet], least: int
) -> tuple[list[_MeasuredSheet], list[Aligned]]:
    """The sheets that have the print, and their registrations; see `_merge_sheets` for `least`."""
    used, aligned = [], []
    for one in seen:
        try:
            aligned.append(_register(known, one))
        except LayoutError:
            if not least:
                raise
            continue
        used.append(one)
    if len(used) < least:
        raise _too_few()
    return used, aligned


def _too_few() -> LayoutError:
    return LayoutError("too few of these sheets share a print; photograph some more of them")


def _register(known: KnownPrint, one: _MeasuredSheet) -> Aligned:
    """The print registered with a sheet in either orientation; raises LayoutError if the sheet has
    another print."""
    best = register_either_way(known, one.photo, one.measured.centers_xy)
    if best.likeness < SURELY:
        raise LayoutError(
            "{photo}: this sheet has another print than the others; leave it out",
            photo=one.photo.name,
        )
    return best


def register_either_way(known: KnownPrint, photo: Photo, centers_xy: Floats) -> Aligned:
    """The print registered with a sheet, upright or upside down, whichever has the higher
    likeness."""
    ways = (align(known, photo, c) for c in (centers_xy, turned(centers_xy)))
    return max(ways, key=lambda aligned: aligned.likeness)
