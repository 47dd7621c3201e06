"""A person's corrections of a kingdom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.records import KingdomCorrections, KingdomEvidence
from kdscan.sheets.common.fields import VARIANTS, cell_values


def with_fields(evidence: KingdomEvidence, fields: Mapping[str, Any]) -> KingdomEvidence:
    """The store's fields: `cell:R,C`, `variants`, `confirmed`."""
    squares = {
        cell: (new["terrain"], int(new["crowns"])) for cell, new in cell_values(fields).items()
    }
    corrections = KingdomCorrections(squares, fields.get("confirmed") is True)
    extras = fields.get(VARIANTS)
    variants = evidence.variants.with_extras(**extras) if extras else evidence.variants
    merged = evidence.corrections.merge(corrections)
    return replace(evidence, variants=variants, corrections=merged)
