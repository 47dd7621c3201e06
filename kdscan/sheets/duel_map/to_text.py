"""A map as text: the board with outlined domains, the score's breakdown, the doubtful shields."""

from __future__ import annotations

from kdscan.records import CASTLE, CellReading, MapReading
from kdscan.sheets.common.terminal import Style, draw_grid, explain_domains, explain_total, token
from kdscan.sheets.common.terminal import explain_doubts as explain
from kdscan.sheets.duel_map.doubts import doubts
from kdscan.sheets.duel_map.names import coat_sign, with_cover

WIDTH = 9
"""Characters of a shield: its coat, four crosses, and whether it is doubtful."""


def to_text(sheet: MapReading, style: Style) -> str:
    """See `kdscan.sheets`."""
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
    if style.unicode:
        return f" {style.coat(cell.coat)} {style.cross * cell.crosses:<4}{doubt}"
    return f" {token(*cell.marks):<7}{doubt}"


def _castle(sheet: MapReading, style: Style) -> str:
    used = {True: style.words.t("used"), False: "", None: "?"}[sheet.reading.castle_used]
    return f" {'♜' if style.unicode else '##'} {used}".ljust(WIDTH)[:WIDTH]


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
