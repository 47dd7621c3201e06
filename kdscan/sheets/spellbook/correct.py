"""A person's corrections of a spellbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.records import SpellbookCorrections, SpellbookEvidence
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import SpellbookLine
from kdscan.sheets.common.fields import ChoiceField, LineField, parse_field
from kdscan.sheets.common.values import coat_from


def with_fields(evidence: SpellbookEvidence, fields: Mapping[str, Any]) -> SpellbookEvidence:
    """The store's fields: `line:SIDE,COAT`, `choice:SIDE`, `confirmed`.

    `kdscan.pipeline.table` then updates the maps beside the book.
    """
    lines: dict[tuple[int, Coat], SpellbookLine] = {}
    choices: dict[int, Coat | None] = {}
    for field, new in fields.items():
        match parse_field(field):
            case LineField(player, coat):
                lines[player, coat] = SpellbookLine(**new)
            case ChoiceField(player):
                choices[player] = coat_from(new)
    corrections = SpellbookCorrections(lines, choices, fields.get("confirmed") is True)
    return replace(evidence, corrections=evidence.corrections.merge(corrections))
