"""A print learned from photos: of an unmarked sheet, of several, or of filled ones alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kdscan.errors import LayoutError
from kdscan.prints.align import Aligned, align
from kdscan.prints.describe import describe_castle, describe_cell
from kdscan.prints.features import edges
from kdscan.prints.flat import FLAT_CENTERS, LEAST_PX, FlatSheet
from kdscan.prints.known import (
    KNOWN_STEP,
    PRINT_MARGIN,
    PRINT_PX,
    PRINT_WH,
    CellGeometry,
    KnownPrint,
)
from kdscan.prints.lattice import (
    LATTICE_MARGIN,
    Measured,
    castle_patch,
    measure_cells,
    shifted,
)
from kdscan.prints.merge import merge, under_light_of
from kdscan.prints.recognize import SURELY
from kdscan.records import Photo, RectifiedSheet
from kdscan.sheet.parts import Castle
from kdscan.vision.classify import softmax
from kdscan.vision.closer import look_closer
from kdscan.vision.edges import unseen_cells
from kdscan.vision.find import find
from kdscan.vision.learn import aspect
from kdscan.vision.rectify import CENTERS, Floats, Network, flatten, resolution
from kdscan.vision.settle import turned

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
filled: three of 34. Of 17 unmarked sheets one engraved one has more (0.59), for its hills look like
strokes; of 51 filled ones one, with hardly a coat on it, has less."""
SURELY_MARKED = 0.1
"""Probability that a shield is empty below which it surely holds a coat."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """A sheet in one of the photos."""

    photo: Photo
    measured: Measured
    filled: bool

    @property
    def sharpness(self) -> float:
        return self.measured.likeness


def learn_print(
    photos: Sequence[Photo],
    name: str,
    locating: Network,
    refining: Network,
    marking: Network,
    unmarked: bool = False,
) -> KnownPrint:
    """Learn a print from photos of its sheets: one unmarked, several, or five and more filled ones.

    locating, refining: see `kdscan.vision.find`. marking: reads marks, see `classify.look`.
    unmarked: a person says that nobody has drawn on these sheets.
    Raises LayoutError where the photos are no good for it, with what to do about it.
    """
    seen = [_seen(photo, locating, refining, None if unmarked else marking) for photo in photos]
    if not seen:
        raise LayoutError("name at least one photo of a sheet")
    _check_number(seen)
    used = sorted(seen, key=lambda one: (one.filled, -one.sharpness))[:MOST_SHEETS]
    known = _first_look(name, used[0])
    return known if len(used) == 1 else _shared(known, used)


def learn_flat_sheets(
    sheets: Sequence[FlatSheet], name: str, known: KnownPrint | None = None
) -> KnownPrint:
    """Learn a print from filled sheets that seem to share the first one's; those that turn out not
    to are left out. Raises LayoutError where too few remain.

    known: the print as it is known already.
    """
    seen = []
    for sheet in sheets:
        measured = measure_cells(sheet.photo, FLAT_CENTERS)
        if measured.likeness >= LEAST_LIKENESS:
            seen.append(_Seen(sheet.photo, measured, True))
    if len(seen) < ENOUGH_ALIKE:
        raise _too_few()
    return _shared(known or _first_look(name, seen[0]), seen, ENOUGH_ALIKE)


def _first_look(name: str, one: _Seen) -> KnownPrint:
    return _described(unknown_print(name), one.photo, one.measured.centers_xy)


def _shared(known: KnownPrint, used: Sequence[_Seen], least: int = 0) -> KnownPrint:
    """The print that sheets share, of which a first look is known. least: sheets of another print
    are left out as long as so many remain; 0 to refuse them."""
    for _ in range(ROUNDS):
        used, aligned = _all_laid_over(known, used, least)
        flats = [a.flatten(one.photo) for a, one in zip(aligned, used, strict=True)]
        bgr, coverage = merge([under_light_of(flat, known.bgr) for flat in flats])
        # Described on the merged picture, for there the marks of single sheets are gone.
        known = _described(known, Photo(bgr), _own_centers())
    return replace(known, bgr=bgr, known=coverage, sheets=len(used))


def _seen(photo: Photo, locating: Network, refining: Network, marking: Network | None) -> _Seen:
    found = find(photo, locating, refining)
    if not found:
        raise LayoutError(
            "{photo}: no map was found; photograph the whole sheet from straight above, sharp and"
            " evenly lit",
            photo=photo.name,
        )
    sheet = found[0]
    if unseen_cells(photo, sheet):
        raise LayoutError(
            "{photo}: the sheet is cut off; photograph it with some table all around",
            photo=photo.name,
        )
    if resolution(sheet.centers_xy) < LEAST_PX:
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
    return _Seen(photo, measured, filled)


def _check_number(seen: Sequence[_Seen]) -> None:
    if len(seen) < FEW_FILLED and all(one.filled for one in seen):
        raise LayoutError(
            "these sheets seem to be filled in; photograph one that nobody has drawn on, or at"
            " least {few} filled ones",
            few=FEW_FILLED,
        )


def marked_share(photo: Photo, sheet: RectifiedSheet, marking: Network) -> float:
    """Share of the shields that surely hold a coat, as the marks' network sees them."""
    _, looks = look_closer(photo, sheet, marking)
    coats = next(looks)[0][0].astype(np.float64)
    return float(np.mean(softmax(coats)[:, 0] < SURELY_MARKED))


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
    """Sheets of the print, which is laid over each; see `_learned` for `least`."""
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


def _described(known: KnownPrint, photo: Photo, centers_xy: Floats) -> KnownPrint:
    """The print as a picture shows it, its cells put in place, and what is printed in them.

    photo, centers_xy: a picture of it, and where its cells lie there.
    """
    measured = measure_cells(photo, centers_xy)
    described = describe_cell(measured.common)
    x, y = described.offset
    centers = shifted(measured.centers_xy, (x or 0.0, y or 0.0))
    edge = edges(flatten(photo, centers, PRINT_PX, LATTICE_MARGIN), PRINT_PX)
    return replace(
        known,
        bgr=flatten(photo, centers, PRINT_PX, PRINT_MARGIN),
        cell=described.cell,
        castle=describe_castle(castle_patch(edge)),
        lines=described.lines,
        aspect=aspect(centers) if known.aspect == 1.0 else known.aspect,
        residual=measured.residual,
    )


def _own_centers() -> Floats:
    """(5, 7, 2): where a print's cells lie in its own picture."""
    return np.asarray((CENTERS + 0.5 + PRINT_MARGIN) * PRINT_PX - 0.5, np.float64)
