"""What a spellbook's lines may be, beside what was read, and what a person says they are.

A person speaks of a line as a whole (squares filled, struck, power used) and of the coat
that a side chose; the marks follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.records import BookMark

MOST_TURNED = 5
"""So many of the least sure marks are taken the other way round, in all combinations."""


def marks_of_line(marks: Iterable[BookMark], player: int, coat: Coat) -> tuple[BookMark, ...]:
    """The marks of one side's line, in the order of the layout."""
    start = f"players[{player}].lines.{coat}."
    return tuple(mark for mark in marks if mark.key.startswith(start))


def marks_of_choice(marks: Iterable[BookMark], player: int) -> tuple[BookMark, ...]:
    """The boxes in which one side names its coat."""
    start = f"players[{player}].choices."
    return tuple(mark for mark in marks if mark.key.startswith(start))


def line_of(marks: Iterable[BookMark]) -> SpellbookLine:
    """What the marks of one line say."""
    marked_as = [mark.key.rpartition(".")[2] for mark in marks if mark.marked]
    filled = sum(what.startswith("squares[") for what in marked_as)
    return SpellbookLine(filled, "struck" in marked_as, "used" in marked_as)


def choice_of(marks: Iterable[BookMark]) -> Coat | None:
    """The one coat that a side names; None when it names none, or several."""
    named = [Coat(mark.key.rpartition(".")[2]) for mark in marks if mark.marked]
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
        other = dict[str, bool]()
        for mark, turn in zip(doubtful, turns, strict=True):
            p *= 1 - mark.confidence if turn else mark.confidence
            other[mark.key] = mark.marked != turn
        yield tuple(replace(m, marked=other.get(m.key, m.marked)) for m in marks), p


def with_corrections(
    marks: Sequence[BookMark],
    lines: Mapping[tuple[int, Coat], SpellbookLine],
    choices: Mapping[int, Coat | None],
) -> tuple[BookMark, ...]:
    """The marks as a person says they are, by lines and by sides; those are certain."""
    marked_as: dict[str, bool] = {}
    for (player, coat), line in lines.items():
        of_line = marks_of_line(marks, player, coat)
        squares = [mark for mark in of_line if ".squares[" in mark.key]
        as_seen = sum(mark.marked for mark in squares) == line.filled
        for k, mark in enumerate(squares):
            marked_as[mark.key] = mark.marked if as_seen else k < line.filled
        start = f"players[{player}].lines.{coat}."
        marked_as |= {f"{start}struck": line.struck, f"{start}used": line.used}
    for player, chosen in choices.items():
        for mark in marks_of_choice(marks, player):
            marked_as[mark.key] = mark.key.endswith(f".{chosen}")
    return tuple(
        replace(mark, marked=marked_as[mark.key], confidence=1.0, review=False)
        if mark.key in marked_as
        else mark
        for mark in marks
    )
