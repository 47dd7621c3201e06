"""Draws what belongs to the game: the map's cells, shields with their circles, castle and border;
the spellbook's spells, squares to fill, circles, boxes for the chosen coat."""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.paper.book import BookLayout
from kdscan.paper.decor import draw_art, draw_coat, paint_castle
from kdscan.paper.fonts import CAPITAL, ITALIC
from kdscan.paper.layout import Layout, Point, around, moved, rect
from kdscan.paper.pen import Pen, text_width
from kdscan.paper.style import Language, translate
from kdscan.rules.duel.board import CASTLE, COLS, ROWS

# The map

_DASHES = {"ruled": (), "dashed": (1.8, 1.2), "dotted": (0.3, 1.1)}
"""Lengths of dashes and gaps in mm."""

_BORDER_GAP_MM, _BORDER_MM = 0.8, 1.1
_COORDINATE_MM = 2.1


def draw_map(pen: Pen, layout: Layout) -> None:
    """Draw everything inside the grid and the graduated border around it."""
    _lines(pen, layout)
    _border(pen, layout)
    if layout.coordinates:
        _coordinates(pen, layout)
    for row in range(ROWS):
        for col in range(COLS):
            at = layout.center_mm(row, col)
            if (row, col) == CASTLE:
                keep = [moved(polygon, at) for polygon in layout.castle.keep]
                if pen.theme.parchment:
                    paint_castle(pen, keep)
                else:
                    for polygon in keep:
                        pen.polygon(polygon, line="ink", width=0.25, fill="white")
                for polygon in layout.castle.roofs:
                    pen.polygon(moved(polygon, at), line="ink", width=0.3, fill="white")
            else:
                ground = pen.theme.ground
                pen.polygon(moved(layout.shield, at), line="line", width=0.3, fill=ground)
                for center in moved(layout.circles, at):
                    radius = layout.circle_radius_mm
                    pen.circle(center, radius, line="line", width=0.22, fill=ground)


def _lines(pen: Pen, layout: Layout) -> None:
    if layout.lines == "none":
        return
    (x, y, w, h), (cw, ch) = layout.grid_rect, layout.cell_mm
    down = [((x + i * cw, y), (x + i * cw, y + h)) for i in range(1, COLS)]
    across = [((x, y + i * ch), (x + w, y + i * ch)) for i in range(1, ROWS)]
    pen.lines(*down, *across, line="faint", width=0.2, dash=_DASHES[layout.lines])
    for i in range(1, COLS):
        for k in range(1, ROWS):
            draw_art(pen, "diamond", (x + i * cw, y + k * ch))
    pen.box(x, y, w, h, width=0.3)


def _border(pen: Pen, layout: Layout) -> None:
    """The graduated border of an old map: dark beside the middle of each cell, light between."""
    (x, y, w, h), (cw, ch) = layout.grid_rect, layout.cell_mm
    inner, outer = _BORDER_GAP_MM, _BORDER_GAP_MM + _BORDER_MM
    bars = []
    for a, b in _steps(x, cw, COLS):
        bars += [rect(a, y - outer, b, y - inner), rect(a, y + h + inner, b, y + h + outer)]
    for a, b in _steps(y, ch, ROWS):
        bars += [rect(x - outer, a, x - inner, b), rect(x + w + inner, a, x + w + outer, b)]
    for a in (x - outer, x + w + inner):
        bars += [rect(a, b, a + _BORDER_MM, b + _BORDER_MM) for b in (y - outer, y + h + inner)]
    pen.shape(bars, fill="faint")
    for d in (inner, outer):
        pen.box(x - d, y - d, w + 2 * d, h + 2 * d, width=0.18)


def _coordinates(pen: Pen, layout: Layout) -> None:
    """Columns A to G above the border, rows 1 to 5 left of it."""
    outer, size = _BORDER_GAP_MM + _BORDER_MM, _COORDINATE_MM
    for col in range(COLS):
        x = layout.center_mm(0, col)[0]
        at = (x, layout.grid_mm[1] - outer - 0.7)
        pen.text(at, "ABCDEFG"[col], size, color="line", align="middle")
    for row in range(ROWS):
        y = layout.center_mm(row, 0)[1] + size * CAPITAL / 2
        at = (layout.grid_mm[0] - outer - 1.2, y)
        pen.text(at, str(row + 1), size, color="line", align="middle")


def _steps(start: float, cell: float, count: int) -> Iterator[tuple[float, float]]:
    for i in range(count):
        yield start + (i + 0.25) * cell, start + (i + 0.75) * cell


# The spellbook

_TEXT_MM, _LEADING_MM = 2.3, 2.9
_COAT_MM = 7.4
_INDENT_MM = 9.8
_CHOICE_COAT_MM = 5.6


def draw_book(pen: Pen, layout: BookLayout, language: Language) -> None:
    """Draw everything that belongs to the game; the surroundings are drawn as on maps."""
    for x, y, w, h in layout.frames:
        pen.box(x, y, w, h, width=0.3, corner=2.4)
        pen.box(x + 0.9, y + 0.9, w - 1.8, h - 1.8, line="faint", width=0.18, corner=1.7)
    for spell in layout.spells:
        x, y, w, h = spell.box_mm
        pen.box(x, y, w, h, line="faint", width=0.2, corner=1.4)
        draw_coat(pen, spell.coat, layout.shield, (x + 5, y + h / 2), _COAT_MM)
        room = w - _INDENT_MM - (4.6 if spell.at_once else 0.8)
        size, lines = _wrapped(translate(spell.text, language), room)
        top = y + h / 2 - _LEADING_MM * (len(lines) - 1) / 2 + 0.3 * _TEXT_MM
        for k, text in enumerate(lines):
            pen.text((x + _INDENT_MM, top + k * _LEADING_MM), text, size, font=ITALIC)
        if spell.at_once:
            draw_art(pen, "lightning", (x + w - 2.4, y + h / 2), 1.7)
    for side in layout.players:
        for line in side.lines:
            for center in line.squares:
                _square(pen, center, layout.square_mm, corner=0.8)
            ground = pen.theme.ground
            pen.circle(line.used, layout.circle_radius_mm, line="line", width=0.3, fill=ground)
        for choice in side.choices:  # a row of boxes, each under its coat
            x, y = choice.center_mm
            above = (x, y - layout.choice_mm / 2 - 0.9 - _CHOICE_COAT_MM / 2)
            draw_coat(pen, choice.coat, layout.shield, above, _CHOICE_COAT_MM)
            _square(pen, (x, y), layout.choice_mm, corner=0.6)


def _square(pen: Pen, center: Point, side: float, corner: float) -> None:
    x, y, _, _ = around(center, side)
    pen.box(x, y, side, side, width=0.3, corner=corner, ground=True)


def _wrapped(text: str, room: float) -> tuple[float, list[str]]:
    """A size of at most `_TEXT_MM`, and the text in lines no wider than `room`, two if possible."""
    size = _TEXT_MM
    while True:
        lines = [""]
        for word in text.split(" "):  # not at non-breaking spaces
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and text_width(longer, size, ITALIC) > room:
                lines.append(word)
            else:
                lines[-1] = longer
        widest = max(text_width(line, size, ITALIC) for line in lines)
        if (len(lines) <= 2 and widest <= room) or size < 0.6 * _TEXT_MM:
            return size, lines
        size *= 0.97
