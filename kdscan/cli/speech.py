"""Who sits at the terminal, and the language that is spoken there."""

from __future__ import annotations

import getpass
import sys
from typing import TextIO

from kdscan.error_words import error_json, told
from kdscan.errors import KdscanError
from kdscan.locale import Words, of_terminal, words


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


def said(error: KdscanError) -> str:
    """What went wrong, in the language of stderr."""
    return told(error_json(error), spoken(sys.stderr))
