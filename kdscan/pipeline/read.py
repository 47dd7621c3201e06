"""From a photo to what it is worth: a line a stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

import cv2
import numpy as np

from kdscan.detection.clipping import cut_sides, in_words, unseen_cells
from kdscan.detection.find import MapSearch
from kdscan.detection.layout import UNKNOWN, identify, is_mirrored
from kdscan.detection.likeness import has_castle
from kdscan.detection.qr import read_code
from kdscan.errors import BlankPage, NoSheetFound
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.game.grid import Cell
from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.imaging.blank import is_blank, shows_through
from kdscan.imaging.rectify import lies_in
from kdscan.inference.store import Models, default_models
from kdscan.kinds.duel_map.rules import questions, weighed
from kdscan.kinds.kingdom.find import LIKELY_KINGDOM, SURELY_KINGDOM
from kdscan.kinds.kingdom.read import named, read_kingdoms
from kdscan.kinds.spellbook.code import read_book_code
from kdscan.kinds.spellbook.options import said_of
from kdscan.kinds.spellbook.place import PlacedBook, find_books
from kdscan.kinds.spellbook.read import interpret_book, read_book
from kdscan.marks.classify import Logits, weigh
from kdscan.marks.decode import DEFAULT_RISK, Marks, board_of, corrected, decode
from kdscan.marks.refine_crops import look_closer
from kdscan.pipeline.table import paid_as, share
from kdscan.prints.dropout import drop_out, looks_at_ink
from kdscan.prints.known import KnownPrint
from kdscan.prints.recognize import recognize
from kdscan.records import (
    AnyReading,
    Ink,
    KingdomReading,
    MarkProbs,
    Photo,
    Problem,
    Reading,
    RectifiedSheet,
    SheetOutline,
    SheetReading,
    SpellbookReading,
)
from kdscan.records.sheet import CUT_OFF

SURELY_PLACED = 0.9
"""Below this the reading says that the grid itself may be wrong."""

CUT_SIZE, CUT_SURE = 0.4, 0.85
"""What is cut off is named beside a map that was read if it is so much as large, and so sure
to be a map."""


LOOKS = {1: 0.5, 4: 1.0}
"""A sheet is looked at so often in all, again as long as its total may be wrong with more than such
a share of the accepted risk: whoever may stop several times, stops too often at a lucky one."""

Game = Literal["duel", "kingdomino"]


def read_photo(
    photo: Photo,
    models: Models | None = None,
    *,
    risk: float = DEFAULT_RISK,
    game: Game | None = None,
    variants: Variants = PLAIN,
    prints: Sequence[KnownPrint] = (),
) -> tuple[AnyReading, ...]:
    """Read every map or kingdom of tiles in a photo, the largest first, then the spellbooks.

    risk: accepted probability that a total which asks for no review is wrong.
    game: which one to look for; None to recognise it. variants: extra rules of Kingdomino.
    prints: known prints; a sheet of one of them is read from its ink, and its layout is the print's
    name.
    Raises NoSheetFound when there is none (BlankPage when there is nothing at all),
    ModelError when the models are unusable.
    """
    models = models or default_models()
    maps = MapSearch(photo, models.locate, models.refine)
    kingdoms: tuple[KingdomReading, ...] = ()
    if game == "kingdomino" or (game is None and not maps.glance()):
        kingdoms, sure = read_kingdoms(photo, models, variants, risk)
        if kingdoms and (
            game or sure > SURELY_KINGDOM or (sure > LIKELY_KINGDOM and not maps.surely())
        ):
            return named(kingdoms, photo)
    if game == "kingdomino":
        raise NoSheetFound(
            "no kingdom was found in this picture; take the photo again with the castle and all "
            "tiles in view, sharp and without strong reflections"
        )
    try:
        return _sheets(photo, models, risk, maps, prints)
    except NoSheetFound:
        if not kingdoms:
            raise
        return named(kingdoms, photo)


def _sheets(
    photo: Photo, models: Models, risk: float, maps: MapSearch, prints: Sequence[KnownPrint]
) -> tuple[AnyReading, ...]:
    """Every map and spellbook in a photo."""
    books = [_book(photo, place, models, risk) for place in find_books(photo)]
    sheets: list[SheetReading] = []
    placed, cut = maps.finish()
    for rectified in placed:
        if shows_through(rectified) or not has_castle(rectified):
            continue
        if any(_covers(book, rectified) for book in books):
            continue
        layout = identify(photo, rectified)
        known = recognize(photo, rectified.centers_xy, prints) if layout == UNKNOWN else None
        ink: Ink | None = None
        if known is not None:
            dropped = drop_out(photo, known)
            layout, ink, rectified = known.known.name, dropped.ink, dropped.rectified
            looks = looks_at_ink(dropped, models.marks_of(layout))
        else:
            rectified, looks = look_closer(photo, rectified, models.marks_of(layout))
        sheet = replace(_read(rectified, looks, models, layout, risk), ink=ink)
        sheet = hide(sheet, unseen_cells(photo, rectified))
        if layout == UNKNOWN and is_mirrored(photo, rectified):
            sheet = _mirrored(sheet)
        sheets.append(replace(sheet, sheet_id=read_code(photo, rectified, layout)))
    if not sheets and not books:
        if is_blank(photo):
            raise BlankPage(
                "the page is blank; if this is not the back of a sheet, turn it over and"
                " take the photo again"
            )
        if cut:
            raise NoSheetFound(
                "a map reaches beyond the {what} of this picture; take the photo again with the "
                "whole grid in view",
                what=in_words(cut_sides(photo, cut[0])),
            )
        raise NoSheetFound(
            "no map was found in this picture; take the photo again with the whole grid in view, "
            "sharp and without strong reflections"
        )
    if sheets and cut:
        sheets[0] = _beside(sheets[0], photo, cut)
    return share((*sheets, *books), risk)


def _mirrored(sheet: SheetReading) -> SheetReading:
    """The same sheet; says that left and right are swapped, which changes no total."""
    why = "the picture is mirrored: left and right are swapped; take the photo without mirroring"
    problem = Problem("mirrored", "warning", why)
    reading = replace(sheet.reading, review=True)
    return replace(sheet, reading=reading, problems=(*sheet.problems, problem))


def _book(photo: Photo, place: PlacedBook, models: Models, risk: float) -> SpellbookReading:
    found = read_book(photo, place, models.spellbook, models.struck_by, risk)
    return replace(found, sheet_id=read_book_code(photo, place))


def _beside(sheet: SheetReading, photo: Photo, cut: tuple[SheetOutline, ...]) -> SheetReading:
    """The same sheet; says that another map beside it seems to be cut off."""
    size = cv2.contourArea(sheet.outline_xy.astype(np.float32))
    for outline in cut:
        large = cv2.contourArea(outline.corners_xy.astype(np.float32)) > CUT_SIZE * size
        if large and outline.confidence > CUT_SURE:
            edge = in_words(cut_sides(photo, outline))
            why = f"another map seems to reach beyond the {edge} of the picture; it was not read"
            problem = Problem("map_cut_off", "warning", why)
            return replace(sheet, problems=(*sheet.problems, problem))
    return sheet


def hide(sheet: SheetReading, unseen: tuple[Cell, ...]) -> SheetReading:
    """The same sheet; where the picture's edge cuts off shields, it says so."""
    if not unseen:
        return sheet
    what = f"{len(unseen)} shields lie" if len(unseen) > 1 else "a shield lies"
    why = f"{what} at the picture's edge or beyond it; take the photo again with the whole grid"
    cells = tuple(
        replace(c, confidence=0.0, review=True) if (c.row, c.col) in unseen else c
        for c in sheet.reading.cells
    )
    reading = replace(sheet.reading, cells=cells, confidence=0.0, review=True)
    problem = Problem(CUT_OFF, "error", why, unseen)
    return replace(sheet, reading=reading, problems=(*sheet.problems, problem))


def _covers(book: SpellbookReading, rectified: RectifiedSheet) -> bool:
    """Whether what looked like a map lies in the middle of a spellbook, known by its markers."""
    return lies_in(rectified.centers_xy[2, 3], book.page_xy)


def _read(
    rectified: RectifiedSheet, looks: Iterator[Logits], models: Models, layout: str, risk: float
) -> SheetReading:
    """What a sheet holds; one that leaves doubts is looked at again, see `LOOKS`."""
    for said in gathered(looks):
        probs = weigh(said, rectified.confidence, models.trust(layout, len(said)))
        reading = decode(probs, risk)
        if reading.confidence >= 1 - LOOKS[len(said)] * risk:
            break
    return _scored(rectified, probs, reading, layout, risk)


def gathered(looks: Iterator[Logits]) -> Iterator[list[Logits]]:
    """All looks taken so far, for each number of them in `LOOKS` that there are."""
    said: list[Logits] = []
    for number in LOOKS:
        said += islice(looks, number - len(said))
        if len(said) == number:
            yield said


def interpret(
    rectified: RectifiedSheet, probs: MarkProbs, layout: str, risk: float
) -> SheetReading:
    """From probabilities on there are no pixels: board, domains, total."""
    return _scored(rectified, probs, decode(probs, risk), layout, risk)


def _scored(
    rectified: RectifiedSheet, probs: MarkProbs, reading: Reading, layout: str, risk: float
) -> SheetReading:
    """Place, rules and total of what was read; the rules have a say in how sure it is."""
    board = board_of({(c.row, c.col): (c.coat, c.crosses) for c in reading.cells})
    broken = questions(board, reading.castle_used)
    problems = (*_problems(probs), *broken)
    said = weighed(reading, broken, risk)
    return SheetReading(rectified, probs, said, score_board(board), layout, problems)


def _problems(probs: MarkProbs) -> tuple[Problem, ...]:
    """What to hold against a map's place in the photo."""
    if probs.placed >= SURELY_PLACED:
        return ()
    message = "the grid may not lie where it was found; look at the overlay or photograph again"
    return (Problem("unsure_place", "warning", message),)


def correct(
    sheet: SheetReading, corrections: Mapping[tuple[int, int], Marks], *, risk: float = DEFAULT_RISK
) -> SheetReading:
    """The sheet with shields as a person says they are; the rest follows.

    What the pixels had said stays visible in `CellReading.seen`.
    """
    again = interpret(sheet.rectified, corrected(sheet.probs, corrections), sheet.layout, risk)
    before = {(c.row, c.col): c for c in sheet.reading.cells}
    cells = tuple(
        replace(c, seen=(before[c.row, c.col].coat, before[c.row, c.col].crosses))
        if (c.row, c.col) in corrections
        else c
        for c in again.reading.cells
    )
    again = replace(again, reading=replace(again.reading, cells=cells), sheet_id=sheet.sheet_id)
    hidden = tuple(cell for cell in sheet.hidden if cell not in corrections)
    return hide(paid_as(again, sheet), hidden)


def correct_book(
    book: SpellbookReading,
    lines: Mapping[tuple[int, Coat], SpellbookLine],
    choices: Mapping[int, Coat | None],
) -> SpellbookReading:
    """The spellbook with lines, by side and coat, and chosen coats, by side, as a person says.

    What the neighbours on its table say of it is left out: `pipeline.table.share` says it anew.
    """
    marks = said_of(book.marks, lines, choices)
    return replace(interpret_book(book.layout, book.page_xy, marks), sheet_id=book.sheet_id)
