"""A spellbook as text: both sides of each line around its coat, then what is unsure."""

from __future__ import annotations

from kdscan.cli.text import Style, percent
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.records import SpellbookReading
from kdscan.report_spellbook import mark_name

_WIDTH = 24


def spellbook_text(reading: SpellbookReading, style: Style) -> str:
    """The whole answer for one spellbook, for people; ends without a newline."""
    lines = [f"   {'left':<{_WIDTH}} coat            right"]
    for coat in Coat:
        name = f"{style.coat(coat)} {coat.value.replace('_', ' ')}"
        left, right = (_side(reading, player, coat, style) for player in (0, 1))
        lines.append(f"   {left:<{_WIDTH}} {name:<15} {right}".rstrip())
    for player, side in enumerate(("left", "right")):
        coat_chosen = reading.chosen[player]
        if coat_chosen:
            named = f"{style.coat(coat_chosen)} {coat_chosen.value.replace('_', ' ')}"
            lines.append(f"   {side} chose {named}")
    check = ", please check" if reading.review else ""
    lines.append(f"   {percent(reading.confidence)} sure{check}")
    unsure = _doubts(reading, style)
    return "\n".join(lines) + (f"\n\n{unsure}" if unsure else "")


def _side(reading: SpellbookReading, player: int, coat: Coat, style: Style) -> str:
    """Squares as they lie on the page, then what happened to the line."""
    line = reading.book.lines[player][coat]
    full, empty = ("■", "□") if style.unicode else ("#", ".")
    squares = full * line.filled + empty * max(0, SQUARES[coat] - line.filled)
    said = []
    if line.struck:
        said.append("struck")
    elif reading.book.owner(coat) == player:
        said.append("won")
    if line.used:
        said.append("used")
    return " ".join([f"{squares:<5}", ", ".join(said)]).rstrip()


def _doubts(reading: SpellbookReading, style: Style) -> str:
    dash = "–" if style.unicode else "-"
    lines = [f" {problem.severity}: {problem.message}" for problem in reading.problems]
    unsure = [mark for mark in reading.marks if mark.review]
    if unsure:
        lines.append(" Look at:")
    for mark in unsure:
        read = "marked" if mark.marked else "empty"
        lines.append(f"   {mark_name(mark)} {dash} read as {read} ({percent(mark.confidence)})")
    return "\n".join(lines)
