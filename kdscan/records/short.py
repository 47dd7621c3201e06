"""A reading as a notebook shows it: in a line, or as a table."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Protocol

Shown = tuple[str, bool]
"""A place's text, and whether a person should look at it."""


class _Told(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...


def short(found: _Told, what: str) -> str:
    """A reading's kind, what it is worth, how sure that is; no arrays."""
    check = ", please check" if found.review else ""
    return f"<{found.kind}: {what}, {100 * found.confidence:.1f}% sure{check}>"


def table(found: object, rows: Iterable[Iterable[Shown]]) -> str:
    """The same as the caption of a table in HTML; what asks for a look is marked."""
    caption = html.escape(repr(found)[1:-1])
    body = "".join(f"<tr>{''.join(map(_place, row))}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


def _place(shown: Shown) -> str:
    text, look = shown
    return f"<td>{f'<mark>{html.escape(text)} ?</mark>' if look else html.escape(text)}</td>"
