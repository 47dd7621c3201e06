"""Draws the spellbook itself: spells, squares to fill, circles, boxes for the chosen coat."""

from __future__ import annotations

from kdscan.paper.book import BookLayout, Spell
from kdscan.paper.decor import draw_art
from kdscan.paper.fonts import ITALIC
from kdscan.paper.layout import Point, Polygon, around
from kdscan.paper.pen import Pen, text_width
from kdscan.paper.style import Language, translate
from kdscan.paper.symbols import draw_coat

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
        _spell(pen, spell, layout.shield, language)
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


def _spell(pen: Pen, spell: Spell, shield: Polygon, language: Language) -> None:
    x, y, w, h = spell.box_mm
    pen.box(x, y, w, h, line="faint", width=0.2, corner=1.4)
    draw_coat(pen, spell.coat, shield, (x + 5, y + h / 2), _COAT_MM)
    room = w - _INDENT_MM - (4.6 if spell.at_once else 0.8)
    size, lines = _wrapped(translate(spell.text, language), room)
    top = y + h / 2 - _LEADING_MM * (len(lines) - 1) / 2 + 0.3 * _TEXT_MM
    for k, text in enumerate(lines):
        pen.text((x + _INDENT_MM, top + k * _LEADING_MM), text, size, font=ITALIC)
    if spell.at_once:
        draw_art(pen, "lightning", (x + w - 2.4, y + h / 2), 1.7)


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
