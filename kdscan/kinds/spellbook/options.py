"""What a spellbook's lines may be, beside what was read, and what a person says they are.

A person speaks of a line as a whole (squares filled, struck, power used) and of the coat
that a side chose; the marks follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from kdscan.game.duel.book_place import BookPlace
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.records import BookMark

MOST_TURNED = 5
"""So many of the least sure marks are taken the other way round, in all combinations."""


def marks_of_line(marks: Iterable[BookMark], player: int, coat: Coat) -> tuple[BookMark, ...]:
    """The marks of one side's line, in the order of the layout."""
    of = (player, coat)
    return tuple(
        m for m in marks if m.place.part != "choice" and (m.place.player, m.place.coat) == of
    )


def marks_of_choice(marks: Iterable[BookMark], player: int) -> tuple[BookMark, ...]:
    """The boxes in which one side names its coat."""
    return tuple(m for m in marks if m.place.part == "choice" and m.place.player == player)


def line_of(marks: Iterable[BookMark]) -> SpellbookLine:
    """What the marks of one line say."""
    marked = [mark.place.part for mark in marks if mark.marked]
    return SpellbookLine(marked.count("square"), "struck" in marked, "used" in marked)


def choice_of(marks: Iterable[BookMark]) -> Coat | None:
    """The one coat that a side names; None when it names none, or several."""
    named = [mark.place.coat for mark in marks if mark.marked]
    return named[0] if len(named) == 1 else None


def line_options(marks: Sequence[BookMark]) -> list[tuple[SpellbookLine, float]]:
    """What a line may be, with probabilities, the most probable first."""
    shares: dict[SpellbookLine, float] = {}
    for turned, p in _turned(marks):
        line = line_of(turned)
        shares[line] = shares.get(line, 0.0) + p
    return sorted(shares.items(), key=lambda share: -share[1])


def choice_options(marks: Sequence[BookMark]) -> list[tuple[Coat | None, float]]:
    """Which coat a side may have chosen, with probabilities, the most probable first."""
    shares: dict[Coat | None, float] = {}
    for turned, p in _turned(marks):
        coat = choice_of(turned)
        shares[coat] = shares.get(coat, 0.0) + p
    return sorted(shares.items(), key=lambda share: -share[1])


def _turned(marks: Sequence[BookMark]) -> Iterable[tuple[tuple[BookMark, ...], float]]:
    """The marks with the least sure ones in all combinations, and how probable each is."""
    doubtful = sorted(marks, key=lambda mark: mark.confidence)[:MOST_TURNED]
    for turns in product((False, True), repeat=len(doubtful)):
        p = 1.0
        other = dict[BookPlace, bool]()
        for mark, turn in zip(doubtful, turns, strict=True):
            p *= 1 - mark.confidence if turn else mark.confidence
            other[mark.place] = mark.marked != turn
        yield tuple(replace(m, marked=other.get(m.place, m.marked)) for m in marks), p


def with_corrections(
    marks: Sequence[BookMark],
    lines: Mapping[tuple[int, Coat], SpellbookLine],
    choices: Mapping[int, Coat | None],
) -> tuple[BookMark, ...]:
    """The marks as a person says they are, by lines and by sides; those are certain."""
    marked_as: dict[BookPlace, bool] = {}
    for (player, coat), line in lines.items():
        of_line = marks_of_line(marks, player, coat)
        squares = [mark for mark in of_line if mark.place.part == "square"]
        as_seen = sum(mark.marked for mark in squares) == line.filled
        for k, mark in enumerate(squares):
            marked_as[mark.place] = mark.marked if as_seen else k < line.filled
        marked_as[BookPlace(player, coat, "struck")] = line.struck
        marked_as[BookPlace(player, coat, "used")] = line.used
    for player, chosen in choices.items():
        for mark in marks_of_choice(marks, player):
            marked_as[mark.place] = mark.place.coat is chosen
    return tuple(
        replace(mark, marked=marked_as[mark.place], confidence=1.0, review=False)
        if mark.place in marked_as
        else mark
        for mark in marks
    )
