"""A spellbook's evidence as JSON values, and back."""

from __future__ import annotations

import numpy as np

from kdscan.records import BookMark, SpellbookCorrections, SpellbookEvidence, SpellbookReading
from kdscan.records.results import Json
from kdscan.rules.duel.book_place import BookPlace
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import SpellbookLine
from kdscan.sheets.common.values import coat_from, coat_json, present, rounded


def serialize(book: SpellbookReading) -> Json:
    """See `kdscan.sheets`."""
    found, corrections = book.evidence, book.evidence.corrections
    corrected = {
        "lines": [
            [player, coat.value, line.filled, line.struck, line.used]
            for (player, coat), line in corrections.lines.items()
        ],
        "choices": [[side, coat_json(coat)] for side, coat in corrections.choices.items()],
        "confirmed": corrections.confirmed,
    }
    return {
        "kind": book.kind,
        "layout": found.layout,
        "sheet_id": found.sheet_id,
        "page": rounded(found.page_xy),
        "marks": [
            [
                str(m.place),
                *rounded([m.at_xy, m.reach_px]),
                m.marked,
                rounded(m.confidence),
                m.review,
            ]
            for m in found.marks
        ],
        **present(
            table=found.table and list(found.table),
            beside=list(found.beside),
            corrections=corrections != SpellbookCorrections() and corrected,
        ),
    }


def evidence_from(kept: Json) -> SpellbookEvidence:
    """The inverse of `serialize`."""
    marks = tuple(
        BookMark(
            BookPlace.parse(place), tuple((x, y) for x, y in at), reach, marked, confidence, review
        )
        for place, at, reach, marked, confidence, review in kept["marks"]
    )
    corrections = SpellbookCorrections()
    if stored := kept.get("corrections"):
        corrections = SpellbookCorrections(
            {(side, Coat(c)): SpellbookLine(*line) for side, c, *line in stored["lines"]},
            {side: coat_from(c) for side, c in stored["choices"]},
            stored["confirmed"],
        )
    table = tuple(kept["table"]) if "table" in kept else None
    return SpellbookEvidence(
        kept["layout"],
        np.array(kept["page"], np.float64),
        marks,
        kept.get("sheet_id"),
        table,
        tuple(kept.get("beside", ())),
        corrections,
    )
