"""A spellbook as text: both sides of each line around its coat, then the doubtful marks."""

from __future__ import annotations

from kdscan.records import SpellbookReading
from kdscan.records.short import percent
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.sheets.common.terminal import Style, explain_problems
from kdscan.sheets.duel_map.names import coat_sign
from kdscan.sheets.spellbook.names import mark_name

_WIDTH = 24

PRINTED = (Coat.DOT, Coat.LINE, Coat.DOUBLE_DOT, Coat.DOUBLE_LINE, Coat.FILLED, Coat.CHECKED)
"""The order of lines on the printed spellbook."""


def to_text(reading: SpellbookReading, style: Style) -> str:
    """See `kdscan.sheets`."""
    t = style.words.t
    coat_head, sides = t("coat"), (t("left"), t("right"))
    lines = [f"   {sides[0]:<{_WIDTH}} {coat_head:<15} {sides[1]}"]
    for coat in PRINTED:
        name = coat_sign(style, coat)
        left, right = (_side(reading, player, coat, style) for player in (0, 1))
        lines.append(f"   {left:<{_WIDTH}} {name:<15} {right}".rstrip())
    for player, side in enumerate(sides):
        if chosen := reading.chosen[player]:
            named = coat_sign(style, chosen)
            lines.append("   " + t("{side}, chosen coat: {coat}", side=side, coat=named))
    check = ", " + t("please check") if reading.review else ""
    lines.append("   " + t("{sure} sure", sure=percent(reading.confidence)) + check)
    unsure = _doubts(reading, style)
    return "\n".join(lines) + (f"\n\n{unsure}" if unsure else "")


def _side(reading: SpellbookReading, player: int, coat: Coat, style: Style) -> str:
    """A line's squares, then its state."""
    line = reading.book.lines[player][coat]
    full, empty = ("■", "□") if style.unicode else ("#", ".")
    squares = full * line.filled + empty * max(0, SQUARES[coat] - line.filled)
    notes = []
    if line.struck:
        notes.append(style.words.t("struck"))
    elif reading.book.owner(coat) == player:
        notes.append(style.words.t("won"))
    if line.used:
        notes.append(style.words.t("used"))
    return " ".join([f"{squares:<5}", ", ".join(notes)]).rstrip()


def _doubts(reading: SpellbookReading, style: Style) -> str:
    dash = "–" if style.unicode else "-"
    t, lines = style.words.t, explain_problems(reading, style)
    unsure = [mark for mark in reading.marks if mark.review]
    if unsure:
        lines.append(" " + t("Look at:"))
    for mark in unsure:
        read = t("read as marked") if mark.marked else t("read as empty")
        name = mark_name(mark, style.words)
        lines.append(f"   {name} {dash} {read} ({percent(mark.confidence)})")
    return "\n".join(lines)
