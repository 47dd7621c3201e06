"""What lies on one table belongs to one game: two maps and their spellbook.

The spellbook tells whose domains the wizard of the filled coat pays for, and both sides
are held against the maps. Differences become problems; what was read stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kdscan.game.duel.board import Board
from kdscan.game.duel.book_checks import SIDES, map_problems, whose_maps
from kdscan.game.duel.book_place import BookPlace
from kdscan.game.duel.coats import Coat
from kdscan.game.problem import Problem
from kdscan.kinds.duel_map.interpret import interpret as interpret_map
from kdscan.kinds.spellbook.interpret import interpret as interpret_book
from kdscan.kinds.spellbook.options import marks_of_choice
from kdscan.marks.decode import board_of
from kdscan.records import AnyReading, SheetReading, SpellbookReading, WizardEvidence


def apply_spellbook(found: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The same readings, maps with what the spellbook between them adds.

    risk: accepted probability that a total which asks for no review is wrong.
    May be called again after corrections: what a spellbook said before is said anew.
    """
    readings = list(found)
    maps = [k for k, one in enumerate(found) if isinstance(one, SheetReading)]
    books = [one for one in found if isinstance(one, SpellbookReading)]
    for k, one in enumerate(found):
        if isinstance(one, SpellbookReading):
            table = len(books), len(maps)
            readings[k] = interpret_book(replace(one.evidence, table=table))
    for k in maps:
        readings[k] = _told(readings[k], WizardEvidence(), risk)
    if len(books) == 1 and len(maps) == 2:
        (book,) = (one for one in readings if isinstance(one, SpellbookReading))
        first, second = (readings[k] for k in maps)
        for k, wizard in zip(maps, _wizards(book, first, second, risk), strict=True):
            readings[k] = _told(readings[k], wizard, risk)
    return tuple(readings)


def _told(sheet: AnyReading, wizard: WizardEvidence, risk: float) -> SheetReading:
    """A map with what a spellbook says of it."""
    assert isinstance(sheet, SheetReading)
    if sheet.evidence.wizard == wizard:
        return sheet
    return interpret_map(replace(sheet.evidence, wizard=wizard), risk)


def _wizards(
    book: SpellbookReading, first: AnyReading, second: AnyReading, risk: float
) -> tuple[WizardEvidence, WizardEvidence]:
    """What the spellbook says of both maps: the wizard's points, and what does not fit."""
    assert isinstance(first, SheetReading) and isinstance(second, SheetReading)
    sides, sure = whose_maps(book.book, (_board(first), _board(second)))
    paid = _paid(book)
    # Where nobody is paid, it does not matter for the totals who sat where.
    trust = _trust(book) * (sure if paid else 1.0)
    out = []
    for sheet, side in zip((first, second), sides, strict=True):
        problems = list(map_problems(book.book, side, _board(sheet), sheet.reading.castle_used))
        if paid and sure < 1 - risk:
            why = (
                f"whose side of the spellbook is whose is not certain ({sure:.0%}); this map is"
                f" taken for the {SIDES[side]} player's"
            )
            problems.append(Problem("whose_map", "warning", why))
        if _trust(book) < 1 - risk:
            why = "the wizard's points rest on lines of the spellbook that are hard to read"
            problems.append(Problem("spellbook_unsure", "warning", why))
        review = sheet.reading.confidence * trust < 1 - risk or any(
            p.severity == "error" for p in problems
        )
        coats = _coats(book, side, sure)
        out.append(WizardEvidence(book.book.chosen_by(side), trust, coats, review, tuple(problems)))
    return out[0], out[1]


def _paid(book: SpellbookReading) -> Coat | None:
    owner = book.book.owner(Coat.FILLED)
    return None if owner is None else book.book.chosen_by(owner)


def _trust(book: SpellbookReading) -> float:
    """Probability that what the totals need of the spellbook was read right.

    That is who won the wizard of the filled coat, if anybody, and the coat that its owner
    chose; places are taken to be wrong independently of each other.
    """
    marked = _marked(book)
    won = [_won(marked, player) for player in (0, 1)]
    owner = book.book.owner(Coat.FILLED)
    if owner is None:
        return (1 - won[0]) * (1 - won[1])
    sure = won[owner] * (1 - won[1 - owner])
    return sure * math.prod(mark.confidence for mark in marks_of_choice(book.marks, owner))


def _coats(book: SpellbookReading, side: int, sure: float) -> tuple[tuple[Coat | None, float], ...]:
    """For which coat a side's wizard pays, None for none, with probabilities.

    sure: that the side is this one, and not the other.
    """
    marked, pays = _marked(book), dict.fromkeys((None, *Coat), 0.0)
    for player, share in ((side, sure), (1 - side, 1 - sure)):
        won = share * _won(marked, player) * (1 - _won(marked, 1 - player))
        pays[None] += share
        for coat in Coat:
            alone = won
            for other in Coat:
                p = marked.get(BookPlace(player, other, "choice"), 0.0)
                alone *= p if other is coat else 1 - p
            pays[coat] += alone
            pays[None] -= alone
    return tuple(pays.items())


def _marked(book: SpellbookReading) -> dict[BookPlace, float]:
    """How probable it is that each place is marked."""
    return {
        mark.place: mark.confidence if mark.marked else 1 - mark.confidence for mark in book.marks
    }


def _won(marked: Mapping[BookPlace, float], player: int) -> float:
    """Probability that a side filled its line of the filled coat, and it is not struck."""
    full = math.prod(
        p
        for place, p in marked.items()
        if (place.player, place.coat, place.part) == (player, Coat.FILLED, "square")
    )
    return full * (1 - marked.get(BookPlace(player, Coat.FILLED, "struck"), 0.0))


def _board(sheet: SheetReading) -> Board:
    return board_of({(c.row, c.col): (c.coat, c.crosses) for c in sheet.reading.cells})
