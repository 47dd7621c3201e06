"""A template learned from photos: of an unmarked sheet, of several, or of filled ones alone.

>>> from kdscan import learn_template, load_photos, read_photo
>>> club = learn_template(load_photos("blank.jpg"), "club")               # doctest: +SKIP
>>> for photo in load_photos("photo.jpg"):                                # doctest: +SKIP
...     print(read_photo(photo, prints=[club]))

Registered sheets are merged into a picture of the print without ink. A median would not do: every
coat covers the centre of its shield, so that most sheets have ink there. Ink that a network
segments is left out. Missed ink darkens, so the lighter colours of a pixel are taken for the
print's. Before that all sheets are brought to a common illumination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from kdscan.detection.find import find_maps
from kdscan.detection.locate import clipped_cells
from kdscan.errors import KdscanError, LayoutError, NoSheetFound
from kdscan.i18n import mark
from kdscan.imaging.arrays import softmax
from kdscan.imaging.picture import (
    Bgr,
    Floats,
    Network,
    Photo,
    Plane,
    RectifiedSheet,
    check_photo,
    flatten,
    rectify,
    resolution,
)
from kdscan.imaging.quality import edge_width
from kdscan.inference.store import Models, default_models
from kdscan.marks.network import refine_crops
from kdscan.rules.duel.board import CELLS, COATS
from kdscan.templates.align import align
from kdscan.templates.cells import RegisteredCells, rectify_by_corners, register_cells, shifted_to
from kdscan.templates.geometry import measure_geometry
from kdscan.templates.ink_by_network import drawn_on
from kdscan.templates.ink_by_subtraction import apply_light, colour_distance, log_light
from kdscan.templates.recognize import SURELY
from kdscan.templates.template import (
    COVERAGE_STEP,
    OWN_CENTERS,
    SHEET,
    TEMPLATE_MARGIN,
    TEMPLATE_PX,
    Template,
    checked_name,
    empty_template,
)

MIN_LIKENESS = 0.3
"""Least likeness of the cells, see `RegisteredCells`; below it a sheet is too blurred, or none at
all. Sharp sheets of 16 prints have at least 0.45."""
MAX_EDGE_WIDTH = 0.06
"""Cells, see `edge_width`; above it a sheet is too blurred. Nine unmarked sheets have 0.031 to
0.034; blurred by a Gaussian of 0.05 cells, all have more."""
MIN_PX = 60
"""Photo pixels per cell below which thin lines are lost."""
MAX_SHEETS = 16
"""Most sheets that are used; more improve nothing and take 9 MB each."""
MIN_FILLED = 4
"""Least number of filled sheets from which a template is learned. Of 56 sheets of 14 pads, 43
boards are right if it was learned from four of each pad, 40 without it. With templates learned from
three, 28 instead of 27 of 42 are right, but totals are less certain than without; with two, 20
instead of 18 of 28 need review."""
ROUNDS = 2
"""Iterations of registering the sheets with the template and merging them."""
FILLED_SHARE = 0.08
"""Least share of shields with a coat, according to the marks network, on a filled sheet: three of
34. One of 64 filled sheets, with two coats, has fewer."""
COAT_PROBABILITY = 0.9
"""Least probability of a single coat. The probability of not being empty would be misleading: the
hills of an engraved print look like strokes in 27 of 34 shields, but like no coat in particular."""
MAX_CORNERS_OFF = 0.1
"""Cells: corners given by a person that are farther from the cells that match each other are
reported."""
MIN_AGREEING = 3.0
"""Number of agreeing sheets at which a pixel is fully known."""
LIGHT_SHARE = 0.7
"""Quantile of a pixel's lightness without ink that initialises the template, because the lightest
is often glare. On six sheets of five pads 0.3% of pixels are then wrong by 13 CIELAB units, with
the lightest 0.4%."""
MIN_SHARED_COATS = 0.5
"""Share of equal coats, among the shields that are marked on both sheets, from which two sheets
with the same print are one sheet photographed twice. Two games agree on a sixth; two readings of
one sheet, one of them bad, on two thirds and more."""

MIN_PRINT_LIKENESS = 0.06
"""Least likeness of a sheet that a person says has a print, full of ink, with one sheet or what all
share: of 60 sheets of 15 pads none has less than 0.14; of 50 with another print none has more than
0.03."""
OTHER_PRINT = mark("{photo}: this sheet has another print than the others; leave it out")
MIRRORED = mark("{photo}: this photo shows the sheet mirrored, unlike the others; leave it out")

_MERGE_ROUNDS = 3
_INK = 9.0  # CIELAB units beyond the template's colour that count as drawn
_MIN_WEIGHT = 0.02  # least weight, where ink covers a place on all sheets
_INK_FACTOR = 1.5  # ink is an estimate: it is left out from a probability of two thirds


@dataclass(frozen=True, eq=False)
class LearningSheet:
    """A sheet from which a template is learned.

    coats: those that are certainly on it, see `coats_of`. placed: a person gave the grid's corners.
    """

    photo: Photo
    cells: RegisteredCells
    coats: str
    placed: bool = False

    @property
    def filled(self) -> bool:
        """Whether somebody has played on it."""
        return marked(self.coats) >= FILLED_SHARE * len(CELLS)


Warn = Callable[[LayoutError], None]
"""Called with what a person should check in a template that was learned all the same."""


def learn_template(
    photos: Iterable[Photo],
    name: str,
    models: Models | None = None,
    *,
    unmarked: bool = False,
    corners_xy: Floats | None = None,
    warn: Warn = lambda _: None,
) -> Template:
    """Learn a pad's template from photos of its sheets: one unmarked, several, or four filled ones.

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
    measured: list[LearningSheet] = []
    unsuitable: list[KdscanError] = []
    for number, photo in enumerate(photos):
        try:
            measured.append(
                _learning_sheet(photo, models, unmarked, None if number else corners_xy, warn)
            )
        except (LayoutError, NoSheetFound) as error:
            unsuitable.append(error)
    leave_out(unsuitable, len(measured), enough_of(photos), warn)
    # Ink that two pictures of one sheet share would be mistaken for print.
    sheets = [
        sheet
        for number, sheet in enumerate(measured)
        if not any(
            sheet.filled and other.filled and same_sheet(sheet.coats, other.coats)
            for other in measured[:number]
        )
    ]
    _check_marks(sheets)
    sheets.sort(key=lambda sheet: (not sheet.placed, sheet.filled, -sheet.cells.likeness))
    template = initial_template(name, sheets[0], models)
    if len(sheets) > 1:
        template = merge_sheets(template, sheets[:MAX_SHEETS], models, warn)
    if not template.cell.is_certain:
        warn(
            LayoutError(
                "shields and circles were not found for certain in the cells of {name}, so that "
                "its sheets are read from the photo alone; learn it again from a sharper photo, or "
                "give --corners",
                name=name,
            )
        )
    return template


def enough_of(sheets: Sequence[object]) -> int:
    """How many of some sheets are enough: more than half and four, or else all."""
    return min(len(sheets), max(MIN_FILLED, len(sheets) // 2 + 1))


def leave_out(errors: Sequence[KdscanError], remaining: int, least: int, warn: Warn) -> None:
    """Report what is wrong with sheets that are not used; raises the first error if fewer than
    `least` remain."""
    if errors and remaining < least:
        raise errors[0]
    for error in errors:
        warn(LayoutError("not used: {error}", error=error))


def initial_template(name: str, sheet: LearningSheet, models: Models) -> Template:
    """The template as a single sheet shows it, its ink included."""
    centers, empty = sheet.cells.centers_xy, empty_template(name)
    return measure_geometry(empty, sheet.photo, centers, models.geometry, sheet.placed)


def merge_sheets(
    template: Template,
    sheets: Sequence[LearningSheet],
    models: Models,
    warn: Warn = lambda _: None,
) -> Template:
    """The common template of sheets, from an earlier version or that of the first one. If this is
    filled, ink hides its print, so that all sheets are first merged by their own cells.

    Sheets of another print are left out and reported if enough remain; otherwise raises the first
    one's LayoutError.
    """
    least = enough_of(sheets)
    for _ in range(ROUNDS):
        strange: list[LayoutError] = []
        alike: list[LearningSheet] = []
        flats: list[Bgr] = []
        for sheet in sheets:
            photo, centers = sheet.photo, sheet.cells.centers_xy
            flat = flatten(photo, centers, TEMPLATE_PX, TEMPLATE_MARGIN)
            if template.sheets > 1 or not sheets[0].filled:
                aligned = align(template, photo, centers, least=0)
                # Many prints are found in a mirror, too, but better without one.
                flipped = align(template, photo, aligned.centers_xy[:, ::-1])
                mirrored = flipped.likeness > max(aligned.likeness, SURELY)
                if mirrored or aligned.likeness < MIN_PRINT_LIKENESS:
                    why = MIRRORED if mirrored else OTHER_PRINT
                    strange.append(LayoutError(why, photo=photo.name))
                    continue
                if aligned.likeness >= SURELY:  # or ink hides the print
                    flat = aligned.flatten(photo)
            alike.append(sheet)
            flats.append(flat)
        leave_out(strange, len(alike), least, warn)
        sheets = alike
        ink = [np.zeros(flat.shape[:2], np.float32) for flat in flats]
        for sheet, flat, drawn in zip(sheets, flats, ink, strict=True):
            if sheet.filled:
                drawn[SHEET] = drawn_on(flat[SHEET], models.ink)
        bgr, coverage = merge(flats, ink)
        # Measured in the merged picture, in which single sheets' marks have vanished.
        template = measure_geometry(
            template, Photo(bgr), OWN_CENTERS, models.geometry, sheets[0].placed
        )
        template = replace(template, bgr=bgr, coverage=coverage, sheets=len(sheets))
    return template


def _learning_sheet(
    photo: Photo, models: Models, unmarked: bool, corners_xy: Floats | None, warn: Warn
) -> LearningSheet:
    """The sheet in a photo; raises LayoutError if nothing can be learned from it."""
    if corners_xy is None:
        grids = find_maps(photo, models.locate, models.refine)[0]
        if not grids:
            raise NoSheetFound(
                "{photo}: no map was found; photograph the whole sheet from straight above, sharp"
                " and evenly lit",
                photo=photo.name,
            )
        sheet = rectify(photo, grids[0].centers_xy, grids[0].confidence)
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
    cells = register_cells(photo, sheet.centers_xy)
    flat = flatten(photo, cells.centers_xy, TEMPLATE_PX, TEMPLATE_MARGIN)
    if cells.likeness < MIN_LIKENESS or edge_width(flat) > MAX_EDGE_WIDTH:
        raise LayoutError(
            "{photo}: the sheet's cells cannot be made out; photograph it again, sharp, flat and"
            " evenly lit",
            photo=photo.name,
        )
    coats = "." * len(CELLS) if unmarked else sure_coats(photo, sheet, models.marks)
    if corners_xy is not None:
        off = np.linalg.norm(cells.centers_xy - sheet.centers_xy, axis=-1)
        if np.median(off) > MAX_CORNERS_OFF * resolution(sheet.centers_xy):
            warn(
                LayoutError(
                    "{photo}: these corners do not fit the sheet's cells; look at the picture that "
                    "--overlay FILE draws, and correct them",
                    photo=photo.name,
                )
            )
        cells = replace(cells, centers_xy=shifted_to(cells.centers_xy, sheet.centers_xy))
    return LearningSheet(photo, cells, coats, corners_xy is not None)


def _check_marks(sheets: Sequence[LearningSheet]) -> None:
    """Raise LayoutError if the only sheets are marked, and too few to tell ink from print."""
    if len(sheets) >= MIN_FILLED or not all(marked(sheet.coats) for sheet in sheets):
        return
    if all(sheet.filled for sheet in sheets):
        raise LayoutError(
            "these sheets seem to be filled in; photograph one that nobody has drawn on, or at"
            " least {few} different filled ones",
            few=MIN_FILLED,
        )
    raise LayoutError(
        "somebody seems to have drawn on this sheet; photograph an empty one, or add --unmarked if"
        " nobody has"
    )


def sure_coats(photo: Photo, sheet: RectifiedSheet, marking: Network) -> str:
    """The coats of the shields according to the marks network, see `coats_of`; none for those that
    are empty or uncertain."""
    _, views = refine_crops(photo, sheet, marking)
    probs = softmax(next(views)[0][0].astype(np.float64))[:, 1:]
    best = zip(CELLS, probs.argmax(1), probs.max(1) > COAT_PROBABILITY, strict=True)
    return coats_of({at: COATS[1 + coat] for at, coat, sure in best if sure})


def coats_of(board: dict[tuple[int, int], Any]) -> str:
    """A board's coats, one character for each of `CELLS`: its index in `COATS`, "." for none."""
    letters = {coat: "." if coat is None else str(i) for i, coat in enumerate(COATS)}
    return "".join(letters[board.get(at)] for at in CELLS)


def marked(coats: str) -> int:
    """Number of shields that hold a coat, see `coats_of`."""
    return len(coats) - coats.count(".")


def same_sheet(coats: str, other: str) -> bool:
    """Whether two pictures show one sheet by its coats, see `coats_of`, perhaps at different times
    or upside down. False for hardly any ink, where a mistake does no harm."""
    for turned_coats in (other, other[::-1]):
        both = [(a, b) for a, b in zip(coats, turned_coats, strict=True) if "." not in (a, b)]
        if len(both) >= 4 and sum(a == b for a, b in both) > MIN_SHARED_COATS * len(both):
            return True
    return False


def merge(sheets: Sequence[Bgr], ink: Sequence[Plane]) -> tuple[Bgr, Plane]:
    """The common print of registered sheets, and how well each part of it is known.

    sheets: (H, W, 3) uint8 BGR, each under its own light. ink: (H, W) 0..1, probability of ink on
    each sheet.
    Returns (H, W, 3) uint8 and (H / 8, W / 8) float32, 0..1.
    """
    clear = np.clip(1 - _INK_FACTOR * np.stack(ink), _MIN_WEIGHT, 1).astype(np.float32)
    common = np.median(np.stack(sheets), axis=0).astype(np.uint8)  # all sheets under one light
    lit = [apply_light(s, -log_light(s, common, c)) for s, c in zip(sheets, clear, strict=True)]
    stack = np.stack(lit).astype(np.float32)
    # Sheets count whose colour is like that at the quantile `LIGHT_SHARE` of lightness.
    grey = [cv2.GaussianBlur(cv2.cvtColor(s, cv2.COLOR_BGR2GRAY), (0, 0), 1.2) for s in lit]
    order = np.argsort(grey, axis=0)
    passed = np.cumsum(np.take_along_axis(clear, order, 0), 0) / clear.sum(0)
    at = np.minimum((passed < LIGHT_SHARE - 1e-4).sum(0), len(stack) - 1)
    chosen = np.take_along_axis(order, at[None], 0)
    mean = np.take_along_axis(stack, chosen[..., None], axis=0)[0]
    for _ in range(_MERGE_ROUNDS):
        bare = np.clip(mean, 0, 255).astype(np.uint8)
        off = np.stack([cv2.GaussianBlur(colour_distance(s, bare), (0, 0), 1.5) for s in lit])
        weight = (clear / (1 + (off / _INK) ** 4)).astype(np.float32)
        mean = np.average(stack, axis=0, weights=np.broadcast_to(weight[..., None], stack.shape))
    scale, agreeing = 1 / COVERAGE_STEP, min(MIN_AGREEING, len(weight))
    small = cv2.resize(weight.sum(0), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    coverage = np.asarray(np.clip(small / agreeing, 0, 1), np.float32)
    return np.clip(mean, 0, 255).astype(np.uint8), coverage
