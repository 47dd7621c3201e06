"""A map for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict

from kdscan.i18n import Words, mark
from kdscan.imaging.pens import Points, draw_marks, marks_width
from kdscan.imaging.picture import Bgr
from kdscan.marks.boards import CellReading
from kdscan.rules.duel.board import CASTLE
from kdscan.rules.duel.coats import Coat, Marks
from kdscan.rules.duel.report import domains_json, score_json
from kdscan.rules.problem import problems_json
from kdscan.sheets.board import Canvas, CellDrawing, draw_board, places_of
from kdscan.sheets.common import DoubtfulPlace, coat_json, judged_json, point_json, probability_json
from kdscan.sheets.duel_map.interpret import doubts
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.terminal import Style, draw_grid, explain_domains, explain_total, token
from kdscan.sheets.terminal import explain_doubts as explain

if TYPE_CHECKING:
    from kdscan.sheets.entries import CellJson, MapJson, MarksJson
    from kdscan.sheets.terminal import Style


_COATS = {
    Coat.DOT: mark("dot"),
    Coat.LINE: mark("line"),
    Coat.DOUBLE_DOT: mark("double dot"),
    Coat.DOUBLE_LINE: mark("double line"),
    Coat.FILLED: mark("filled"),
    Coat.CHECKED: mark("checked"),
}


def coat_name(words: Words, coat: Coat | None) -> str:
    """The name of a coat, or of an empty shield."""
    return words.t("empty") if coat is None else words.t(_COATS[coat])


def coat_sign(style: Style, coat: Coat) -> str:
    """A coat's sign and name in a terminal."""
    return f"{style.coat(coat)} {coat_name(style.words, coat)}"


def shield_name(words: Words, coat: Coat | None, crosses: int) -> str:
    """The name of a coat with its crosses."""
    return f"{coat_name(words, coat)} {'×' * crosses}".rstrip()


def with_cover(words: Words, what: str, cell: CellReading) -> str:
    """A shield's name, with a note if it seems to be covered."""
    covered = words.t("covered")
    return f"{what}, {covered}" if cell.covered else what


def to_json(sheet: MapReading) -> MapJson:
    """One entry of `sheets`, of the kind `duel_map`."""
    reading, score = sheet.reading, sheet.score
    others = {d.cell.at: d.others for d in doubts(sheet)}
    low, high = sheet.wizard_range
    unsure: _Unsure = {"wizard_range": [low, high]} if low < high else {}
    return {
        "kind": sheet.kind,
        "layout": sheet.layout,
        "sheet_id": sheet.sheet_id,
        "outline": [point_json(p) for p in sheet.rectified.outline_xy],
        "castle_bonus_used": reading.castle_used,
        "cells": [_cell_json(sheet, c, others.get(c.at, ())) for c in reading.cells],
        "domains": domains_json(score),
        "score": score_json(score),
        "chosen_coat": coat_json(sheet.wizard_coat),
        "range": None if sheet.clipped else list(sheet.total_range),
        "photograph_again": bool(sheet.clipped),
        **unsure,
        "problems": problems_json(sheet.problems),
        "confidence": probability_json(sheet.confidence),
        "review": sheet.review,
    }


class _Unsure(TypedDict, total=False):
    """The range of the wizard's points, if uncertain."""

    wizard_range: list[int]


def _cell_json(sheet: MapReading, cell: CellReading, others: Sequence[CellReading]) -> CellJson:
    return {
        "row": cell.row,
        "col": cell.col,
        **_marks_json(cell.marks),
        **judged_json(sheet.rectified.centers_xy[cell.at], cell.confidence, cell.review),
        "seen": _marks_json(cell.seen) if cell.seen else None,
        "alternatives": [
            {**_marks_json(other.marks), "probability": probability_json(other.confidence)}
            for other in others
        ],
    }


def _marks_json(marks: Marks) -> MarksJson:
    coat, crosses = marks
    return {"coat": coat_json(coat), "crosses": crosses}


WIDTH = 9
"""Characters of a shield: its coat, four crosses, and whether it is doubtful."""


def to_text(sheet: MapReading, style: Style) -> str:
    """See `kdscan.sheets.base`."""
    if sheet.clipped:
        return "\n\n".join([explain_clipped(sheet, style), board_text(sheet, style)])
    parts = [board_text(sheet, style), explain_score(sheet, style), explain_doubts(sheet, style)]
    return "\n\n".join(part for part in parts if part)


def explain_clipped(sheet: MapReading, style: Style) -> str:
    """Advice for a map of which the picture cuts off shields, so that its total is unknown."""
    t, tn = style.words.t, style.words.tn
    what = tn(
        "{n} shield lies at the picture's edge or beyond it, so there is no total.",
        "{n} shields lie at the picture's edge or beyond it, so there is no total.",
        len(sheet.clipped),
    )
    again = style.bold(t("Photograph again"))
    return f" {again}: {what}"


def board_text(sheet: MapReading, style: Style) -> str:
    """The board; lines separate domains, `?` marks doubtful shields."""
    content = {cell.at: _cell(cell, style) for cell in sheet.reading.cells}
    content[CASTLE] = _castle(sheet, style)
    return draw_grid(content, sheet.score.domains, style)


def _cell(cell: CellReading, style: Style) -> str:
    doubt = "?" if cell.review else " "
    if style.narrow:
        return f"{style.coat(cell.coat)}{cell.crosses or ' '}{doubt}"
    if style.unicode:
        return f" {style.coat(cell.coat)} {style.cross * cell.crosses:<4}{doubt}"
    return f" {token(*cell.marks):<7}{doubt}"


def _castle(sheet: MapReading, style: Style) -> str:
    used = {True: style.words.t("used"), False: "", None: "?"}[sheet.reading.castle_used]
    text = f"{'♜' if style.unicode else '##'} {used}"
    return f"{text:<4}"[:4] if style.narrow else f" {text}".ljust(WIDTH)[:WIDTH]


def explain_score(sheet: MapReading, style: Style) -> str:
    """Each scoring domain as shields × crosses = points, then the total."""
    t, tn = style.words.t, style.words.tn
    heads = t("from"), t("coat"), t("shields"), t("crosses"), t("points")
    names = [coat_sign(style, domain.coat) for domain in sheet.score.domains]
    lines = explain_domains(sheet.score.domains, names, heads, style)
    if idle := sum(not domain.points for domain in sheet.score.domains):
        none = tn(
            "{n} domain without a cross: 0 points", "{n} domains without a cross: 0 points", idle
        )
        lines.append(f"   {none}")
    if sheet.score.wizard:
        paid = t("the wizard of the filled coat: {points}", points=sheet.score.wizard)
        lines.append(f"   {paid}")
    low, high = sheet.total_range
    between = ""
    if sheet.review and low < high:
        between = " " + t("between {low} and {high}", low=low, high=high) + ","
    lines.append(explain_total(sheet, sheet.score.total, style, between))
    return "\n".join(lines)


def explain_doubts(sheet: MapReading, style: Style) -> str:
    """Problems of the board, then the doubtful shields with their alternatives."""

    def shown(cell: CellReading) -> str:
        return with_cover(style.words, style.marks(*cell.marks), cell)

    return explain(sheet, doubts(sheet), shown, lambda cell: token(*cell.marks), style)


def draw(canvas: Canvas, sheet: MapReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.sheets.base`."""
    return draw_board(canvas, sheet, sheet.reading.cells, doubts(sheet), others, _DRAWING)


def places(sheet: MapReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.sheets.base`."""

    def name(cell: CellReading) -> str:
        return with_cover(words, shield_name(words, *cell.marks), cell)

    return places_of(sheet, doubts(sheet), name)


_DRAWING: CellDrawing[CellReading] = CellDrawing(
    draw=lambda picture, at, cell, size: draw_marks(picture, at, *cell.marks, size),
    width=lambda cell, size: marks_width(cell.crosses, size),
    marked=lambda cell: cell.coat is not None,
)
