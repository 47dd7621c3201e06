"""A spellbook's entry in the JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kdscan.records import BookMark, SpellbookReading
from kdscan.records.results import ChoiceJson, LineJson, LineStateJson, SideJson, SpellbookJson
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import SpellbookLine
from kdscan.rules.problem import problems_json
from kdscan.sheets.common.doubt import MAX_OTHERS, MIN_OTHER
from kdscan.sheets.common.values import coat_json, point_json, probability_json
from kdscan.sheets.spellbook.lines import (
    choice_of,
    line_of,
    marks_of_choice,
    marks_of_line,
    options,
    squares_of_line,
)

T = TypeVar("T")


def to_json(reading: SpellbookReading) -> SpellbookJson:
    """One entry of `sheets`, of the kind `duel_spellbook`."""
    return {
        "kind": reading.kind,
        "layout": reading.layout,
        "sheet_id": reading.sheet_id,
        "outline": [point_json(p) for p in reading.outline_xy],
        "players": [_player_json(reading, player) for player in (0, 1)],
        "problems": problems_json(reading.problems),
        "confidence": probability_json(reading.confidence),
        "review": reading.review,
    }


def _player_json(reading: SpellbookReading, player: int) -> SideJson:
    return {
        "name": None,
        "lines": {coat.value: _line_json(reading, player, coat) for coat in Coat},
        "chosen_coat": coat_json(reading.chosen[player]),
        "choice": _choice_json(reading, player),
    }


def _line_json(reading: SpellbookReading, player: int, coat: Coat) -> LineJson:
    line = reading.book.lines[player][coat]
    marks = marks_of_line(reading.marks, player, coat)
    squares = squares_of_line(marks, player, coat)
    used = next((mark for mark in marks if mark.place.part == "used"), None)
    return {
        **_state_json(line),
        "confidence": probability_json(math.prod(mark.confidence for mark in marks)),
        "review": any(mark.review for mark in marks),
        "squares": [mark.marked for mark in squares],
        "centers": [point_json(mark.at_xy[0]) for mark in squares],
        "used_center": point_json(used.at_xy[0]) if used else None,
        "reach": _reach(squares),
        "alternatives": [
            {**_state_json(other), "probability": probability_json(p)}
            for other, p in _others(marks, line_of, line)
        ],
    }


def _choice_json(reading: SpellbookReading, player: int) -> ChoiceJson:
    marks = marks_of_choice(reading.marks, player)
    return {
        "confidence": probability_json(math.prod(mark.confidence for mark in marks)),
        "review": any(mark.review for mark in marks),
        "marked": {mark.place.coat.value: mark.marked for mark in marks},
        "centers": {mark.place.coat.value: point_json(mark.at_xy[0]) for mark in marks},
        "reach": _reach(marks),
        "alternatives": [
            {"coat": coat_json(other), "probability": probability_json(p)}
            for other, p in _others(marks, choice_of, reading.chosen[player])
        ],
    }


def _others(
    marks: Sequence[BookMark], state: Callable[[Iterable[BookMark]], T], read: T
) -> list[tuple[T, float]]:
    """Alternatives to what was read from marks that need review, the most probable first."""
    if not any(mark.review for mark in marks):
        return []
    others = [(one, p) for one, p in options(marks, state) if one != read and p >= MIN_OTHER]
    return others[:MAX_OTHERS]


def _state_json(line: SpellbookLine) -> LineStateJson:
    return {"filled": line.filled, "struck": line.struck, "used": line.used}


def _reach(marks: Sequence[BookMark]) -> float:
    """Half a place's side in the photo, pixels."""
    return round(max((mark.reach_px for mark in marks), default=0.0), 1)
