"""What was read, as plain values: the JSON of the contract, names of cells, colours, doubts.

Pure: records in, values out. The JSON is the machine interface `kdscan/1`: fields are
added freely, renamed or dropped only with a new number.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from kdscan.error_words import error_json
from kdscan.errors import KdscanError
from kdscan.fusing import FusedSheet
from kdscan.game.duel.report import domains_json, score_json
from kdscan.game.duel.scoring import Score
from kdscan.game.grid import Cell
from kdscan.game.kingdomino.scoring import Score as KingdomScore
from kdscan.game.problem import problems_json
from kdscan.game.winner import decide
from kdscan.legible import legible
from kdscan.plain import judged_json, point_json, probability_json
from kdscan.records import (
    AnyReading,
    CellReading,
    Found,
    KingdomReading,
    SheetReading,
    SpellbookReading,
)
from kdscan.report_kingdom import kingdom_json
from kdscan.report_spellbook import spellbook_json
from kdscan.vision.decode import Marks, alternatives

SCHEMA = "kdscan/1"


@dataclass(frozen=True, eq=False)
class PhotoReport:
    """One photo (or page) and what came of it: sheets, or the error that stands for them.

    page: from 0; pages: how many the file has. size_wh: width and height in pixels,
    None when the picture could not be decoded.
    """

    name: str
    page: int = 0
    pages: int = 1
    size_wh: tuple[int, int] | None = None
    sheets: tuple[AnyReading, ...] = ()
    error: KdscanError | None = None


@dataclass(frozen=True)
class Doubt:
    """A shield to look at, and what else it may be, the likeliest first, with probabilities."""

    cell: CellReading
    alternatives: tuple[tuple[Marks, float], ...]


def doubts(sheet: SheetReading, most: int = 2, least_probability: float = 0.02) -> list[Doubt]:
    """The shields to look at that the photo shows, each with up to `most` other readings."""
    found = []
    for index, cell in enumerate(sheet.reading.cells):
        if cell.review and (cell.row, cell.col) not in sheet.hidden:
            others = [
                (marks, p)
                for marks, p in alternatives(sheet.probs, index, at_most=most + 1)
                if marks != (cell.coat, cell.crosses) and p >= least_probability
            ]
            found.append(Doubt(cell, tuple(others[:most])))
    return found


MOST_NAMED = 8
"""A problem of more cells than these is about the map as a whole; nobody looks at each."""


def blamed_cells(found: Found) -> set[Cell]:
    """The cells that a problem points at."""
    named = (problem.cells for problem in found.problems if len(problem.cells) <= MOST_NAMED)
    return {cell for cells in named for cell in cells}


def domain_colors(score: Score | KingdomScore, colors: int) -> dict[Cell, int]:
    """A colour number for each shield that scores; neighbouring domains differ.

    Shields of domains without a cross are left out: they are worth nothing.
    """
    chosen: dict[Cell, int] = {}
    used = [0] * colors
    for domain in score.domains:
        if domain.points == 0:
            continue
        around = {
            (r + dr, c + dc)
            for r, c in domain.cells
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))
        }
        taken = {chosen[cell] for cell in around if cell in chosen}
        free = [n for n in range(colors) if n not in taken] or list(range(colors))
        color = min(free, key=lambda n: (used[n], n))
        used[color] += 1
        chosen.update(dict.fromkeys(domain.cells, color))
    return chosen


def report_json(
    photos: Sequence[dict[str, Any]], fused: Sequence[FusedSheet] = ()
) -> dict[str, Any]:
    """The object that `kdscan score --json` prints; photos: what `photo_json` made of each."""
    together = [_fused_json(one) for one in fused]
    return {
        "schema": SCHEMA,
        "photos": list(photos),
        "fused": together,
        "game": game_json(photos, together),
    }


def _fused_json(fused: FusedSheet) -> dict[str, Any]:
    return {
        "sheets": [list(where) for where in fused.views],
        "best": list(fused.best),
        "photograph_again": [list(cell) for cell in fused.photograph_again],
        "sheet": sheet_json(fused.sheet),
    }


def photo_json(report: PhotoReport) -> dict[str, Any]:
    """One entry of `photos`."""
    width, height = report.size_wh or (None, None)
    error = report.error
    return {
        "photo": legible(report.name),
        "page": report.page,
        "width": width,
        "height": height,
        "error": error_json(error) if error else None,
        "sheets": [sheet_json(sheet) for sheet in report.sheets],
    }


def sheet_json(found: AnyReading) -> dict[str, Any]:
    """One entry of `sheets`, by its kind."""
    if isinstance(found, KingdomReading):
        return kingdom_json(found)
    if isinstance(found, SpellbookReading):
        return spellbook_json(found)
    return _map_json(found)


def _map_json(sheet: SheetReading) -> dict[str, Any]:
    reading, score = sheet.reading, sheet.score
    others = {(d.cell.row, d.cell.col): d.alternatives for d in doubts(sheet)}
    return {
        "kind": sheet.kind,
        "layout": sheet.layout,
        "sheet_id": sheet.sheet_id,
        "outline": [point_json(p) for p in sheet.rectified.outline_xy],
        "castle_bonus_used": reading.castle_used,
        "cells": [_cell_json(sheet, c, others.get((c.row, c.col), ())) for c in reading.cells],
        "domains": domains_json(score),
        "score": score_json(score),
        "chosen_coat": sheet.wizard_coat.value if sheet.wizard_coat else None,
        "range": None if sheet.hidden else list(sheet.total_range),
        "photograph_again": bool(sheet.hidden),
        **_wizard_json(sheet),
        "problems": problems_json(sheet.problems),
        "confidence": probability_json(sheet.confidence),
        "review": sheet.review,
    }


def _wizard_json(sheet: SheetReading) -> dict[str, Any]:
    """What the wizard may pay, where that is not sure."""
    low, high = sheet.wizard_range
    return {"wizard_range": [low, high]} if low < high else {}


def _cell_json(
    sheet: SheetReading, cell: CellReading, others: Sequence[tuple[Marks, float]]
) -> dict[str, Any]:
    return {
        "row": cell.row,
        "col": cell.col,
        "coat": cell.coat.value if cell.coat else None,
        "crosses": cell.crosses,
        **judged_json(
            sheet.rectified.centers_xy[cell.row, cell.col],
            cell.confidence,
            cell.review,
            _marks_json(cell.seen) if cell.seen else None,
            ((_marks_json(marks), p) for marks, p in others),
        ),
    }


def _marks_json(marks: Marks) -> dict[str, Any]:
    coat, crosses = marks
    return {"coat": coat.value if coat else None, "crosses": crosses}


def _book_of(photos: Sequence[dict[str, Any]], beside: Set[int]) -> list[int] | None:
    """[photo, sheet] of the game's spellbook: one beside its maps, else the only one there is.

    beside: the photos that show the maps. Of several photos of it the surest counts; where two
    lie in one photo nobody can tell whose is whose, and it is None.
    """
    books: dict[int, list[int]] = {}
    for n, photo in enumerate(photos):
        here = [k for k, one in enumerate(photo["sheets"]) if one["kind"] == "duel_spellbook"]
        if here:
            books[n] = here
    near = {n: here for n, here in books.items() if n in beside} or books
    if not near or any(len(here) > 1 for here in near.values()):
        return None
    n = max(near, key=lambda n: photos[n]["sheets"][near[n][0]]["confidence"])
    return [n, near[n][0]]


def game_json(
    photos: Sequence[dict[str, Any]], fused: Sequence[dict[str, Any]] = ()
) -> dict[str, Any] | None:
    """Who won, when there are two maps in all and both lie in one photo: one game.

    A sheet that several photos show is one map, and counts as read from all of them.
    """
    found = []
    pictured = []
    together = {(n, k): one for one in fused for n, k in one["sheets"]}
    for n, photo in enumerate(photos):
        for k, sheet in enumerate(photo["sheets"]):
            if sheet["kind"] != "duel_map":
                continue
            one = together.get((n, k), {"sheets": [[n, k]], "best": [n, k], "sheet": sheet})
            if one["sheets"][0] == [n, k]:
                found.append((one["best"], one["sheet"]))
                pictured.append({photo for photo, _ in one["sheets"]})
    if len(found) != 2 or not pictured[0] & pictured[1]:
        return None
    totals = [sheet["score"]["total"] for _, sheet in found]
    largest = [max((len(d["cells"]) for d in sheet["domains"]), default=0) for _, sheet in found]
    result = decide(list(zip(totals, largest, strict=True)))
    sure = found[0][1]["confidence"] * found[1][1]["confidence"]
    return {
        "players": [
            {"sheet": where, "total": total, "largest_domain": size}
            for (where, _), total, size in zip(found, totals, largest, strict=True)
        ],
        "winner": result.winner,
        "decided_by": result.decided_by,
        "spellbook": _book_of(photos, pictured[0] | pictured[1]),
        "confidence": probability_json(sure),
        "review": any(sheet["review"] for _, sheet in found),
        "photograph_again": any(sheet.get("photograph_again", False) for _, sheet in found),
    }
