"""The rules of Kingdomino Duel and Kingdomino, with the standard library alone; a broken one is a
value, on a finished sheet, or a refused move, in play."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, get_args

from kdscan.rules.grid import Cell

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


class IllegalMoveError(ValueError):
    """The move breaks `rule`; nothing has changed."""

    def __init__(self, rule: StrEnum) -> None:
        super().__init__(rule)
        self.rule = rule


def require(lawful: bool, rule: StrEnum) -> None:
    """Raise IllegalMoveError unless a move keeps the rule."""
    if not lawful:
        raise IllegalMoveError(rule)
