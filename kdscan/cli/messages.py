"""Messages in the terminal: their language, and whether anybody reads them."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from kdscan.errors import KdscanError
from kdscan.i18n import ENGLISH, Words, terminal_language, words
from kdscan.i18n.errors import error_json, error_text
from kdscan.i18n.legible import legible


def terminal_words(stream: TextIO | None = None) -> Words:
    """The language of the environment; English if the stream (stdout by default) lacks its
    letters."""
    found = words(terminal_language())
    try:
        "ąèїы".encode((stream or sys.stdout).encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ENGLISH
    return found


MOST_NAMES = 5
"""Most files that one note names."""

_quiet = False


def be_quiet(wanted: bool) -> None:
    """Silence `note` from now on, or stop silencing it."""
    global _quiet  # there is only one terminal
    _quiet = wanted


def quiet() -> bool:
    """Whether stderr is only for errors."""
    return _quiet


def note(text: str) -> None:
    """Print useful information on stderr, unless it should be quiet."""
    if not _quiet:
        print_error(text)


def note_other_sizes(names: Sequence[str], batch: str) -> None:
    """Note the files whose kingdoms were read with another size limit than the event's; batch: the
    command that reads them again."""
    if names:
        shown = legible(", ".join([*names[:MOST_NAMES], *(["…"] if names[MOST_NAMES:] else [])]))
        t = terminal_words(sys.stderr).t
        why = t(
            "photos whose kingdoms keep the size limit with which they were read: {n} ({names}); "
            "to read them with the event's, give them again: {command}",
            n=len(names),
            names=shown,
            command=batch,
        )
        note(f"kdscan: {why}")


def print_error(text: str) -> None:
    """Print on stderr. If that cannot be written, what was done and its exit code still count."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


CLEAR_LINE = "\r\x1b[K"
"""The control sequence that erases the current line of a terminal."""


def attended() -> bool:
    """Whether somebody at a terminal should see progress."""
    return sys.stderr.isatty() and not _quiet


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show a text during a long operation, if stderr is a terminal."""
    shown = attended()
    if shown:
        print(text, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def user() -> str:
    """The name recorded with changes, unless one is given: the user's."""
    try:
        return legible(getpass.getuser())
    except (OSError, KeyError, ImportError):  # the last two before Python 3.13
        return "arbiter"


def error_message(error: KdscanError) -> str:
    """An error in the language of stderr."""
    return error_text(error_json(error), terminal_words(sys.stderr))
