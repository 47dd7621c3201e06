"""The rules of Kingdomino Duel and Kingdomino, with the standard library alone; here what both
share: grids, broken rules, and who wins.

A broken rule is a value, on a finished sheet, or a refused move, in play. The winner has most
points, then the largest domain, then most crowns.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar, get_args

from kdscan.errors import UsageError

T = TypeVar("T", bound=Hashable)

# Grids

Cell = tuple[int, int]
"""Row and column, counted from 0 at the top left."""


def cell_name(cell: Cell) -> str:
    """A cell's name for people: column letter and row number, `A1` at the top left, castle `D3`.

    After column Z comes AA.
    """
    row, col = cell
    letters = ""
    while col >= 0:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[col % 26] + letters
        col = col // 26 - 1
    return f"{letters}{row + 1}"


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The four cells that share a side with `cell`, on the grid or off it."""
    row, col = cell
    return (row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)


def groups(values: Mapping[Cell, T]) -> list[tuple[T, tuple[Cell, ...]]]:
    """Split cells into groups of equal values connected edge to edge.

    Returns each group's value with its cells in row-major order; the groups are
    ordered by their first cell. Diagonal contact does not connect.
    """
    result: list[tuple[T, tuple[Cell, ...]]] = []
    left = dict(values)
    for start in sorted(left):
        if start not in left:
            continue
        value = left.pop(start)
        group = [start]
        for cell in group:
            for near in neighbours(cell):
                if near in left and left[near] == value:
                    del left[near]
                    group.append(near)
        group.sort()
        result.append((value, tuple(group)))
    return result


def components(cells: Iterable[Cell]) -> tuple[tuple[Cell, ...], ...]:
    """Connected components of cells, by shared edges; see `groups`."""
    return tuple([group for _, group in groups(dict.fromkeys(cells))])


def component_of(cell: Cell, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The connected component that contains one of the cells; see `components`."""
    return next(group for group in components(cells) if cell in group)


def alone(cells: Collection[Cell]) -> tuple[Cell, ...]:
    """The cells without another one beside them, row-major."""
    return tuple(cell for cell in sorted(cells) if not any(n in cells for n in neighbours(cell)))


def span(cells: Collection[Cell]) -> int:
    """The side of the smallest square that contains some cells."""
    rows, cols = {row for row, _ in cells}, {col for _, col in cells}
    return max(max(rows) - min(rows), max(cols) - min(cols)) + 1


def in_square(cell: Cell, corner: Cell, side: int) -> bool:
    """Whether a cell lies in a square of that side; corner: its upper left cell."""
    return 0 <= cell[0] - corner[0] < side and 0 <= cell[1] - corner[1] < side


def grid_text(shape: tuple[int, int], castle: Cell, squares: Mapping[Cell, object]) -> str:
    """Rows of tokens, one per square, with their columns aligned: `##` for the castle, `.` for an
    empty square. shape: rows and columns."""
    tokens = {cell: str(square) for cell, square in squares.items()} | {castle: "##"}
    width = max(map(len, tokens.values()))
    rows = ((tokens.get((r, c), ".") for c in range(shape[1])) for r in range(shape[0]))
    return "\n".join(" ".join(t.ljust(width) for t in row).rstrip() for row in rows)


def split_blocks(text: str) -> list[str]:
    """The blocks between blank lines; lines that begin with `# ` are comments."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


# Games and broken rules

GameName = Literal["duel", "kingdomino"]

GAMES: tuple[GameName, ...] = get_args(GameName)

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """Something on a sheet that is impossible or cannot be trusted; a value, not an exception.

    code: stable name for programs. message: for people. cells: the shields concerned.
    """

    code: str
    severity: Severity
    message: str
    cells: tuple[Cell, ...] = ()


def is_open(cells: Iterable[Cell], checked: Collection[Cell]) -> bool:
    """Whether a problem is still open: not if a person has seen all the cells that it names."""
    named = set(cells)
    return not named or not named <= set(checked)


def problem_from(values: Mapping[str, Any]) -> Problem:
    """A problem from its plain values."""
    return Problem(**{**values, "cells": tuple(map(tuple, values["cells"]))})


class TextError(UsageError, ValueError):
    """A text is no board, kingdom or spellbook; the message says where and why."""


class IllegalMoveError(ValueError):
    """The move breaks `rule`; nothing has changed."""

    def __init__(self, rule: StrEnum) -> None:
        super().__init__(rule)
        self.rule = rule


def require(lawful: bool, rule: StrEnum) -> None:
    """Raise IllegalMoveError unless a move keeps the rule."""
    if not lawful:
        raise IllegalMoveError(rule)


# Who wins

Decision = Literal["score", "largest_domain", "crowns", "draw", "bye", "walkover"]

TIE_BREAKS: tuple[Decision, ...] = ("score", "largest_domain", "crowns")
"""What is compared, in the rulebooks' order; the first difference decides. Duel has no crowns."""


@dataclass(frozen=True)
class Outcome:
    """Who won, by number (in a draw, all who share the first place), and what decided."""

    winners: tuple[int, ...]
    decided_by: Decision

    @property
    def winner(self) -> int | None:
        """The only winner, None in a draw."""
        return self.winners[0] if len(self.winners) == 1 else None


class Worth(NamedTuple):
    """The numbers of a map or kingdom that decide a game; crowns are 0 on a map."""

    total: int
    largest_domain: int = 0
    crowns: int = 0


def worth(sheet: Mapping[str, Any]) -> Worth:
    """What a map or kingdom is worth, from its JSON."""
    domains = sheet["domains"]
    largest = max((len(domain["cells"]) for domain in domains), default=0)
    return Worth(
        sheet["score"]["total"], largest, sum(domain.get("crowns", 0) for domain in domains)
    )


def known_total(sheet: Mapping[str, Any]) -> int | None:
    """Points from a sheet's JSON; None for a spellbook, or if the picture cuts off some of them."""
    if sheet.get("photograph_again") or not sheet.get("score"):
        return None
    return int(sheet["score"]["total"])


def decide(players: Sequence[Worth]) -> Outcome:
    """The outcome, given what each player's map or kingdom is worth."""
    for count, decided_by in enumerate(TIE_BREAKS, 1):
        ranks = [numbers[:count] for numbers in players]
        first = tuple(n for n, rank in enumerate(ranks) if rank == max(ranks))
        if len(first) == 1:
            return Outcome(first, decided_by)
    return Outcome(first, "draw")


class AnyDomain(Protocol):
    """A domain of either game."""

    @property
    def cells(self) -> tuple[Cell, ...]: ...
    @property
    def points(self) -> int: ...


D = TypeVar("D", bound=AnyDomain)


@dataclass(frozen=True)
class DomainScore(Generic[D]):
    """A score broken down by domain; `domains` in the order of their first cells. Further fields
    are points that no domain brings."""

    domains: tuple[D, ...]

    @property
    def points(self) -> dict[str, int]:
        """Where the points come from, and their sum; as in the JSON."""
        parts = {"domains": self.domain_points}
        parts |= {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        return {**parts, "total": sum(parts.values())}

    @property
    def domain_points(self) -> int:
        return sum(domain.points for domain in self.domains)

    @property
    def total(self) -> int:
        return self.points["total"]

    @property
    def worth(self) -> Worth:
        """What decides a game. The largest domain is the first tie-break, scoring or not; crowns
        are the second, which Duel does not have."""
        return Worth(
            self.total,
            max((len(domain.cells) for domain in self.domains), default=0),
            sum(getattr(domain, "crowns", 0) for domain in self.domains),
        )


def outcome(scores: Sequence[DomainScore[Any]]) -> Outcome:
    """Who wins a game with these scores."""
    return decide([score.worth for score in scores])
