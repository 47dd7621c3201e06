"""A broken rule: as a value, on a finished sheet, or as a refused move, in play."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from kdscan.rules.grid import Cell

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
    """A problem from plain values, as `problems_json` makes them."""
    cells = tuple((row, col) for row, col in values["cells"])
    return Problem(values["code"], values["severity"], values["message"], cells)


def problems_json(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems in the order found, as plain values."""
    return [
        {
            "code": problem.code,
            "severity": problem.severity,
            "message": problem.message,
            "cells": [list(cell) for cell in problem.cells],
        }
        for problem in problems
    ]


class IllegalMoveError(ValueError):
    """The move breaks `rule`; nothing has changed."""

    def __init__(self, rule: StrEnum, why: str) -> None:
        super().__init__(f"{rule}: {why}")
        self.rule = rule


def require(lawful: bool, rule: StrEnum, why: str) -> None:
    """Raise IllegalMoveError, for that reason, unless a move keeps the rule."""
    if not lawful:
        raise IllegalMoveError(rule, why)
