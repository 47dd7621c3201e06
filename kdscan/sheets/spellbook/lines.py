"""A spellbook's lines: the marks of each, what they may mean, and corrections.

A person corrects whole lines (number of filled squares, struck, power used) and the coat that a
side chose; the single marks are derived from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from kdscan.records import BookMark, SpellbookCorrections
from kdscan.rules.duel.book_place import BookPlace
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import SpellbookLine

T = TypeVar("T")

MAX_FLIPPED = 5
"""Number of least confident marks that are flipped, in all combinations, for alternatives."""


def marks_of_line(marks: Iterable[BookMark], player: int, coat: Coat) -> tuple[BookMark, ...]:
    """The marks of one side's line, in the order of the layout."""
    of = (player, coat)
    return tuple(
        m for m in marks if m.place.part != "choice" and (m.place.player, m.place.coat) == of
    )


def squares_of_line(marks: Iterable[BookMark], player: int, coat: Coat) -> tuple[BookMark, ...]:
    """The squares of one side's line, from its first."""
    return tuple(m for m in marks_of_line(marks, player, coat) if m.place.part == "square")


def marks_of_choice(marks: Iterable[BookMark], player: int) -> tuple[BookMark, ...]:
    """The boxes in which one side names its coat."""
    return tuple(m for m in marks if m.place.part == "choice" and m.place.player == player)


def line_of(marks: Iterable[BookMark]) -> SpellbookLine:
    """The state of a line from its marks."""
    marked = [mark.place.part for mark in marks if mark.marked]
    return SpellbookLine(marked.count("square"), "struck" in marked, "used" in marked)


def choice_of(marks: Iterable[BookMark]) -> Coat | None:
    """The one coat that a side names; None when it names none, or several."""
    named = [mark.place.coat for mark in marks if mark.marked]
    return named[0] if len(named) == 1 else None


def options(
    marks: Sequence[BookMark], state: Callable[[Iterable[BookMark]], T]
) -> list[tuple[T, float]]:
    """What marks may mean, with probabilities, the most probable first; state: what given marks
    mean, `line_of` or `choice_of`."""
    shares: dict[T, float] = {}
    for flipped, p in _flipped(marks):
        found = state(flipped)
        shares[found] = shares.get(found, 0.0) + p
    return sorted(shares.items(), key=lambda share: -share[1])


def _flipped(marks: Sequence[BookMark]) -> Iterable[tuple[tuple[BookMark, ...], float]]:
    """All combinations of the least confident marks flipped or not, with probabilities."""
    doubtful = sorted(marks, key=lambda mark: mark.confidence)[:MAX_FLIPPED]
    for flips in product((False, True), repeat=len(doubtful)):
        p = 1.0
        other = dict[BookPlace, bool]()
        for mark, flip in zip(doubtful, flips, strict=True):
            p *= 1 - mark.confidence if flip else mark.confidence
            other[mark.place] = mark.marked != flip
        yield tuple(replace(m, marked=other.get(m.place, m.marked)) for m in marks), p


def with_corrections(
    marks: Sequence[BookMark], corrections: SpellbookCorrections
) -> tuple[BookMark, ...]:
    """The marks with corrections of lines and choices; corrected marks are certain."""
    marked_as: dict[BookPlace, bool] = {}
    for (player, coat), line in corrections.lines.items():
        squares = squares_of_line(marks, player, coat)
        as_seen = sum(mark.marked for mark in squares) == line.filled
        for k, mark in enumerate(squares):
            marked_as[mark.place] = mark.marked if as_seen else k < line.filled
        marked_as[BookPlace(player, coat, "struck")] = line.struck
        marked_as[BookPlace(player, coat, "used")] = line.used
    for player, chosen in corrections.choices.items():
        for mark in marks_of_choice(marks, player):
            marked_as[mark.place] = mark.place.coat == chosen
    return tuple(
        replace(mark, marked=marked_as[mark.place], confidence=1.0, review=False)
        if mark.place in marked_as
        else mark
        for mark in marks
    )
