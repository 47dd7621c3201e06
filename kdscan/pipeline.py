"""From a photo to what it is worth: a line a stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kdscan.errors import BlankPage, NoSheetFound
from kdscan.game.duel.audit.quick import quick_problems
from kdscan.game.duel.board import Board
from kdscan.game.duel.scoring import score_board
from kdscan.inference.store import Models, default_models
from kdscan.records import AnyReading, MarkProbs, Photo, Problem, RectifiedSheet, SheetReading
from kdscan.vision.blank import is_blank, shows_through
from kdscan.vision.classify import classify
from kdscan.vision.code import read_code
from kdscan.vision.decode import DEFAULT_RISK, Marks, board_of, corrected, decode
from kdscan.vision.find import find
from kdscan.vision.identify import identify
from kdscan.vision.segment import segment

SURELY_PLACED = 0.9
"""Below this the reading says that the grid itself may be wrong."""


def read_photo(
    photo: Photo, models: Models | None = None, *, risk: float = DEFAULT_RISK
) -> tuple[AnyReading, ...]:
    """Read every map in a photo, the largest first.

    risk: accepted probability that a total which asks for no review is wrong.
    Raises NoSheetFound when there is none (BlankPage when there is nothing at all),
    ModelError when the models are unusable.
    """
    models = models or default_models()
    sheets = []
    for rectified in find(photo, models.locate, models.refine):
        if shows_through(rectified):
            continue
        probs = classify(segment(rectified), models.marks, rectified.confidence, models.habit)
        layout = identify(photo, rectified)
        sheet = interpret(rectified, probs, layout, risk)
        sheets.append(replace(sheet, sheet_id=read_code(photo, rectified, layout)))
    if not sheets:
        if is_blank(photo):
            raise BlankPage(
                "the page is blank; if this is not the back of a sheet, turn it over and"
                " take the photo again"
            )
        raise NoSheetFound(
            "no map was found in this picture; take the photo again with the whole grid in view, "
            "sharp and without strong reflections"
        )
    return tuple(sheets)


def interpret(
    rectified: RectifiedSheet, probs: MarkProbs, layout: str, risk: float
) -> SheetReading:
    """From probabilities on there are no pixels: board, domains, total."""
    reading = decode(probs, risk)
    board = board_of({(c.row, c.col): (c.coat, c.crosses) for c in reading.cells})
    problems = _problems(probs, board, reading.castle_used)
    return SheetReading(rectified, probs, reading, score_board(board), layout, problems)


def _problems(probs: MarkProbs, board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """What to hold against a map: its place in the photo, then the rules that it breaks."""
    broken = quick_problems(board, castle_used)
    if probs.placed >= SURELY_PLACED:
        return broken
    message = "the grid may not lie where it was found; look at the overlay or photograph again"
    return (Problem("unsure_place", "warning", message), *broken)


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
    return replace(again, reading=replace(again.reading, cells=cells), sheet_id=sheet.sheet_id)
