"""Draws the surroundings of the map: heading, compass, legend, blanks, ruler, markers."""

from __future__ import annotations

import cv2

from kdscan.errors import LayoutError
from kdscan.paper.decor import (
    RIBBON_TAIL_MM,
    draw_art,
    draw_coat,
    draw_code,
    draw_modules,
    draw_ribbon,
)
from kdscan.paper.fonts import CAPITAL, ITALIC
from kdscan.paper.layout import Blank, Page, Polygon, Ruler, Title, around, overlap
from kdscan.paper.pen import Pen, fitted, fitting, text_width
from kdscan.paper.style import Language, PrintStyle, Ticket, translate

_NAMES = {"double_dot": "two dots", "double_line": "two lines"}
"""Coats that the legend names otherwise than the JSON."""

_SMALL_MM = 2.3
"""Size of the small print, 6.5 points."""


def draw_surroundings(pen: Pen, layout: Page, look: PrintStyle, ticket: Ticket) -> None:
    """Draw every part of the layout that players don't mark, in the look's language.

    Raises LayoutError if it has no line to write a ticket's name on.
    """
    language = look.language
    codes = layout.codes if ticket.code else ()
    if layout.title is not None:
        _title(pen, layout.title, language)
    if layout.compass is not None:
        (x, y), r = layout.compass.center_mm, layout.compass.radius_mm
        square = around((x, y), 2 * r)
        if not any(overlap(square, around(code.center_mm, code.size_mm)) for code in codes):
            draw_art(pen, "compass", (x, y), r)
            pen.text((x, y - 0.75 * r), "N", 0.38 * r, align="middle")
    if layout.legend is not None:
        size = layout.legend.size_mm
        for example in layout.legend.examples:
            x, y = example.center_mm
            draw_coat(pen, example.coat, layout.shield, (x, y), size)
            name = translate(_NAMES.get(example.coat, example.coat), language)
            at = (x, y + size / 2 + 2.6)
            pen.text(at, name, _SMALL_MM, room=1.03 * size, font=ITALIC, align="middle")
    written = iter((ticket.name, ticket.second))
    for blank in layout.blanks:
        name = next(written, "") if blank.kind == "line" else ""
        _blank(pen, blank, layout.shield, language, name)
    for name in filter(None, written):
        raise LayoutError(
            "layout {layout!r} has no line to print {name!r} on; add one to its `blanks`, or "
            "leave --players out",
            layout=layout.name,
            name=name,
        )
    for note in layout.notes:
        text, room = translate(note.text, language), note.width_mm
        pen.text(note.at_mm, text, _SMALL_MM, room=room, font=ITALIC, align=note.align)
    if layout.ruler is not None:
        _ruler(pen, layout.ruler, language)
        if pen.theme.parchment and len(codes) < 2:  # the second code lies where it swims
            _serpent(pen, layout.ruler, layout, language)
    if layout.markers is not None:
        family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, layout.markers.dictionary))
        modules = family.markerSize + 2  # including one module of black border on each side
        for marker in layout.markers.places:
            bits = cv2.aruco.generateImageMarker(family, marker.id, modules)
            rows = [bytes(row == 0) for row in bits]
            draw_modules(pen, rows, marker.center_mm, layout.markers.size_mm)
    for code in codes:
        draw_code(pen, code, ticket.code)
    if layout.code is not None and (end_mm := layout.code.caption_mm) is not None:
        ends = [0.0]  # the caption is small enough to end before the ruler and the second code
        if layout.ruler is not None:
            ends.append(layout.ruler.start_mm[0] + layout.ruler.length_mm)
        if layout.second_code is not None:
            ends.append(layout.second_code.center_mm[0] + layout.second_code.size_mm)
        left = max(end for end in ends if end < end_mm[0])
        pen.text(end_mm, ticket.caption, _SMALL_MM, room=end_mm[0] - left, align="right")


def _serpent(pen: Pen, ruler: Ruler, layout: Page, language: Language) -> None:
    """A sea serpent beside the ruler, as large as the notes leave room for."""
    left = ruler.start_mm[0] + ruler.length_mm
    right = layout.page_mm[0] - 21
    for note in layout.notes:
        if abs(note.at_mm[1] - ruler.start_mm[1]) < 8:
            text = translate(note.text, language)
            size = fitting(text, _SMALL_MM, note.width_mm, ITALIC)
            right = min(right, note.at_mm[0] - text_width(text, size, ITALIC))
    size = min(13.0, right - left - 7)
    if size >= 6:
        draw_art(pen, "serpent", ((left + right) / 2, ruler.start_mm[1] + 3.2), size / 10)


def _title(pen: Pen, title: Title, language: Language) -> None:
    x, y = title.center_mm
    text = translate(title.text, language).upper()
    size, spacing = title.size_mm / CAPITAL, 0.22 * title.size_mm
    if title.width_mm is not None:
        room = title.width_mm - (2 * RIBBON_TAIL_MM + 2 if pen.theme.parchment else 0)
        shrink = min(1.0, room / text_width(text, size, spacing=spacing))
        size, spacing = size * shrink, spacing * shrink
    if pen.theme.parchment:
        draw_ribbon(pen, (x, y), text_width(text, size, spacing=spacing) / 2 + 2.2)
    pen.text((x, y + title.size_mm / 2), text, size, align="middle", spacing=spacing)
    if pen.theme.parchment:
        return
    reach, below = text_width(text, size, spacing=spacing) / 2, y + title.size_mm * 1.35
    for side in (-1, 1):
        pen.lines(((x + side * 2.2, below), (x + side * reach, below)), line="line", width=0.18)
    draw_art(pen, "ornament", (x, below))


def _blank(pen: Pen, blank: Blank, shield: Polygon, language: Language, written: str) -> None:
    x, y, w, h = blank.box_mm
    label = translate(blank.label, language)
    if blank.kind == "line":
        size = min(3.2, 0.45 * h)
        pen.text((x, y + h - 0.2), label, size, font=ITALIC)
        start = x + text_width(label, size, ITALIC) + 1.2
        pen.lines(((start, y + h), (x + w, y + h)), line="line", width=0.2)
        room = x + w - start - 1
        pen.text((start + 0.5, y + h - 0.9), *fitted(written, 1.25 * size, room))
        return
    if blank.kind == "double":
        pen.box(x - 0.6, y - 0.6, w + 1.2, h + 1.2, corner=1.6, width=0.22, ground=True)
    pen.box(x, y, w, h, corner=1.0, width=0.22, ground=True)
    if blank.coat is not None:
        draw_coat(pen, blank.coat, shield, (x + 2.1, y + 2.3), 3.0)
    at = (x + w / 2, y + 2.7)
    pen.text(at, label, _SMALL_MM, room=w - 0.6, font=ITALIC, align="middle")


def _ruler(pen: Pen, ruler: Ruler, language: Language) -> None:
    """A tick every millimetre, longer ones at 5 and 10; exact between the centres of the first and
    last tick."""
    x, y = ruler.start_mm
    last = round(ruler.length_mm)
    ticks = [
        ((x + i, y), (x + i, y - (1.9 if i % 10 == 0 else 1.4 if i % 5 == 0 else 0.9)))
        for i in range(last + 1)
    ]
    pen.lines(((x, y), (x + ruler.length_mm, y)), *ticks, line="ink", width=0.14)
    text = translate("{length} mm \N{EM DASH} check the print scale", language)
    label = text.format(length=f"{ruler.length_mm:g}")
    pen.text((x + ruler.length_mm / 2, y + 2.9), label, _SMALL_MM, font=ITALIC, align="middle")
