"""Short forms of readings: a percentage, a one-line `repr`, an HTML table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kdscan.records.found import AnyReading

Shown = tuple[str, bool]
"""A cell's text, and whether a person should check it."""


def percent(p: float) -> str:
    """Whole percent, rounded down and at most 99: no reading is entirely certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


def short(found: AnyReading, what: str) -> str:
    """A reading's kind, score and confidence on one line."""
    check = ", please check" if found.review else ""
    return f"<{found.kind}: {what}, {percent(found.confidence)} sure{check}>"


def table(found: object, rows: Iterable[Iterable[Shown]]) -> str:
    """An HTML table with the reading's `repr` as its caption; cells that need review are marked."""
    from html import escape  # it loads all named entities

    def place(shown: Shown) -> str:
        text, look = escape(shown[0]), shown[1]
        return f"<td>{f'<mark>{text} ?</mark>' if look else text}</td>"

    caption = escape(repr(found)[1:-1])
    body = "".join(f"<tr>{''.join(map(place, row))}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"
