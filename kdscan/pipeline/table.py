"""What lies on one table belongs to one game: two maps and their spellbook.

The spellbook tells whose domains the wizard of the filled coat pays for, and both sides
are held against the maps. Differences become problems; what was read stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kdscan.game.duel.board import Board
from kdscan.game.duel.book_checks import SIDES, book_problems, map_problems, whose_maps
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.marks.decode import board_of
from kdscan.records import AnyReading, Problem, SheetReading, SpellbookReading

_FROM_THE_OTHERS = frozenset(
    {
        "choice_not_won",
        "no_choice",
        "several_choices",
        "both_filled",
        "struck_too_soon",
        "filled_and_struck",
        "not_struck",
        "power_not_won",
        "squares_beyond_map",
        "crosses_beyond_powers",
        "power_without_cross",
        "whose_map",
        "spellbook_unsure",
        "spellbook_alone",
    }
)
"""Codes of the problems that are found here, and found anew when something is corrected."""


def share(found: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The same readings, maps with what the spellbook between them adds.

    risk: accepted probability that a total which asks for no review is wrong.
    May be called again after corrections: what it said before is said anew.
    """
    readings = [_alone(one) for one in found]
    books = [k for k, one in enumerate(readings) if isinstance(one, SpellbookReading)]
    maps = [k for k, one in enumerate(readings) if isinstance(one, SheetReading)]
    for k in books:
        readings[k] = _checked(readings[k], len(books), len(maps))
    if len(books) == 1 and len(maps) == 2:
        for k, reading in zip(maps, _wizards(readings, books[0], maps, risk), strict=True):
            readings[k] = reading
    return tuple(readings)


def _alone(one: AnyReading) -> AnyReading:
    """A reading without what its neighbours said of it before."""
    own = tuple(p for p in one.problems if p.code not in _FROM_THE_OTHERS)
    if isinstance(one, SheetReading):
        score = score_board(_board(one))
        return replace(
            one,
            problems=own,
            score=score,
            wizard_coat=None,
            wizard_confidence=1.0,
            wizard_coats=(),
            shared_review=False,
        )
    return replace(one, problems=own)


def _checked(book: AnyReading, books: int, maps: int) -> AnyReading:
    assert isinstance(book, SpellbookReading)
    problems = list(book_problems(book.book, book.chosen))
    for player, side in enumerate(SIDES):
        where = f"players[{player}].choices."
        if sum(mark.marked for mark in book.marks if mark.key.startswith(where)) > 1:
            why = f"the {side} side marks several coats as chosen; none of them is paid"
            problems.append(Problem("several_choices", "warning", why))
    if books > 1:
        why = "there are several spellbooks in this picture; maps and spellbook are not compared"
        problems.append(Problem("spellbook_alone", "warning", why))
    elif maps not in (0, 2):
        why = f"a game has two maps, but {maps} lie beside this spellbook; they are not compared"
        problems.append(Problem("spellbook_alone", "warning", why))
    review = book.review or any(p.severity == "error" for p in problems)
    return replace(book, problems=(*book.problems, *problems), review=review)


def _wizards(
    readings: Sequence[AnyReading], at: int, maps: Sequence[int], risk: float
) -> tuple[SheetReading, SheetReading]:
    """Both maps with the wizard's points and with what the spellbook says against them."""
    book = readings[at]
    first, second = (readings[k] for k in maps)
    assert isinstance(book, SpellbookReading)
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
        coat = book.book.chosen_by(side)
        confidence = trust
        review = sheet.reading.confidence * trust < 1 - risk or any(
            p.severity == "error" for p in problems
        )
        out.append(
            replace(
                sheet,
                score=score_board(_board(sheet), coat),
                problems=(*sheet.problems, *problems),
                wizard_coat=coat,
                wizard_confidence=confidence,
                wizard_coats=_coats(book, side, sure),
                shared_review=review,
            )
        )
    return out[0], out[1]


def paid_as(sheet: SheetReading, told: SheetReading) -> SheetReading:
    """A sheet read anew, paid by the wizard as a spellbook said of an earlier reading of it."""
    return replace(
        sheet,
        score=score_board(_board(sheet), told.wizard_coat),
        wizard_coat=told.wizard_coat,
        wizard_confidence=told.wizard_confidence,
        wizard_coats=told.wizard_coats,
        shared_review=told.shared_review,
    )


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
    for mark in book.marks:
        if mark.key.startswith(f"players[{owner}].choices."):
            sure *= mark.confidence
    return sure


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
                p = marked.get(f"players[{player}].choices.{other}", 0.0)
                alone *= p if other is coat else 1 - p
            pays[coat] += alone
            pays[None] -= alone
    return tuple(pays.items())


def _marked(book: SpellbookReading) -> dict[str, float]:
    """How probable it is that each place is marked, by its key."""
    return {
        mark.key: mark.confidence if mark.marked else 1 - mark.confidence for mark in book.marks
    }


def _won(marked: Mapping[str, float], player: int) -> float:
    """Probability that a side filled its line of the filled coat, and it is not struck."""
    line = f"players[{player}].lines.{Coat.FILLED}."
    full = 1.0
    for key, p in marked.items():
        if key.startswith(f"{line}squares["):
            full *= p
    return full * (1 - marked.get(f"{line}struck", 0.0))


def _board(sheet: SheetReading) -> Board:
    return board_of({(c.row, c.col): (c.coat, c.crosses) for c in sheet.reading.cells})
