"""A reading in a line, as a notebook shows it."""

from __future__ import annotations

from typing import Protocol


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
