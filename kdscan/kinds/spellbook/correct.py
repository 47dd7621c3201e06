"""A spellbook with what a person says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.kinds.spellbook.interpret import interpret
from kdscan.records import SpellbookCorrections, SpellbookReading


def correct(
    book: SpellbookReading, corrections: SpellbookCorrections, risk: float
) -> SpellbookReading:
    """See `kdscan.kinds`. What it says of the maps beside it, `kdscan.pipeline.table` says anew."""
    after = book.evidence.corrections.merge(corrections)
    return interpret(replace(book.evidence, corrections=after))


def correct_fields(
    book: SpellbookReading, fields: Mapping[str, Any], risk: float
) -> SpellbookReading:
    """`correct` by the fields of a store: `line:SIDE,COAT`, `choice:SIDE`, `confirmed`."""
    corrections = SpellbookCorrections(
        lines={_line(f): SpellbookLine(**v) for f, v in fields.items() if f.startswith("line:")},
        choices={
            int(field.removeprefix("choice:")): Coat(coat) if coat else None
            for field, coat in fields.items()
            if field.startswith("choice:")
        },
        confirmed=fields.get("confirmed") is True,
    )
    return correct(book, corrections, risk)


def _line(field: str) -> tuple[int, Coat]:
    player, coat = field.removeprefix("line:").split(",")
    return int(player), Coat(coat)
