"""A kingdom with what a person says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.game.grid import Cell
from kdscan.game.kingdomino.variants import Variants
from kdscan.kinds.common.fields import VARIANTS, cell_of
from kdscan.kinds.kingdom.decode import decode_kingdoms
from kdscan.marks.decode import DEFAULT_RISK
from kdscan.records import KingdomCorrections, KingdomReading, SquareKind


def correct_kingdom(
    kingdom: KingdomReading,
    corrections: Mapping[Cell, SquareKind],
    *,
    variants: Variants | None = None,
    risk: float = DEFAULT_RISK,
) -> KingdomReading:
    """The kingdom with squares as a person says they are; the rest follows.

    variants: other extra rules to score it by, of the same size. What the pixels had said
    stays visible in `SquareReading.seen`.
    """
    before = kingdom.evidence.corrections
    after = replace(before, squares={**before.squares, **corrections})
    rules = variants or kingdom.variants
    (again,) = decode_kingdoms([replace(kingdom.evidence, variants=rules, corrections=after)], risk)
    return again


def correct_fields(
    kingdom: KingdomReading, fields: Mapping[str, Any], risk: float
) -> KingdomReading:
    """`correct_kingdom` by the fields of a store: `cell:R,C`, `variants`, `confirmed`."""
    squares = {
        cell_of(field): (new["terrain"], int(new["crowns"]))
        for field, new in fields.items()
        if field.startswith("cell:")
    }
    after = KingdomCorrections(squares, fields.get("confirmed") is True)
    given, rules = fields.get(VARIANTS), kingdom.variants
    rules = rules if given is None else rules.with_extras(**given)
    (again,) = decode_kingdoms([replace(kingdom.evidence, variants=rules, corrections=after)], risk)
    return again
