"""The pipeline from a photo to its readings: one line per stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import cv2
import numpy as np

from kdscan.detection.castle import has_castle
from kdscan.detection.clipping import cut_sides, edges_text
from kdscan.detection.find import MapSearch
from kdscan.detection.layout import UNKNOWN_LAYOUT, detect_layout
from kdscan.detection.markers import detect_markers
from kdscan.document import PhotoReport
from kdscan.errors import BlankPage, ModelError, NoSheetFound, PhotoError, UsageError, bug_of
from kdscan.imaging.blank import is_blank, shows_through
from kdscan.imaging.photo import Pages
from kdscan.imaging.picture import check_photo
from kdscan.imaging.rectify import lies_in
from kdscan.inference.store import Models, default_models
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.paper.signs import signs
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.names import GameName
from kdscan.sheets.base import kind_of
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.read import is_legible, read_map
from kdscan.sheets.table import apply_spellbook, interpret_table

if TYPE_CHECKING:
    from kdscan.detection.locate import SheetOutline
    from kdscan.imaging.picture import Photo
    from kdscan.imaging.rectify import RectifiedSheet
    from kdscan.sheets.base import AnyReading
    from kdscan.sheets.kingdom.model import KingdomReading
    from kdscan.sheets.spellbook.model import SpellbookReading
    from kdscan.templates.known import KnownPrint


CUT_SIZES, MIN_CUT_CONFIDENCE = (0.4, 2.5), 0.85
"""A map that the picture cuts off is reported beside a map that was read if the ratio of their
areas is within `CUT_SIZES` and its outline's confidence above `MIN_CUT_CONFIDENCE`. In 243 photos
of a single map, five outlines of other things have such a confidence, all with ratios of 2.6 or
more; in 110 photos of tables with one of two maps cut off, 12 of 21 outlines have ratios below
2.2."""

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
    prints: Sequence[KnownPrint] = (),
) -> tuple[AnyReading, ...]:
    """Read every map or kingdom of tiles in a photo, row by row, then the spellbooks.

    risk: accepted probability that a total which is not marked for review is wrong.
    game: the one to look for; None to detect it. variants: extra rules of Kingdomino.
    prints: known prints; sheets of these are read from their ink, and their layout is the print's
        name.
    Raises NoSheetFound if there is none (BlankPage if the page is empty), ModelError if the models
    are unusable, TypeError for a path instead of a photo, and as `ReadOptions` does.
    """
    options = ReadOptions(risk=risk, game=game, variants=variants, prints=prints)
    return read_with(photo, options, models)


def read_with(
    photo: Photo, options: ReadOptions, models: Models | None = None
) -> tuple[AnyReading, ...]:
    """`read_photo` with all its options."""
    check_photo(photo)
    models = models or default_models()
    search = MapSearch(photo, models.locate, models.refine)
    kingdoms, certain, lost = _read_kingdoms(photo, models, options, search)
    sheets: tuple[AnyReading, ...] = ()
    cut: tuple[SheetOutline, ...] = ()
    if not certain and options.game != "kingdomino":
        sheets, cut = _read_duel(photo, models, options, search)
    if sheets:
        return apply_spellbook(sheets, options.risk)
    if kingdoms:
        from kdscan.sheets.kingdom.read import assign_card_codes

        return in_reading_order(assign_card_codes(kingdoms, photo))
    raise _cut_kingdom_error(lost) if lost else _no_sheet_error(photo, options.game, cut)


def _read_kingdoms(
    photo: Photo, models: Models, options: ReadOptions, search: MapSearch
) -> tuple[tuple[KingdomReading, ...], bool, tuple[str, ...]]:
    """The kingdoms in a photo, whether it certainly shows no maps, and the sides of the picture
    beyond which a kingdom lies. They are not looked for if the photo certainly shows a map."""
    with options.observe("find"):
        if options.game == "duel" or (options.game is None and search.first_is_confident()):
            return (), False, ()
    from kdscan.sheets.kingdom.find import LIKELY_KINGDOM, SURELY_KINGDOM
    from kdscan.sheets.kingdom.read import read_kingdoms

    named = options.game is not None
    with options.observe("kingdoms"):
        kingdoms, confidence, lost = read_kingdoms(
            photo, models, options.variants, options.risk, named=named
        )
    certain = bool(kingdoms) and (
        named
        or confidence > SURELY_KINGDOM
        or (confidence > LIKELY_KINGDOM and not search.any_confident())
    )
    return kingdoms, certain, lost


def _read_duel(
    photo: Photo, models: Models, options: ReadOptions, search: MapSearch
) -> tuple[tuple[AnyReading, ...], tuple[SheetOutline, ...]]:
    """The maps in a photo and then its spellbooks, in reading order; and the outlines of maps that
    the picture cuts off."""
    with options.observe("spellbooks"):
        books = _read_books(photo, models, options.risk)
    with options.observe("find"):
        others = [book.outline_xy for book in books]
        placed, cut = search.finish(MAPS_BESIDE_BOOK if books else 1, others)
    maps = [
        read_map(photo, grid, models, options) for grid in placed if _is_map(photo, grid, books)
    ]
    maps = [sheet for sheet in maps if options.game or is_legible(sheet)]
    sheets: list[AnyReading] = [*maps, *books]
    if sheets and (sides := _beside(sheets[0], photo, cut)):
        evidence: Any = sheets[0].evidence
        sheets[0] = kind_of(sheets[0]).interpret(replace(evidence, beside=sides), options.risk)
    first, last = sheets[: len(maps)], sheets[len(maps) :]
    return (*in_reading_order(first), *in_reading_order(last)), cut


def _read_books(photo: Photo, models: Models, risk: float) -> tuple[SpellbookReading, ...]:
    """The spellbooks in a photo. If all markers belong to maps, no spellbook code is loaded."""
    of_maps = {place.id for layout in signs() for place in layout.markers.places}
    if {marker.id for marker in detect_markers(photo)} <= of_maps:
        return ()
    from kdscan.sheets.spellbook.read import read_books

    return read_books(photo, models, risk)


def _is_map(photo: Photo, grid: RectifiedSheet, books: Sequence[SpellbookReading]) -> bool:
    """Whether a grid is a map, and neither the back of one nor part of a spellbook."""
    if any(lies_in(grid.centers_xy[2, 3], book.outline_xy) for book in books):
        return False
    if has_castle(grid) and not shows_through(grid):
        return True
    # Thick lines may hide the castle, and overexposure the print. Markers around the grid prove a
    # map all the same: through the paper they would appear mirrored.
    return detect_layout(photo, grid) != UNKNOWN_LAYOUT


def _cut_kingdom_error(sides: Sequence[str]) -> NoSheetFound:
    return NoSheetFound(
        "a kingdom reaches beyond the {what} of this picture; take the photo again with the castle "
        "and all tiles in view",
        what=edges_text(sides),
    )


def _no_sheet_error(
    photo: Photo, game: GameName | None, cut: Sequence[SheetOutline]
) -> NoSheetFound:
    """The error for a photo without a sheet, with its most probable reason."""
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
    if cut:
        return NoSheetFound(
            "a map reaches beyond the {what} of this picture; take the photo again with the "
            "whole grid in view",
            what=edges_text(cut_sides(photo, cut[0])),
        )
    return NoSheetFound(
        "no map was found in this picture; take the photo again with the whole grid in view, "
        "sharp and without strong reflections"
    )


def _beside(sheet: AnyReading, photo: Photo, cut: Sequence[SheetOutline]) -> tuple[str, ...]:
    """The sides of the picture beyond which another map beside this one extends."""
    size = cv2.contourArea(sheet.outline_xy.astype(np.float32))
    for outline in cut:
        ratio = cv2.contourArea(outline.corners_xy.astype(np.float32)) / size
        if CUT_SIZES[0] < ratio < CUT_SIZES[1] and outline.confidence > MIN_CUT_CONFIDENCE:
            return cut_sides(photo, outline)
    return ()


Change = Callable[["AnyReading", int], "AnyReading"]
"""Changes a reading, given its index: mostly corrections."""


DEFAULT = ReadOptions()


def read_page(
    pages: Pages,
    page: int,
    options: ReadOptions = DEFAULT,
    change: Change | None = None,
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
            sheets = interpret_table(changed, options.risk)
        return report(size, sheets), photo
    except (NoSheetFound, PhotoError) as error:  # a large photo may be decoded in full only here
        return report(size, error=error), photo
    except (ModelError, UsageError):
        raise
    except Exception as cause:
        # The other photos are still read; the exit code says that there was a bug.
        return report(size, error=bug_of(cause)), photo


F = TypeVar("F", bound="AnyReading")


def in_reading_order(found: Iterable[F]) -> tuple[F, ...]:
    """Readings of one photo as people number them: row by row from the top, each from the left. A
    sheet is in the row of the highest one if its middle is above that one's lower edge."""
    rows: list[list[F]] = []
    for one in sorted(found, key=lambda one: float(one.outline_xy[:, 1].mean())):
        if rows and one.outline_xy[:, 1].mean() < rows[-1][0].outline_xy[:, 1].max():
            rows[-1].append(one)
        else:
            rows.append([one])
    for row in rows:
        row.sort(key=lambda one: float(one.outline_xy[:, 0].mean()))
    return tuple(one for row in rows for one in row)
