"""Evidence of a spellbook → reading. No pixels are needed from here on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kdscan.detection.locate import map_cut_off
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules import Problem
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.spellbook import SIDES, Spellbook, book_problems
from kdscan.sheets.spellbook.model import (
    BookMark,
    SpellbookEvidence,
    SpellbookReading,
    choice_of,
    line_of,
    marks_at,
    with_corrections,
)


def interpret(evidence: SpellbookEvidence, risk: float = DEFAULT_RISK) -> SpellbookReading:
    """Apply corrections and rules: lines, chosen coats, confidence, problems.

    risk: without effect, as marks for review are evidence.
    """
    corrections = evidence.corrections
    marks = with_corrections(evidence.marks, corrections)
    if corrections.confirmed:
        marks = tuple(mark._replace(review=False) for mark in marks)
    lines = [{coat: line_of(marks_at(marks, i, coat)) for coat in Coat} for i in (0, 1)]
    first, second = (choice_of(marks_at(marks, i)) for i in (0, 1))
    book = Spellbook((lines[0], lines[1]))
    chosen = second if book.owner(Coat.FILLED) == 1 else first
    book = Spellbook(book.lines, chosen)
    confidence = float(np.prod([mark.confidence for mark in marks]))
    problems = tuple(_problems(evidence, marks, book, (first, second)))
    # Doubts are judged mark by mark: the tiny doubts of many blank squares would otherwise add up
    # to a review of every book.
    doubtful = any(mark.review for mark in marks) or any(p.severity == "error" for p in problems)
    review = doubtful and not corrections.confirmed
    return SpellbookReading(evidence, confidence, review, problems, marks, book, (first, second))


def _problems(
    evidence: SpellbookEvidence,
    marks: tuple[BookMark, ...],
    book: Spellbook,
    chosen: tuple[Coat | None, Coat | None],
) -> Iterator[Problem]:
    """What the picture cuts off beside the book; contradictions once the rest of the table is
    known."""
    yield from map_cut_off(evidence.beside)
    if evidence.table is None:
        return
    yield from book_problems(book, chosen)
    for player, side in enumerate(SIDES):
        if sum(mark.marked for mark in marks_at(marks, player)) > 1:
            why = f"the {side} side marks several coats as chosen; none of them is paid"
            yield Problem("several_choices", "warning", why)
    books, maps = evidence.table
    if books > 1:
        why = "there are several spellbooks in this picture; maps and spellbook are not compared"
        yield Problem("spellbook_alone", "warning", why)
    elif maps not in (0, 2):
        why = f"a game has two maps, but {maps} lie beside this spellbook; they are not compared"
        yield Problem("spellbook_alone", "warning", why)
