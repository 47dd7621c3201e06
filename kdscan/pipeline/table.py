"""What the sheets of one photo imply for each other.

Kingdoms share one box of dominoes. Two maps and their spellbook belong to one game: the spellbook
determines whose domains the wizard of the filled coat pays for, and both of its sides are compared
with the maps. Contradictions become problems; they do not change what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kdscan.records import MapReading, WizardEvidence
from kdscan.sheets.duel_map.interpret import interpret as interpret_map

if TYPE_CHECKING:
    from kdscan.records import AnyReading


def interpret_table(found: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The sheets of one photo after some were corrected, each with what the others imply for it.

    risk: as for `apply_spellbook`.
    """
    kingdoms = {k: one for k, one in enumerate(found) if one.kind == "kingdom"}
    if len(kingdoms) < 2:
        return apply_spellbook(found, risk)
    from kdscan.sheets.kingdom.interpret import decode_kingdoms

    again = decode_kingdoms([one.evidence for one in kingdoms.values()], risk)
    decoded = dict(zip(kingdoms, again, strict=True))
    return apply_spellbook([decoded.get(k, one) for k, one in enumerate(found)], risk)


def apply_spellbook(found: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The readings, with the evidence of the spellbook added to the maps.

    risk: accepted probability that a total which is not marked for review is wrong.
    Idempotent: called again after corrections, it replaces a spellbook's earlier evidence.
    """
    readings = list(found)
    maps = [k for k, one in enumerate(found) if isinstance(one, MapReading)]
    for k in maps:
        readings[k] = _with_wizard(readings[k], WizardEvidence(), risk)
    books = {k: one for k, one in enumerate(found) if one.kind == "duel_spellbook"}
    if not books:
        return tuple(readings)
    from kdscan.pipeline.wizard import wizards
    from kdscan.sheets.spellbook.interpret import interpret as interpret_book

    for k, book in books.items():
        table = len(books), len(maps)
        readings[k] = books[k] = interpret_book(replace(book.evidence, table=table))
    if len(books) == 1 and len(maps) == 2:
        (book,) = books.values()
        first, second = (readings[k] for k in maps)
        assert isinstance(first, MapReading) and isinstance(second, MapReading)
        for k, wizard in zip(maps, wizards(book, first, second, risk), strict=True):
            readings[k] = _with_wizard(readings[k], wizard, risk)
    return tuple(readings)


def _with_wizard(sheet: AnyReading, wizard: WizardEvidence, risk: float) -> MapReading:
    """A map interpreted with a spellbook's evidence."""
    assert isinstance(sheet, MapReading)
    if sheet.evidence.wizard == wizard:
        return sheet
    return interpret_map(replace(sheet.evidence, wizard=wizard), risk)
