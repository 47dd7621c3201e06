"""The way of a photo: which sheets it holds, and in which order they are looked for.

The stages of a kind of sheet are in `kdscan.sheets.KIND.read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import cv2
import numpy as np

from kdscan.detection.find import SURELY_PLACED, any_likely, find_maps, locate_all, rule_out_markers
from kdscan.detection.locate import Located, SheetOutline, cut_sides, edges_text
from kdscan.detection.markers import detect_markers
from kdscan.document import PhotoReport
from kdscan.errors import BlankPage, ModelError, NoSheetFound, PhotoError, UsageError, bug_of
from kdscan.imaging.photo import Pages
from kdscan.imaging.picture import Photo, check_photo, lies_in
from kdscan.imaging.quality import is_blank
from kdscan.inference.store import Models, default_models
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.paper.layout import own_layouts
from kdscan.rules import GameName
from kdscan.rules.kingdomino.kingdom import PLAIN, Variants
from kdscan.sheets.base import AnyReading, kind_of, maps_of
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.read import read_map
from kdscan.sheets.kingdom.read import (
    LIKELY_KINGDOM,
    SURELY_KINGDOM,
    Kingdoms,
    assign_card_codes,
    read_kingdoms,
)
from kdscan.sheets.spellbook.read import read_books
from kdscan.sheets.table import apply_spellbook, interpret_table
from kdscan.templates.template import Template

Change = Callable[[AnyReading, int], AnyReading]
"""Changes a reading, given its index: mostly corrections."""

DEFAULT = ReadOptions()

CUT_SIZES, MIN_CUT_CONFIDENCE = (0.4, 2.5), 0.85
"""A map that the picture cuts off is reported beside a map that was read if the ratio of their
areas is within `CUT_SIZES` and its outline's confidence above `MIN_CUT_CONFIDENCE`. In 243 photos
of a single map, five outlines of other things have such a confidence, all with ratios of 2.6 or
more; in 110 photos of tables with one of two maps cut off, 12 of 21 outlines have ratios below
2.2."""

MIN_CUT_ALONE = 0.82
"""Least confidence of the outline of a map that the picture cuts off, if there is no other sheet;
otherwise the photo holds no map. Of 33 halves of photographed maps all have more, at least 0.834;
of 47 pictures of other things 6 have such an outline, 4 of these below."""

MAPS_BESIDE_BOOK = 2
"""If fewer maps are found in a photo with a spellbook, it is searched in every rotation: a table
has two. In 14 of 110 photos of tables with maps of any design the first search found only one."""


def read_photo(
    photo: Photo,
    models: Models | None = None,
    *,
    risk: float = DEFAULT_RISK,
    game: GameName | None = None,
    variants: Variants = PLAIN,
    prints: Sequence[Template] = (),
) -> tuple[AnyReading, ...]:
    """Read every map or kingdom of tiles in a photo, row by row, then the spellbooks.

    risk: accepted probability that a total which is not marked for review is wrong.
    game: the one to look for; None to detect it. variants: extra rules of Kingdomino.
    prints: known prints; sheets of these are read from their ink, and their layout is the print's
        name.
    Raises NoSheetFound if there is none (BlankPage if the page is empty), ModelError if the models
    are unusable, TypeError for a path instead of a photo, and as `ReadOptions` does.
    """
    return read_with(photo, ReadOptions(risk, game, variants, prints), models)


def read_page(
    pages: Pages, page: int, options: ReadOptions = DEFAULT, change: Change | None = None
) -> tuple[PhotoReport, Photo | None]:
    """Read a page of a file; also returns its photo if it could be decoded.

    A photo that cannot be decoded, shows no sheet or triggers a bug gives a report with the error.
    Raises `ModelError`, because then no photo can be read, and `UsageError` from `change`.
    """
    report = partial(PhotoReport, pages.name, page, len(pages))
    try:
        photo = pages[page]
    except PhotoError as error:
        return report(error=error), None
    size = (photo.width, photo.height)
    try:
        sheets = read_with(photo, options)
        if change is not None:
            changed = [change(sheet, number) for number, sheet in enumerate(sheets)]
            sheets = interpret_table(changed, options.risk)  # other dominoes may be left now
        return report(size, sheets), photo
    except (NoSheetFound, PhotoError) as error:  # a large photo is decoded in full when needed
        return report(size, error=error), photo
    except (ModelError, UsageError):
        raise
    except Exception as cause:
        # The other photos are still read; the exit code says that there was a bug.
        return report(size, error=bug_of(cause)), photo


def read_with(
    photo: Photo, options: ReadOptions = DEFAULT, models: Models | None = None
) -> tuple[AnyReading, ...]:
    """`read_photo` with all its options.

    If nothing in the photo is likely to be a map, kingdoms are read first; one beyond doubt ends
    the search. Maps and spellbooks follow; a probable kingdom wins over maps of which none is
    surely placed. If there is no sheet by then, kingdoms are read last.
    """
    check_photo(photo)
    models, game = models or default_models(), options.game
    located: Located | None = None
    kingdoms, cut = Kingdoms(), tuple[SheetOutline, ...]()
    if game != "kingdomino":
        located = locate_all(photo, models.locate)

    kingdoms_first = game != "duel" and not (located and any_likely(located))
    if kingdoms_first:
        kingdoms = read_kingdoms(photo, models, options)
    surely = kingdoms.readings and (game or kingdoms.likelihood > SURELY_KINGDOM)
    if located and not surely:
        sheets, cut = _read_duel(photo, located, models, options)
        placed = any(sheet.rectified.confidence >= SURELY_PLACED for sheet in maps_of(sheets))
        probably = kingdoms.readings and kingdoms.likelihood > LIKELY_KINGDOM
        if sheets and (placed or not probably):
            return apply_spellbook(sheets, options.risk)
        if game is None and not kingdoms_first:
            kingdoms = read_kingdoms(photo, models, options)
    if kingdoms.readings:
        return in_reading_order(assign_card_codes(kingdoms.readings, photo))
    raise _no_sheet_error(photo, game, cut, kingdoms.beyond)


def _read_duel(
    photo: Photo, located: Located, models: Models, options: ReadOptions
) -> tuple[tuple[AnyReading, ...], tuple[SheetOutline, ...]]:
    """The maps in a photo and then its spellbooks, in reading order; and the outlines of maps that
    the picture cuts off."""
    rule_out_markers(photo, located)
    of_maps = {place.id for _, markers in own_layouts() for place in markers.places}
    only_maps = {marker.id for marker in detect_markers(photo)} <= of_maps
    books = () if only_maps else read_books(photo, models, options.risk)
    grids, cut = find_maps(
        photo,
        models.locate,
        models.refine,
        located,
        expected=MAPS_BESIDE_BOOK if books else 1,
        others=[book.outline_xy for book in books],
    )

    maps = [
        sheet
        for grid in grids
        if not any(lies_in(grid.centers_xy[2, 3], book.outline_xy) for book in books)
        if (sheet := read_map(photo, grid, models, options))
    ]
    sheets: list[AnyReading] = [*maps, *books]  # the largest map first, which alone reports others
    for outline in cut if sheets else ():
        evidence: Any = sheets[0].evidence
        areas = (outline.corners_xy, sheets[0].outline_xy)
        size, own = (cv2.contourArea(xy.astype(np.float32)) for xy in areas)
        likely = outline.confidence > MIN_CUT_CONFIDENCE
        if likely and CUT_SIZES[0] < size / own < CUT_SIZES[1]:
            if sides := cut_sides(photo, outline):
                evidence = replace(evidence, beside=sides)
                sheets[0] = kind_of(sheets[0]).reading_of(evidence, options.risk)
            break
    in_order = *in_reading_order(sheets[: len(maps)]), *in_reading_order(sheets[len(maps) :])
    return in_order, cut


R = TypeVar("R", bound=AnyReading)


def in_reading_order(sheets: Iterable[R]) -> tuple[R, ...]:
    """Readings of one photo as people number them: row by row from the top, each from the left. A
    sheet is in the row of the highest one if its middle is above that one's lower edge."""
    rows: list[list[R]] = []
    for sheet in sorted(sheets, key=lambda sheet: float(sheet.outline_xy[:, 1].mean())):
        if rows and sheet.outline_xy[:, 1].mean() < rows[-1][0].outline_xy[:, 1].max():
            rows[-1].append(sheet)
        else:
            rows.append([sheet])
    for row in rows:
        row.sort(key=lambda sheet: float(sheet.outline_xy[:, 0].mean()))
    return tuple(sheet for row in rows for sheet in row)


def _no_sheet_error(
    photo: Photo, game: GameName | None, cut: Sequence[SheetOutline], beyond: Sequence[str]
) -> NoSheetFound:
    """The error for a photo without a sheet, with its most probable reason. cut: maps that the
    picture cuts off. beyond: its sides beyond which a kingdom lies."""
    if beyond:
        return NoSheetFound(
            "a kingdom reaches beyond the {what} of this picture; take the photo again with the "
            "castle and all tiles in view",
            what=edges_text(beyond),
        )
    if game == "kingdomino":
        return NoSheetFound(
            "no kingdom was found in this picture; take the photo again with the castle and all "
            "tiles in view, sharp and without strong reflections"
        )
    if is_blank(photo):
        return BlankPage(
            "the page is blank; if this is not the back of a sheet, turn it over and"
            " take the photo again"
        )
    cut = [outline for outline in cut if outline.confidence >= MIN_CUT_ALONE]
    if cut:
        return NoSheetFound(
            "no map was found in this picture, unless one reaches beyond its {what}; take the "
            "photo again with the whole grid in view",
            what=edges_text(cut_sides(photo, cut[0])),
        )
    return NoSheetFound(
        "no map was found in this picture; take the photo again with the whole grid in view, "
        "sharp and without strong reflections"
    )
