"""The six coats of arms."""

from __future__ import annotations

from enum import StrEnum


class Coat(StrEnum):
    """A coat of arms; the value is its name in JSON."""

    DOT = "dot"
    DOUBLE_DOT = "double_dot"
    LINE = "line"
    DOUBLE_LINE = "double_line"
    FILLED = "filled"
    CHECKED = "checked"
