"""A map's evidence as JSON values, and back."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from kdscan.game.duel.coats import Coat
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem, problems_json
from kdscan.kinds.common.values import place_from, place_json, rounded
from kdscan.records import MapCorrections, MapEvidence, MarkProbs, SheetReading, WizardEvidence
from kdscan.records.results import Json

_PROBS = {field.name: field.name for field in fields(MarkProbs)} | {"calibration": "trust"}
"""Fields of `MarkProbs` → their names in the store."""


def serialize(sheet: SheetReading) -> Json:
    """See `kdscan.kinds`; fields that most sheets lack are left out if empty."""
    found, corrections = sheet.evidence, sheet.evidence.corrections
    kept: Json = {
        "kind": sheet.kind,
        "layout": found.layout,
        "sheet_id": found.sheet_id,
        "place": place_json(found.rectified),
        "probs": {kept: rounded(getattr(found.probs, name)) for name, kept in _PROBS.items()},
        "hidden": [list(cell) for cell in found.clipped],
        "wizard": {
            "coat": _name(found.wizard.coat),
            "confidence": rounded(found.wizard.confidence),
            "coats": [[_name(coat), rounded(p)] for coat, p in found.wizard.coats],
            "review": found.wizard.review,
        },
    }
    if found.wizard.problems:
        kept["wizard"]["problems"] = problems_json(found.wizard.problems)
    if found.mirrored:
        kept["mirrored"] = True
    if found.bilevel:
        kept["bilevel"] = True
    if found.blurred:
        kept["blurred"] = True
    if found.covered:
        kept["covered"] = [[*at, rounded(p)] for at, p in found.covered.items()]
    if found.beside:
        kept["beside"] = list(found.beside)
    if corrections != MapCorrections():
        kept["corrections"] = {
            "cells": [[*at, _name(coat), n] for at, (coat, n) in corrections.cells.items()],
            "castle": corrections.castle,
            "wizard": None if corrections.wizard is None else [_name(corrections.wizard[0])],
            "confirmed": corrections.confirmed,
        }
    return kept


def evidence_from(kept: Json) -> MapEvidence:
    """The inverse of `serialize`; raises KeyError, TypeError or ValueError for other values."""
    probs: Json = {}
    for name, stored in _PROBS.items():  # fields missing in older stores keep their defaults
        if stored in kept["probs"]:
            value = kept["probs"][stored]
            probs[name] = np.array(value, np.float64) if isinstance(value, list) else value
    return MapEvidence(
        rectified=place_from(kept["place"]),
        probs=MarkProbs(**probs),
        layout=kept["layout"],
        sheet_id=kept.get("sheet_id"),
        clipped=tuple(_cell(at) for at in kept.get("hidden", ())),
        mirrored=kept.get("mirrored", False),
        bilevel=kept.get("bilevel", False),
        blurred=kept.get("blurred", False),
        beside=tuple(kept.get("beside", ())),
        covered={(row, col): float(p) for row, col, p in kept.get("covered", ())},
        wizard=_wizard(kept.get("wizard")),
        corrections=_corrections(kept.get("corrections")),
    )


def _wizard(kept: Json | None) -> WizardEvidence:
    if not kept:
        return WizardEvidence()
    coats = tuple((_coat(coat), p) for coat, p in kept.get("coats", ()))
    problems = tuple(
        Problem(one["code"], one["severity"], one["message"], tuple(map(_cell, one["cells"])))
        for one in kept.get("problems", ())
    )
    return WizardEvidence(_coat(kept["coat"]), kept["confidence"], coats, kept["review"], problems)


def _corrections(kept: Json | None) -> MapCorrections:
    if not kept:
        return MapCorrections()
    cells = {(row, col): (_coat(coat), n) for row, col, coat, n in kept["cells"]}
    wizard = None if kept["wizard"] is None else (_coat(kept["wizard"][0]),)
    return MapCorrections(cells, kept["castle"], wizard, kept["confirmed"])


def _name(coat: Coat | None) -> str | None:
    return coat.value if coat else None


def _coat(name: str | None) -> Coat | None:
    return Coat(name) if name else None


def _cell(at: list[int]) -> Cell:
    row, col = at
    return row, col
