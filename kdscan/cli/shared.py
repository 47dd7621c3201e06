"""What commands share: options, each declared once; messages in the terminal's language, progress,
tables."""

from __future__ import annotations

import getpass
import os
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer
from rich.cells import cell_len

from kdscan.errors import KdscanError, UsageError
from kdscan.files import STDOUT, escape_control, hide_password
from kdscan.i18n import ENGLISH, Words, terminal_language, words
from kdscan.i18n.errors import error_json, error_text
from kdscan.rules import GameName

if TYPE_CHECKING:
    from kdscan.event.jobs import Progress

# Exit codes and options

NEEDS_REVIEW, SOME_FAILED, UNLAWFUL = 5, 7, 9
"""Exit codes of what is no error: with --strict something needs review; some photos could not be
read; with --strict no lawful game leads to a board that was read with certainty."""

MOST_ROUNDS, MOST_TABLES = 99, 9999
"""Larger numbers are typing mistakes."""

Store = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="SQLite file or database URL; a file in your data folder by default."
    ),
]
Event = Annotated[
    str | None, typer.Option(metavar="NAME", help="The event; can be omitted if there is only one.")
]
TemplatesStore = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The event's store; without --event, the only event in it."),
]
TemplatesEvent = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Use the templates of this event instead of your own."),
]
Photos = Annotated[
    str | None, typer.Option(metavar="PLACE", help="Folder or URL where photos are kept.")
]
Game = Annotated[GameName | None, typer.Option(help="The game of a new event; duel by default.")]
GreatDuel = Annotated[
    bool | None,
    typer.Option(
        "--great-duel/--no-great-duel", help="Kingdomino: the great duel, two players on 7 x 7."
    ),
]
MiddleKingdom = Annotated[
    bool | None,
    typer.Option(
        "--middle-kingdom/--no-middle-kingdom", help="Kingdomino: 10 points for a central castle."
    ),
]
Harmony = Annotated[
    bool | None,
    typer.Option("--harmony/--no-harmony", help="Kingdomino: 5 points for a complete kingdom."),
]
Dynasty = Annotated[
    bool, typer.Option("--dynasty", help="Kingdomino: add up three games of the same players.")
]
Demo = Annotated[
    bool, typer.Option("--demo", help="Kingdomino: the two-player demo, with its own dominoes.")
]
Seats = Annotated[
    int | None,
    typer.Option(min=2, max=4, metavar="N", help="Kingdomino: players per table, 2 to 4."),
]
Rounds = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_ROUNDS, metavar="N", help="Number of rounds in the event."),
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, metavar="N", help="Processes that read photos; one per core by default."
    ),
]
Who = Annotated[
    str | None,
    typer.Option(
        "--author", metavar="NAME", help="Name recorded with the change; by default your user name."
    ),
]
Csv = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the event's results as CSV.")]
JsonLines = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the event's results as JSON, one object per line."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
OneGame = Annotated[GameName, typer.Option("--game", help="The game.")]
Edition = Annotated[
    Literal["english", "french", "polish"], typer.Option(help="Edition of the rulebook.")
]


def check_apart(outputs: Mapping[str, Path | None]) -> None:
    """Raise UsageError if two of these options write to one file, or to stdout (`-`)."""
    options: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        place = str(path) if path == STDOUT else os.path.realpath(path)
        other = options.setdefault(place, option)
        if other != option:
            raise UsageError(
                "{option} and {other} would both write to {path}; name another file for one of "
                "them",
                option=other,
                other=option,
                path=path,
            )


def same_event(event: str | None, store: str | None) -> str:
    """The options for an event and its store, for commands to copy."""
    url = "URL" if store and hide_password(store) != store else store
    given = (("--event", event), ("--store", url))
    return shlex.join(word for option, value in given if value for word in (option, value))


OF_ONE_GAME = {
    "duel": ("edition", "chosen_coat", "castle_used", "spellbook"),
    "kingdomino": ("players", "great_duel", "middle_kingdom", "harmony", "dynasty", "demo"),
}
"""The games, and the options of `board`, `simulate` and `score` that only one of them has."""


def check_game(context: typer.Context, game: GameName) -> None:
    """Raise UsageError for an option that a game does not have."""
    foreign = {
        name: other for other, names in OF_ONE_GAME.items() if other != game for name in names
    }
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if option.name in foreign and value != option.default:
            spelled = option.secondary_opts if value is False else option.opts
            raise UsageError(
                "{option} only applies to {game}: add --game {game}",
                option=spelled[0],
                game=foreign[option.name],
            )


# Messages

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


def note(text: str, /, **values: object) -> None:
    """Print useful information on stderr, in its language, unless it should be quiet."""
    if not _quiet:
        print_error(terminal_words(sys.stderr).t(text, **values))


def warn(text: str, /, **values: object) -> None:
    """Note something in the language of stderr, after the program's name."""
    note(f"kdscan: {terminal_words(sys.stderr).t(text, **values)}")


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
