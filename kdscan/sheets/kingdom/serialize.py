"""A kingdom's evidence as JSON values, and back."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from kdscan.records import KingdomCorrections, KingdomEvidence, KingdomReading
from kdscan.records.results import Json
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.common.values import place_from, place_json, present, rounded


def serialize(kingdom: KingdomReading) -> Json:
    """See `kdscan.sheets`."""
    found, corrections = kingdom.evidence, kingdom.evidence.corrections
    squares = [[*at, *kind] for at, kind in corrections.squares.items()]
    corrected = {"squares": squares, "confirmed": corrections.confirmed}
    return {
        "kind": kingdom.kind,
        "place": place_json(found.rectified),
        "probs": rounded(found.probs),
        "sheet_id": found.sheet_id,
        "variants": asdict(found.variants),
        "beyond": found.beyond,
        **present(
            cut=list(found.cut),
            beside=list(found.beside),
            touching=found.touching,
            covered=[[*at, rounded(far)] for at, far in found.covered.items()],
            corrections=corrections != KingdomCorrections() and corrected,
        ),
    }


def evidence_from(kept: Json) -> KingdomEvidence:
    """The inverse of `serialize`."""
    corrections = KingdomCorrections()
    if stored := kept.get("corrections"):
        squares = {(row, col): (terrain, crowns) for row, col, terrain, crowns in stored["squares"]}
        corrections = KingdomCorrections(squares, stored["confirmed"])
    return KingdomEvidence(
        rectified=place_from(kept["place"]),
        probs=np.array(kept["probs"], np.float64),
        variants=Variants(**kept["variants"]),
        beyond=kept["beyond"],
        sheet_id=kept.get("sheet_id"),
        corrections=corrections,
        cut=tuple(kept.get("cut", ())),
        beside=tuple(kept.get("beside", ())),
        touching=kept.get("touching", False),
        covered={(row, col): float(far) for row, col, far in kept.get("covered", ())},
    )
