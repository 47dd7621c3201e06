"""A map's entry in the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from kdscan.records import CellReading, MapReading, Marks
from kdscan.rules.duel.report import domains_json, score_json
from kdscan.rules.problem import problems_json
from kdscan.sheets.common.values import coat_json, judged_json, point_json, probability_json
from kdscan.sheets.duel_map.doubts import doubts

if TYPE_CHECKING:
    from kdscan.records.results import CellJson, MapJson, MarksJson


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
