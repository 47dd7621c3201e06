"""A spellbook with a person's corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.kinds.common.fields import ChoiceField, LineField, parse_field
from kdscan.kinds.spellbook.interpret import interpret
from kdscan.records import SpellbookCorrections, SpellbookReading


def correct(
    book: SpellbookReading, corrections: SpellbookCorrections, risk: float
) -> SpellbookReading:
    """See `kdscan.kinds`. `kdscan.pipeline.table` then updates the maps beside it."""
    after = book.evidence.corrections.merge(corrections)
    return interpret(replace(book.evidence, corrections=after))


def correct_fields(
    book: SpellbookReading, fields: Mapping[str, Any], risk: float
) -> SpellbookReading:
    """`correct` by the store's fields: `line:SIDE,COAT`, `choice:SIDE`, `confirmed`."""
    lines: dict[tuple[int, Coat], SpellbookLine] = {}
    choices: dict[int, Coat | None] = {}
    for field, new in fields.items():
        match parse_field(field):
            case LineField(player, coat):
                lines[player, coat] = SpellbookLine(**new)
            case ChoiceField(player):
                choices[player] = Coat(new) if new else None
    confirmed = fields.get("confirmed") is True
    return correct(book, SpellbookCorrections(lines, choices, confirmed), risk)
