"""What commands print beside results: messages in the terminal's language, progress, tables."""

from __future__ import annotations

import getpass
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len

from kdscan.errors import KdscanError
from kdscan.files.names import escape_control
from kdscan.i18n import ENGLISH, Words, terminal_language, words
from kdscan.i18n.errors import error_json, error_text

if TYPE_CHECKING:
    from kdscan.event.jobs import Progress

CLEAR_LINE = "\r\x1b[K"
"""The control sequence that erases the current line of a terminal."""

SECONDS_A_LINE = 30.0
"""Interval between lines of progress if stderr is not a terminal."""

_quiet = False


def be_quiet(wanted: bool) -> None:
    """Silence `note` and progress from now on, or no longer."""
    global _quiet  # there is only one terminal
    _quiet = wanted


def terminal_words(stream: TextIO | None = None) -> Words:
    """The language of the environment; English if the stream (stdout by default) lacks its
    letters."""
    return words(terminal_language()) if can_show("ąèїы", stream) else ENGLISH


def can_show(text: str, stream: TextIO | None = None) -> bool:
    """Whether a stream, stdout by default, has these letters."""
    try:
        return bool(text.encode((stream or sys.stdout).encoding or "ascii"))
    except (UnicodeEncodeError, LookupError):
        return False


def error_message(error: KdscanError) -> str:
    """An error in the language of stderr."""
    return error_text(error_json(error), terminal_words(sys.stderr))


def print_error(text: str) -> None:
    """Print on stderr. If that cannot be written, what was done and its exit code still count."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        with suppress(OSError, ValueError):  # else the interpreter tries again on exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def note(text: str) -> None:
    """Print useful information on stderr, unless it should be quiet."""
    if not _quiet:
        print_error(text)


def warn(text: str, /, **values: object) -> None:
    """Note something in the language of stderr, after the program's name."""
    note("kdscan: " + terminal_words(sys.stderr).t(text, **values))


def attended() -> bool:
    """Whether somebody at a terminal should see progress."""
    return sys.stderr.isatty() and not _quiet


@contextmanager
def progress_line() -> Iterator[Callable[[Progress], None]]:
    """A line about a batch, renewed on a terminal, elsewhere printed at intervals."""
    start = last = time.monotonic()
    w = terminal_words(sys.stderr)

    def show(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if not attended() and (not progress.read or now - last < SECONDS_A_LINE):
            return
        last = now
        rate = progress.read / max(now - start, 0.1)
        parts = [w.t("{done} of {total}", done=progress.done, total=progress.total)]
        if progress.read:
            left = (progress.total - progress.done) / rate
            parts += [f"{rate:.1f}/s", w.t("{n} s left", n=f"{left:.0f}")]
        if progress.failed:
            parts.append(w.t("{n} failed", n=progress.failed))
        if attended():
            print(CLEAR_LINE + ", ".join(parts), end="", file=sys.stderr, flush=True)
        else:
            note(f"kdscan: {', '.join(parts)}")

    try:
        yield show
    finally:
        if attended():
            print(CLEAR_LINE, end="", file=sys.stderr, flush=True)


def user() -> str:
    """The name recorded with changes, unless one is given: the user's."""
    try:
        return escape_control(getpass.getuser())
    except (OSError, KeyError, ImportError):  # the last two before Python 3.13
        return "arbiter"


MOST_NAMES = 5
"""Most files that one note names."""


def note_other_sizes(names: Sequence[str], batch: str) -> None:
    """Note the files whose kingdoms were read with another size limit than the event's; batch: the
    command that reads them again."""
    if names:
        listed = ", ".join([*names[:MOST_NAMES], *(["…"] if names[MOST_NAMES:] else [])])
        warn(
            "photos whose kingdoms keep the size limit with which they were read: {n} ({names}); "
            "to read them with the event's, give them again: {command}",
            n=len(names),
            names=listed,
            command=batch,
        )


def aligned(
    rows: Sequence[Sequence[str]], *, left: Collection[int] = (), least: Sequence[int] = ()
) -> list[str]:
    """Rows of as many cells each as lines with their columns below one another.

    left: the columns that start below one another, the others end so. least: widths of the first
    columns that have no wider cell.
    """
    widest = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    widths = [max(both) for both in zip_longest(widest, least, fillvalue=0)]

    def line(row: Sequence[str]) -> str:
        room = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        cells = [text + room[n] if n in left else room[n] + text for n, text in enumerate(row)]
        return "  ".join(cells).rstrip()

    return list(map(line, rows))
