"""A map's evidence as JSON values, and back."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from kdscan.records import MapCorrections, MapEvidence, MapReading, MarkProbs, WizardEvidence
from kdscan.records.results import Json
from kdscan.rules.problem import problem_from, problems_json
from kdscan.sheets.common.values import (
    coat_from,
    coat_json,
    place_from,
    place_json,
    present,
    rounded,
)

_PROBS = {field.name: field.name for field in fields(MarkProbs)} | {"calibration": "trust"}
"""Fields of `MarkProbs` → their names in the store."""


def serialize(sheet: MapReading) -> Json:
    """See `kdscan.sheets`."""
    found, corrections = sheet.evidence, sheet.evidence.corrections
    corrected = {
        "cells": [[*at, coat_json(coat), n] for at, (coat, n) in corrections.cells.items()],
        "castle": corrections.castle,
        "wizard": None if corrections.wizard is None else [coat_json(corrections.wizard[0])],
        "confirmed": corrections.confirmed,
    }
    return {
        "kind": sheet.kind,
        "layout": found.layout,
        "sheet_id": found.sheet_id,
        "place": place_json(found.rectified),
        "probs": {kept: rounded(getattr(found.probs, name)) for name, kept in _PROBS.items()},
        "hidden": [list(cell) for cell in found.clipped],
        "wizard": {
            "coat": coat_json(found.wizard.coat),
            "confidence": rounded(found.wizard.confidence),
            "coats": [[coat_json(coat), rounded(p)] for coat, p in found.wizard.coats],
            "review": found.wizard.review,
            **present(problems=problems_json(found.wizard.problems)),
        },
        **present(
            mirrored=found.mirrored,
            bilevel=found.bilevel,
            blurred=found.blurred,
            covered=[[*at, rounded(p)] for at, p in found.covered.items()],
            beside=list(found.beside),
            corrections=corrections != MapCorrections() and corrected,
        ),
    }


def evidence_from(kept: Json) -> MapEvidence:
    """The inverse of `serialize`."""
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
        clipped=tuple((row, col) for row, col in kept.get("hidden", ())),
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
    coats = tuple((coat_from(name), p) for name, p in kept.get("coats", ()))
    problems = tuple(map(problem_from, kept.get("problems", ())))
    return WizardEvidence(
        coat_from(kept["coat"]), kept["confidence"], coats, kept["review"], problems
    )


def _corrections(kept: Json | None) -> MapCorrections:
    if not kept:
        return MapCorrections()
    cells = {(row, col): (coat_from(coat), n) for row, col, coat, n in kept["cells"]}
    wizard = None if kept["wizard"] is None else (coat_from(kept["wizard"][0]),)
    return MapCorrections(cells, kept["castle"], wizard, kept["confirmed"])
