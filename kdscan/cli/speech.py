"""Who sits at the terminal, and the language that is spoken there."""

from __future__ import annotations

import getpass
import sys

from kdscan.locale import Words, of_terminal, words


def spoken() -> Words:
    """The language that the environment asks for; English where stdout lacks its letters."""
    language = of_terminal()
    found = words(language)
    try:
        "ąèїы".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return words("en")
    return found


def user() -> str:
    """Who corrects, when nobody says so."""
    try:
        return getpass.getuser()
    except OSError:
        return "arbiter"
