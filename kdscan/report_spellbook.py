"""A spellbook as plain values: its entry in the JSON, and what to look at in words."""

from __future__ import annotations

from typing import Any

from kdscan.game.duel.book_checks import SIDES
from kdscan.game.duel.coats import Coat
from kdscan.game.problem import problems_json
from kdscan.plain import point_json, probability_json
from kdscan.records import BookMark, SpellbookReading


def spellbook_json(reading: SpellbookReading) -> dict[str, Any]:
    """One entry of `sheets`, of the kind `duel_spellbook`."""
    return {
        "kind": reading.kind,
        "layout": reading.layout,
        "outline": [point_json(p) for p in reading.outline_xy],
        "players": [_player_json(reading, player) for player in (0, 1)],
        "problems": problems_json(reading.problems),
        "confidence": probability_json(reading.confidence),
        "review": reading.review,
    }


def _player_json(reading: SpellbookReading, player: int) -> dict[str, Any]:
    chosen = reading.chosen[player]
    return {
        "name": None,
        "lines": {coat.value: _line_json(reading, player, coat) for coat in Coat},
        "chosen_coat": chosen.value if chosen else None,
    }


def _line_json(reading: SpellbookReading, player: int, coat: Coat) -> dict[str, Any]:
    line = reading.book.lines[player][coat]
    marks = [m for m in reading.marks if m.key.startswith(f"players[{player}].lines.{coat}.")]
    sure = 1.0
    for mark in marks:
        sure *= mark.confidence
    return {
        "filled": line.filled,
        "struck": line.struck,
        "used": line.used,
        "confidence": probability_json(sure),
        "review": any(mark.review for mark in marks),
        "squares": [mark.marked for mark in marks if ".squares[" in mark.key],
        "centers": [point_json(mark.at_xy[0]) for mark in marks if ".squares[" in mark.key],
    }


def mark_name(mark: BookMark) -> str:
    """A place in words: "left, line of double dot: square 3"."""
    side = SIDES[0 if mark.key.startswith("players[0]") else 1]
    what = mark.key.split(".")
    coat = what[2].replace("_", " ")
    if what[1] == "choices":
        return f"{side}, chosen coat: {coat}"
    if what[3].startswith("squares["):
        part = f"square {int(what[3][8:-1]) + 1}"
    else:
        part = {"used": "power used", "struck": "struck through"}[what[3]]
    return f"{side}, line of {coat}: {part}"
