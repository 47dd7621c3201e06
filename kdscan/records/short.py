"""Readings in notebooks: `repr` on a line, or an HTML table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

Shown = tuple[str, bool]
"""A cell's text, and whether a person should check it."""


class _Summarised(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...


def short(found: _Summarised, what: str) -> str:
    """A reading's kind, score and confidence on one line."""
    check = ", please check" if found.review else ""
    return f"<{found.kind}: {what}, {100 * found.confidence:.1f}% sure{check}>"


def table(found: object, rows: Iterable[Iterable[Shown]]) -> str:
    """An HTML table with the reading's `repr` as its caption; cells that need review are marked."""
    from html import escape

    caption = escape(repr(found)[1:-1])
    body = "".join(f"<tr>{''.join(map(_place, row))}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


def _place(shown: Shown) -> str:
    from html import escape  # which loads every entity by name

    text, look = shown
    return f"<td>{f'<mark>{escape(text)} ?</mark>' if look else escape(text)}</td>"
