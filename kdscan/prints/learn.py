"""A print learned from photos: of an unmarked sheet, of several, or of filled ones alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.clipping import clipped_cells
from kdscan.detection.find import find
from kdscan.detection.register import turned
from kdscan.errors import LayoutError
from kdscan.imaging.rectify import CENTERS, FLAT_MARGIN, flatten, lattice_to_flat, resolution
from kdscan.ink.separate import drawn_on
from kdscan.marks.classify import softmax
from kdscan.marks.refine_crops import refine_crops
from kdscan.prints.align import Aligned, align
from kdscan.prints.describe import describe_castle, describe_cell
from kdscan.prints.features import edges
from kdscan.prints.flat import FLAT_CENTERS, MIN_PX, FlatSheet
from kdscan.prints.known import (
    KNOWN_STEP,
    PRINT_MARGIN,
    PRINT_PX,
    PRINT_WH,
    CellGeometry,
    KnownPrint,
    unfiled,
)
from kdscan.prints.lattice import (
    LATTICE_MARGIN,
    LATTICE_PX,
    Measured,
    castle_patch,
    measure_cells,
    shifted,
)
from kdscan.prints.learn_layout import aspect
from kdscan.prints.merge import merge
from kdscan.prints.pattern import pattern_of
from kdscan.prints.put_right import beside, centers_within, placed
from kdscan.prints.recognize import SURELY
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import Floats, Network
from kdscan.sheet.parts import Castle

LEAST_LIKENESS = 0.3
"""Likeness of the cells, see `Measured`, below which a sheet is too blurred or no sheet: sharp ones
of 16 prints have 0.45 and more."""
FEW_FILLED = 5
"""Filled sheets that are too few: with fewer most places of a shield were never seen bare."""
MOST_SHEETS = 16
"""Sheets beyond these teach nothing more and cost 9 MB each."""
ENOUGH_ALIKE = 6
"""Filled sheets from which a print is learned without being asked for."""
ROUNDS = 2
"""Sheets are laid over one another, merged, and laid over what that gave."""
FILLED = 0.08
"""Share of shields that surely hold a coat, as the marks' network sees them, from which a sheet is
filled: three of 34. Of 20 unmarked sheets of as many prints none has any; of 64 filled ones one,
with two coats on it, has less."""
SURE_COAT = 0.9
"""Probability of one coat above which a shield surely holds it. That it is not empty says less: the
hills of an engraved print look like strokes in 27 of 34 shields, but like no coat in particular."""

_OWN_CENTERS = lattice_to_flat(
    CENTERS, PRINT_PX, PRINT_MARGIN
)  # where a print's cells lie in its picture
_CORNER_CELLS = ([0, 0, -1, -1], [0, -1, -1, 0])


@dataclass(frozen=True, eq=False)
class _Seen:
    """A sheet in one of the photos. placed: a person said where its cells lie."""

    photo: Photo
    measured: Measured
    filled: bool
    placed: bool = False

    @property
    def sharpness(self) -> float:
        return self.measured.likeness


def learn_print(
    photos: Sequence[Photo],
    name: str,
    locating: Network,
    refining: Network,
    marking: Network,
    inking: Network | None = None,
    unmarked: bool = False,
    corners_xy: Floats | None = None,
) -> KnownPrint:
    """Learn a print from photos of its sheets: one unmarked, several, or five and more filled ones.

    locating, refining: see `kdscan.detection.find`. marking: reads marks, see `classify.look`.
    inking: tells ink from print, see `drawn_on`; helps where few sheets are filled.
    unmarked: a person says that nobody has drawn on these sheets. corners_xy: (4, 2), where a
    person says that the grid's corners lie in the first photo, in the order of `SheetOutline`.
    Raises LayoutError where the photos are no good for it, with what to do about it.
    """
    if not photos:
        raise LayoutError("name at least one photo of a sheet")
    reading = None if unmarked else marking
    seen = [
        _seen(photo, locating, refining, reading, None if number else corners_xy)
        for number, photo in enumerate(photos)
    ]
    _check_number(seen)
    used = sorted(seen, key=lambda one: (not one.placed, one.filled, -one.sharpness))[:MOST_SHEETS]
    known = _first_look(name, used[0])
    return known if len(used) == 1 else _shared(known, used, inking)


def learn_flat_sheets(
    sheets: Sequence[FlatSheet],
    name: str,
    inking: Network | None = None,
    known: KnownPrint | None = None,
    least: int = ENOUGH_ALIKE,
) -> KnownPrint:
    """Learn a print from filled sheets that seem to share the first one's; those that turn out not
    to are left out. Raises LayoutError where less than `least` remain.

    inking: see `learn_print`. known: the print as it is known already.
    """
    seen = []
    for sheet in sheets:
        measured = measure_cells(sheet.photo, FLAT_CENTERS)
        if measured.likeness >= LEAST_LIKENESS:
            seen.append(_Seen(sheet.photo, measured, True))
    if len(seen) < least:
        raise _too_few()
    return _shared(known or _first_look(name, seen[0]), seen, inking, least)


def _first_look(name: str, one: _Seen) -> KnownPrint:
    return described(unknown_print(name), one.photo, one.measured.centers_xy, one.placed)


def _shared(
    known: KnownPrint, used: Sequence[_Seen], inking: Network | None, least: int = 0
) -> KnownPrint:
    """The print that sheets share, of which a first look is known. least: sheets of another print
    are left out as long as so many remain; 0 to refuse them."""
    for _ in range(ROUNDS):
        used, aligned = _all_laid_over(known, used, least)
        flats = [a.flatten(one.photo) for a, one in zip(aligned, used, strict=True)]
        ink = None
        if inking is not None:
            ink = [_guessed(f, inking, one.filled) for f, one in zip(flats, used, strict=True)]
        bgr, coverage = merge(flats, ink)
        # Described on the merged picture, for there the marks of single sheets are gone.
        known = described(known, Photo(bgr), _OWN_CENTERS, used[0].placed)
    return replace(known, bgr=bgr, known=coverage, sheets=len(used))


def _guessed(flat: NDArray[np.uint8], inking: Network, filled: bool) -> NDArray[np.float32]:
    """Where a network sees ink on a sheet that lies as a print does; nothing in the margin that it
    does not look at, or on a sheet that is not filled."""
    rim = round((PRINT_MARGIN - FLAT_MARGIN) * PRINT_PX)
    ink = np.zeros(flat.shape[:2], np.float32)
    if filled:
        ink[rim:-rim, rim:-rim] = drawn_on(flat[rim:-rim, rim:-rim], inking)
    return ink


def _seen(
    photo: Photo,
    locating: Network,
    refining: Network,
    marking: Network | None,
    corners_xy: Floats | None,
) -> _Seen:
    sheet = _found(photo, locating, refining) if corners_xy is None else placed(photo, corners_xy)
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
    if measured.likeness < LEAST_LIKENESS:
        raise LayoutError(
            "{photo}: the sheet's cells cannot be made out; photograph it again, sharp, flat and"
            " evenly lit",
            photo=photo.name,
        )
    filled = marking is not None and marked_share(photo, sheet, marking) >= FILLED
    if corners_xy is not None:
        measured = replace(measured, centers_xy=beside(measured.centers_xy, sheet.centers_xy))
    return _Seen(photo, measured, filled, corners_xy is not None)


def _found(photo: Photo, locating: Network, refining: Network) -> RectifiedSheet:
    found = find(photo, locating, refining)
    if not found:
        raise LayoutError(
            "{photo}: no map was found; photograph the whole sheet from straight above, sharp and"
            " evenly lit",
            photo=photo.name,
        )
    return found[0]


def _check_number(seen: Sequence[_Seen]) -> None:
    if len(seen) < FEW_FILLED and all(one.filled for one in seen):
        raise LayoutError(
            "these sheets seem to be filled in; photograph one that nobody has drawn on, or at"
            " least {few} filled ones",
            few=FEW_FILLED,
        )


def marked_share(photo: Photo, sheet: RectifiedSheet, marking: Network) -> float:
    """Share of the shields that surely hold a coat, as the marks' network sees them."""
    _, looks = refine_crops(photo, sheet, marking)
    coats = next(looks)[0][0].astype(np.float64)
    return float(np.mean(softmax(coats)[:, 1:].max(1) > SURE_COAT))


def unknown_print(name: str) -> KnownPrint:
    """A print of which nothing is known yet."""
    w, h = PRINT_WH
    return KnownPrint(
        name=name,
        bgr=np.zeros((h, w, 3), np.uint8),
        known=np.ones((h // KNOWN_STEP, w // KNOWN_STEP), np.float32),
        cell=CellGeometry((), (), 0.0),
        castle=Castle((), ()),
        lines="none",
        aspect=1.0,
        residual=0.0,
        sheets=1,
    )


def _all_laid_over(
    known: KnownPrint, seen: Sequence[_Seen], least: int
) -> tuple[list[_Seen], list[Aligned]]:
    """Sheets of the print, which is laid over each; see `_shared` for `least`."""
    used, aligned = [], []
    for one in seen:
        try:
            aligned.append(_laid_over(known, one))
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


def _laid_over(known: KnownPrint, one: _Seen) -> Aligned:
    """The print laid over a sheet, whichever way up; raises LayoutError if it is another print."""
    best = laid_over(known, one.photo, one.measured.centers_xy)
    if best.likeness < SURELY:
        raise LayoutError(
            "{photo}: this sheet has another print than the others; leave it out",
            photo=one.photo.name,
        )
    return best


def laid_over(known: KnownPrint, photo: Photo, centers_xy: Floats) -> Aligned:
    """The print laid over a sheet in the way, upright or upside down, that it is more like."""
    ways = (align(known, photo, c) for c in (centers_xy, turned(centers_xy)))
    return max(ways, key=lambda aligned: aligned.likeness)


def described(
    known: KnownPrint, photo: Photo, centers_xy: Floats, placed: bool = False
) -> KnownPrint:
    """The print as a picture shows it, its cells put in place, and what is printed in them.

    photo, centers_xy: a picture of it, and where its cells lie there. placed: a person says so.
    """
    measured = measure_cells(photo, centers_xy)
    if placed:
        centers = beside(measured.centers_xy, centers_xy)
        flat = flatten(photo, centers, LATTICE_PX, LATTICE_MARGIN)
        measured = replace(measured, centers_xy=centers, common=pattern_of(flat, LATTICE_MARGIN))
    found = describe_cell(measured.common, placed)
    x, y = found.offset
    centers = shifted(measured.centers_xy, (x or 0.0, y or 0.0))
    edge = edges(flatten(photo, centers, PRINT_PX, LATTICE_MARGIN), PRINT_PX)
    return replace(
        unfiled(known),
        bgr=flatten(photo, centers, PRINT_PX, PRINT_MARGIN),
        cell=found.cell,
        castle=describe_castle(castle_patch(edge)),
        lines=found.lines,
        aspect=aspect(centers) if known.aspect == 1.0 else known.aspect,
        residual=measured.residual,
    )


def put_right(known: KnownPrint, corners_xy: Floats) -> KnownPrint:
    """The print with its grid where a person says that its corners, (4, 2), lie in its picture, and
    what is printed in the cells found anew. Raises LayoutError for corners that no sheet has.

    What comes to lie beyond the picture is not known.
    """
    photo, centers = Photo(known.bgr), centers_within(corners_xy)
    h, w = known.bgr.shape[:2]
    again = described(known, photo, centers, placed=True)
    levels = np.repeat(np.repeat(known.known, KNOWN_STEP, 0), KNOWN_STEP, 1)
    to_old = cv2.getPerspectiveTransform(
        _OWN_CENTERS[_CORNER_CELLS].astype(np.float32),
        centers[_CORNER_CELLS].astype(np.float32),
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpPerspective(levels, to_old, (w, h), flags=flags)
    small = cv2.resize(moved, known.known.shape[::-1], interpolation=cv2.INTER_AREA)
    return replace(again, known=np.asarray(np.clip(small, 0, 1), np.float32))
