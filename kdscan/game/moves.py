"""The refusal of a move, in both games."""

from __future__ import annotations

from enum import StrEnum


class IllegalMoveError(ValueError):
    """The move breaks `rule`; nothing has changed."""

    def __init__(self, rule: StrEnum, why: str) -> None:
        super().__init__(f"{rule}: {why}")
        self.rule = rule
