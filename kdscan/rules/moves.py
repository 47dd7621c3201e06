"""The refusal of a move, in both games."""

from __future__ import annotations

from enum import StrEnum


class IllegalMoveError(ValueError):
    """The move breaks `rule`; nothing has changed."""

    def __init__(self, rule: StrEnum, why: str) -> None:
        super().__init__(f"{rule}: {why}")
        self.rule = rule


def require(lawful: bool, rule: StrEnum, why: str) -> None:
    """Raise IllegalMoveError, for that reason, unless a move keeps the rule."""
    if not lawful:
        raise IllegalMoveError(rule, why)
