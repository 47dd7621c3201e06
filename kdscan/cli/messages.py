"""Who sits at the terminal, and the language that is spoken there."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from kdscan.errors import KdscanError
from kdscan.locale import Words, of_terminal, words
from kdscan.locale.errors import error_json, error_text


def spoken(stream: TextIO | None = None) -> Words:
    """The language that the environment asks for; English where the stream (stdout if none is
    given) lacks its letters."""
    found = words(of_terminal())
    try:
        "ąèїы".encode((stream or sys.stdout).encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return words("en")
    return found


_quiet = False


def be_quiet(wanted: bool) -> None:
    """From now on `note` says nothing; or again something."""
    global _quiet  # one terminal, one wish
    _quiet = wanted


def quiet() -> bool:
    """Whether nothing but errors shall be said on stderr."""
    return _quiet


def note(text: str) -> None:
    """Say on stderr what is good to know, unless it shall be quiet."""
    if not _quiet:
        print(text, file=sys.stderr)


CLEAR_LINE = "\r\x1b[K"
"""What a terminal takes for: forget this line."""


def attended() -> bool:
    """Whether somebody at a terminal is to be told what goes on."""
    return sys.stderr.isatty() and not _quiet


@contextmanager
def working(text: str) -> Iterator[None]:
    """Say what takes a while, as long as it does, where somebody sits at a terminal."""
    shown = attended()
    if shown:
        print(text, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def user() -> str:
    """Who corrects, when nobody says so."""
    try:
        return getpass.getuser()
    except OSError:
        return "arbiter"


def error_message(error: KdscanError) -> str:
    """What went wrong, in the language of stderr."""
    return error_text(error_json(error), spoken(sys.stderr))
