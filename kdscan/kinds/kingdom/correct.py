"""A kingdom with a person's corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.kinds.common.fields import VARIANTS, cell_values
from kdscan.kinds.kingdom.decode import decode_kingdoms
from kdscan.records import KingdomCorrections, KingdomReading


def correct(
    kingdom: KingdomReading, corrections: KingdomCorrections, risk: float
) -> KingdomReading:
    """See `kdscan.kinds`. The pixels' own result stays visible in `SquareReading.seen`."""
    after = kingdom.evidence.corrections.merge(corrections)
    (again,) = decode_kingdoms([replace(kingdom.evidence, corrections=after)], risk)
    return again


def correct_fields(
    kingdom: KingdomReading, fields: Mapping[str, Any], risk: float
) -> KingdomReading:
    """`correct` by the store's fields: `cell:R,C`, `variants`, `confirmed`."""
    squares = {
        cell: (new["terrain"], int(new["crowns"])) for cell, new in cell_values(fields).items()
    }
    if extras := fields.get(VARIANTS):
        rules = kingdom.variants.with_extras(**extras)
        kingdom = replace(kingdom, evidence=replace(kingdom.evidence, variants=rules))
    return correct(kingdom, KingdomCorrections(squares, fields.get("confirmed") is True), risk)
