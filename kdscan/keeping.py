"""A sheet that was read, as plain values and back, so that it can be corrected tomorrow.

What is kept are the probabilities, not the pixels: `kdscan.pipeline.interpret` makes the
board of them again, in this version of kdscan or a later one. The values are JSON's own
(a few kilobytes a sheet), so they can lie in any store and cross any process boundary
without being trusted to run code.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from kdscan.game.duel.coats import Coat
from kdscan.pipeline import hidden_cells, hide, interpret
from kdscan.records import MarkProbs, RectifiedSheet, SheetReading
from kdscan.table import paid_as
from kdscan.vision.decode import DEFAULT_RISK

DIGITS = 7
"""Significant digits of a kept number: finer than any probability is known."""


def keep(sheet: SheetReading) -> dict[str, Any]:
    """What `recall` needs of a sheet: where it lies and what was seen, ready for JSON."""
    place = sheet.rectified
    return {
        "layout": sheet.layout,
        "sheet_id": sheet.sheet_id,
        "place": {
            "centers": _plain(place.centers_xy),
            "outline": _plain(place.outline_xy),
            "px_per_cell": _plain(place.px_per_cell),
            "confidence": _plain(place.confidence),
        },
        "probs": {field.name: _plain(getattr(sheet.probs, field.name)) for field in _PROBS},
        "hidden": [list(cell) for cell in hidden_cells(sheet)],
        "wizard": {
            "coat": sheet.wizard_coat.value if sheet.wizard_coat else None,
            "confidence": _plain(sheet.wizard_confidence),
            "review": sheet.shared_review,
        },
    }


def recall(kept: dict[str, Any], *, risk: float = DEFAULT_RISK) -> SheetReading:
    """The sheet again, without its pixels: `rectified.bgr` is a single black one.

    Raises KeyError, TypeError or ValueError for what `keep` did not write.
    """
    place = kept["place"]
    rectified = RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(place["centers"], np.float64),
        np.array(place["outline"], np.float64),
        place["px_per_cell"],
        place["confidence"],
    )
    said: dict[str, Any] = {}
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
            shared_review=wizard["review"],
        )
        sheet = paid_as(sheet, told)
    return hide(sheet, tuple((row, col) for row, col in kept.get("hidden", ())))


_PROBS = fields(MarkProbs)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value.tolist()]
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return float(f"{value:.{DIGITS}g}")
