"""A spellbook for people and programs: its JSON, its text in a terminal, its overlay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from kdscan.files import Json
from kdscan.i18n import Words
from kdscan.imaging.pens import INK, PAPER, Color, Points, circle, line, polygon
from kdscan.imaging.picture import Bgr
from kdscan.rules.duel.board import SQUARES, Coat
from kdscan.rules.duel.spellbook import SIDES, Part
from kdscan.sheets.board import (
    BLUE,
    GREEN,
    ORANGE,
    REVIEW_COLOR,
    VERMILION,
    Canvas,
    Style,
    explain_problems,
    label,
    label_wh,
)
from kdscan.sheets.common import DoubtfulPlace, percent, point, probability, sheet_json
from kdscan.sheets.duel_map.show import coat_name, coat_sign
from kdscan.sheets.spellbook.model import (
    BookMark,
    SpellbookReading,
    alternatives,
    choice_of,
    line_of,
    marks_at,
)

# Names


def mark_name(mark: BookMark, words: Words) -> str:
    """The name of a place: "left, line of double dot: square 3"."""
    t, place = words.t, mark.place
    side, coat = t(SIDES[place.player]), coat_name(words, place.coat)
    if place.part == "choice":
        return t("{side}, chosen coat: {coat}", side=side, coat=coat)
    if place.part == "square":
        part = t("square {n}", n=place.square + 1)
    else:
        part = t("power used") if place.part == "used" else t("struck through")
    return t("{side}, line of {coat}: {part}", side=side, coat=coat, part=part)


# JSON


def to_json(book: SpellbookReading) -> Json:
    """A spellbook's JSON: for each side its lines as read, where their marks lie (reach: half a
    square's side), and the boxes in which it names its coat."""
    players = []
    for player in (0, 1):
        lines = {}
        for coat, state in book.book.lines[player].items():
            marks = marks_at(book.marks, player, coat)
            squares = marks_at(marks, player, coat, "square")
            used = next((mark for mark in marks if mark.place.part == "used"), None)
            lines[coat] = {
                **vars(state),
                **_marks_json(marks, squares),
                "squares": [mark.marked for mark in squares],
                "centers": [_center(mark) for mark in squares],
                "used_center": _center(used) if used else None,
                "alternatives": [
                    {**vars(other), "probability": probability(p)}
                    for other, p in alternatives(marks, line_of, state)
                ],
            }
        boxes, chosen = marks_at(book.marks, player), book.chosen[player]
        choice = {
            **_marks_json(boxes, boxes),
            "marked": {mark.place.coat: mark.marked for mark in boxes},
            "centers": {mark.place.coat: _center(mark) for mark in boxes},
            "alternatives": [
                {"coat": other, "probability": probability(p)}
                for other, p in alternatives(boxes, choice_of, chosen)
            ],
        }
        players.append({"name": None, "lines": lines, "chosen_coat": chosen, "choice": choice})
    return sheet_json(book, layout=book.layout, players=players)


def _marks_json(marks: Sequence[BookMark], places: Sequence[BookMark]) -> Json:
    return {
        "confidence": probability(math.prod(mark.confidence for mark in marks)),
        "review": any(mark.review for mark in marks),
        "reach": round(max((mark.reach_px for mark in places), default=0.0), 1),
    }


def _center(mark: BookMark) -> tuple[float, float]:
    return point(np.array(mark.at_xy[0]))


# Text

_WIDTH = 24

PRINTED = (Coat.DOT, Coat.LINE, Coat.DOUBLE_DOT, Coat.DOUBLE_LINE, Coat.FILLED, Coat.CHECKED)
"""The order of lines on the printed spellbook."""


def to_text(reading: SpellbookReading, style: Style) -> str:
    """Both sides of each line around its coat, then the doubtful marks; text for a terminal."""
    t, (full, empty) = style.words.t, "■□" if style.unicode else "#."
    coat_head, sides = t("coat"), (t("left"), t("right"))
    lines = [f"   {sides[0]:<{_WIDTH}} {coat_head:<15} {sides[1]}"]
    for coat in PRINTED:
        name = coat_sign(style, coat)
        texts = []
        for player in (0, 1):  # a line's squares, then its state
            state = reading.book.lines[player][coat]
            squares = full * state.filled + empty * max(0, SQUARES[coat] - state.filled)
            won = reading.book.owner(coat) == player and not state.struck
            states = {t("struck"): state.struck, t("won"): won, t("used"): state.used}
            notes = ", ".join(word for word, applies in states.items() if applies)
            texts.append(f"{squares:<5} {notes}".rstrip())
        lines.append(f"   {texts[0]:<{_WIDTH}} {name:<15} {texts[1]}".rstrip())
    for player, side in enumerate(sides):
        if chosen := reading.chosen[player]:
            named = coat_sign(style, chosen)
            lines.append("   " + t("{side}, chosen coat: {coat}", side=side, coat=named))
    check = ", " + t("please check") if reading.review else ""
    lines.append("   " + t("{sure} sure", sure=percent(reading.confidence)) + check)
    unsure, dash = explain_problems(reading, style), "–" if style.unicode else "-"
    doubtful = [mark for mark in reading.marks if mark.review]
    if doubtful:
        unsure.append(" " + t("Look at:"))
    for mark in doubtful:
        read = t("read as marked") if mark.marked else t("read as empty")
        name = mark_name(mark, style.words)
        unsure.append(f"   {name} {dash} {read} ({percent(mark.confidence)})")
    return "\n".join([*lines, "", *unsure] if unsure else lines)


# Pictures

COLORS: dict[Part, Color] = {"square": GREEN, "used": ORANGE, "struck": VERMILION, "choice": BLUE}


def draw(canvas: Canvas, reading: SpellbookReading, others: Sequence[Points]) -> list[Bgr]:
    """The overlay over a photo; a spellbook has no tiles."""
    picture, scale, page = canvas.picture, canvas.scale, canvas.scaled(reading.outline_xy)
    reach = float(np.median([mark.reach_px for mark in reading.marks])) * scale
    polygon(picture, page, PAPER, 0.18 * reach)
    polygon(picture, page, INK, 0.08 * reach)
    for mark in reading.marks:
        at, own = canvas.scaled(np.array(mark.at_xy)), mark.reach_px * scale
        if mark.place.part != "struck":
            if mark.marked:
                circle(picture, at[0], 1.02 * own, PAPER, 0.34 * own)
                circle(picture, at[0], 1.02 * own, COLORS[mark.place.part], 0.22 * own)
            if mark.review:
                circle(picture, at[0], 1.45 * own, PAPER, 0.3 * own)
                circle(picture, at[0], 1.45 * own, REVIEW_COLOR, 0.18 * own)
            continue
        if mark.marked:
            line(picture, at[0], at[-1], PAPER, 0.34 * own)
            line(picture, at[0], at[-1], COLORS["struck"], 0.2 * own)
        for end in at if mark.review else ():
            circle(picture, end, 0.5 * own, REVIEW_COLOR, 0.14 * own)
    for player, coat in product((0, 1), Coat):  # the number of filled squares beside the first
        squares = marks_at(reading.marks, player, coat, "square")
        first, last = canvas.scaled(np.array([squares[0].at_xy[0], squares[-1].at_xy[0]]))
        along = (first - last) / max(float(np.hypot(*(first - last))), 1e-9)
        text = str(reading.book.lines[player][coat].filled)
        text += "!" * (reading.book.owner(coat) == player)
        wh = np.array(label_wh(text, 0.95 * reach))
        x, y = first + along * 1.9 * reach - wh / 2
        label(picture, text, (x, y), 0.95 * reach)
    size, text = 1.7 * reach, canvas.numbered(canvas.words.t("spellbook")) + " ?" * reading.review
    wide, high = label_wh(text, size)
    left = min(max(float(page[:, 0].mean() - wide / 2), 0.0), max(0.0, picture.shape[1] - wide))
    top = max(float(page[:, 1].min() - high - 0.3 * size), 0.1 * size)
    label(picture, text, (left, top), size, REVIEW_COLOR if reading.review else INK)
    return []


def places(book: SpellbookReading, words: Words) -> Iterator[DoubtfulPlace]:
    """What needs review, as named places in the photo."""
    yes, no = words.t("marked"), words.t("blank")
    for mark in book.marks:
        if mark.review:
            read, other = (yes, no) if mark.marked else (no, yes)
            choices = (read, mark.confidence), (other, 1 - mark.confidence)
            reach = 1.5 * mark.reach_px
            if len(mark.at_xy) > 1:  # a line: its whole length
                long = float(np.linalg.norm(np.subtract(mark.at_xy[0], mark.at_xy[-1])))
                reach = max(reach, long / 2 + mark.reach_px)
            square = reach * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
            around = np.asarray(np.mean(mark.at_xy, axis=0) + square)
            yield DoubtfulPlace(mark_name(mark, words), choices, around)
