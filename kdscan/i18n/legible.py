"""Names in one spelling, and sanitised for stores, terminals and other programs: no control or
misleading characters."""

from __future__ import annotations

import os
from unicodedata import category, normalize

STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of invisible characters with an effect: new lines, right to left, …"""


def legible(name: str) -> str:
    """A name with escapes for bytes that are not text and for control characters."""
    if name.isprintable():
        return name
    try:
        text = os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        text = name.encode("utf-8", "backslashreplace").decode()
    return "".join(
        c.encode("unicode_escape").decode("ascii") if category(c) in STEERING else c for c in text
    )


def canonical(name: str) -> str:
    """A name in one spelling: accents as one letter each (Unicode's form NFC), as most keyboards
    type them, and single spaces between its words."""
    return normalize("NFC", " ".join(name.split()))
