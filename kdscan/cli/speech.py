"""Who sits at the terminal, and the language that is spoken there."""

from __future__ import annotations

import getpass
import sys
from typing import TextIO

from kdscan.errors import KdscanError
from kdscan.locale import Words, mark, of_terminal, words


def spoken(stream: TextIO | None = None) -> Words:
    """The language that the environment asks for; English where the stream (stdout if none is
    given) lacks its letters."""
    found = words(of_terminal())
    try:
        "ąèїы".encode((stream or sys.stdout).encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return words("en")
    return found


def user() -> str:
    """Who corrects, when nobody says so."""
    try:
        return getpass.getuser()
    except OSError:
        return "arbiter"


EDGES = (
    mark("left edge"),
    mark("right edge"),
    mark("top edge"),
    mark("bottom edge"),
    mark("left and top edges"),
    mark("left and bottom edges"),
    mark("right and top edges"),
    mark("right and bottom edges"),
)
"""What an error may say of a picture's sides."""


def said(error: KdscanError) -> str:
    """What went wrong, in the language of stderr."""
    return _said(error, spoken(sys.stderr))


def _said(error: KdscanError, w: Words) -> str:
    values = dict(error.values)
    for name, value in values.items():
        if isinstance(value, KdscanError):
            values[name] = _said(value, w)
        elif name == "what":
            values[name] = w.t(str(value))
    return w.t(error.text, **values)
