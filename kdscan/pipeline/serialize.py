"""A sheet that was read, as plain values and back, so that it can be corrected tomorrow.

What is kept are the probabilities, not the pixels: `kdscan.pipeline.read` makes the board, the
kingdom or the spellbook of them again, in this version of kdscan or a later one. The values
are JSON's own (a few kilobytes a sheet), so they can lie in any store and cross any process
boundary without being trusted to run code.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from kdscan.game.duel.coats import Coat
from kdscan.game.kingdomino.variants import Variants
from kdscan.kinds.kingdom.decode import Sighting, decode_kingdoms
from kdscan.kinds.spellbook.read import interpret_book
from kdscan.marks.decode import DEFAULT_RISK
from kdscan.pipeline.read import hide, interpret
from kdscan.pipeline.table import paid_as
from kdscan.records import (
    AnyReading,
    BookMark,
    KingdomReading,
    MarkProbs,
    RectifiedSheet,
    SheetReading,
    SpellbookReading,
)

DIGITS = 7
"""Significant digits of a kept number: finer than any probability is known."""

Json = dict[str, Any]


def keep(found: AnyReading) -> Json:
    """What `recall` needs of a sheet: where it lies and what was seen, ready for JSON."""
    if isinstance(found, KingdomReading):
        return _keep_kingdom(found)
    if isinstance(found, SpellbookReading):
        return _keep_book(found)
    return _keep_map(found)


def recall(kept: Json, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The sheet again, without its pixels: where there were any stands a single black one.

    Raises KeyError, TypeError or ValueError for what `keep` did not write.
    """
    kind = kept.get("kind", "duel_map")  # there was no other once
    if kind == "kingdom":
        return _recall_kingdom(kept, risk)
    if kind == "duel_spellbook":
        return _recall_book(kept)
    return recall_map(kept, risk=risk)


def _keep_map(sheet: SheetReading) -> Json:
    return {
        "kind": sheet.kind,
        "layout": sheet.layout,
        "sheet_id": sheet.sheet_id,
        "place": _keep_place(sheet.rectified),
        "probs": {field.name: _plain(getattr(sheet.probs, field.name)) for field in _PROBS},
        "hidden": [list(cell) for cell in sheet.hidden],
        "wizard": {
            "coat": sheet.wizard_coat.value if sheet.wizard_coat else None,
            "confidence": _plain(sheet.wizard_confidence),
            "coats": [[c.value if c else None, _plain(p)] for c, p in sheet.wizard_coats],
            "review": sheet.shared_review,
        },
    }


def recall_map(kept: Json, *, risk: float = DEFAULT_RISK) -> SheetReading:
    """`recall` of what is known to be a map."""
    rectified = _recall_place(kept["place"])
    said: Json = {}
    for field in _PROBS:  # one that was not known when the sheet was kept has its default
        if field.name in kept["probs"]:
            value = kept["probs"][field.name]
            said[field.name] = np.array(value, np.float64) if isinstance(value, list) else value
    probs = MarkProbs(**said)
    sheet = interpret(rectified, probs, kept["layout"], risk)
    sheet = replace(sheet, sheet_id=kept.get("sheet_id"))
    if wizard := kept.get("wizard"):  # what a spellbook beside it said
        coat = Coat(wizard["coat"]) if wizard["coat"] else None
        told = replace(
            sheet,
            wizard_coat=coat,
            wizard_confidence=wizard["confidence"],
            wizard_coats=tuple((Coat(c) if c else None, p) for c, p in wizard.get("coats", ())),
            shared_review=wizard["review"],
        )
        sheet = paid_as(sheet, told)
    return hide(sheet, tuple((row, col) for row, col in kept.get("hidden", ())))


def _keep_kingdom(kingdom: KingdomReading) -> Json:
    return {
        "kind": kingdom.kind,
        "place": _keep_place(kingdom.rectified),
        "probs": _plain(kingdom.probs),
        "sheet_id": kingdom.sheet_id,
        "variants": asdict(kingdom.variants),
        "beyond": kingdom.beyond,
    }


def _recall_kingdom(kept: Json, risk: float) -> KingdomReading:
    rules = Variants(**kept["variants"])
    flat, probs = _recall_place(kept["place"]), np.array(kept["probs"], np.float64)
    (kingdom,) = decode_kingdoms([Sighting(flat, probs, rules, kept["beyond"])], risk)
    return replace(kingdom, sheet_id=kept.get("sheet_id"))


def _keep_book(book: SpellbookReading) -> Json:
    return {
        "kind": book.kind,
        "layout": book.layout,
        "sheet_id": book.sheet_id,
        "page": _plain(book.page_xy),
        "marks": [
            [m.key, _plain(list(m.at_xy)), _plain(m.reach_px), m.marked, _plain(m.confidence)]
            + [m.review]
            for m in book.marks
        ],
    }


def _recall_book(kept: Json) -> SpellbookReading:
    marks = tuple(
        BookMark(key, tuple((x, y) for x, y in at), reach, marked, confidence, review)
        for key, at, reach, marked, confidence, review in kept["marks"]
    )
    book = interpret_book(kept["layout"], np.array(kept["page"], np.float64), marks)
    return replace(book, sheet_id=kept.get("sheet_id"))


def _keep_place(place: RectifiedSheet) -> Json:
    return {
        "centers": _plain(place.centers_xy),
        "outline": _plain(place.outline_xy),
        "px_per_cell": _plain(place.px_per_cell),
        "confidence": _plain(place.confidence),
    }


def _recall_place(place: Json) -> RectifiedSheet:
    return RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(place["centers"], np.float64),
        np.array(place["outline"], np.float64),
        place["px_per_cell"],
        place["confidence"],
    )


_PROBS = fields(MarkProbs)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return float(f"{value:.{DIGITS}g}")
