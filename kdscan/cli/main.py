"""The command line: its commands, and the one place where errors become messages.

A command's module is imported when the command is called, and with it all that it needs. The list
of commands is written down here, so that help and completion import none of them.
"""

from __future__ import annotations

import errno
import inspect
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from kdscan import __version__
from kdscan.cli.shared import be_quiet, error_message, print_error, terminal_words
from kdscan.errors import KdscanError, UsageError
from kdscan.files import hide_password
from kdscan.files.photos import READABLE

BUG, INTERRUPTED, CLOSED = 1, 130, 141
"""Exit codes of no `kdscan.errors`; the last two are 128 plus the number of SIGINT and SIGPIPE."""

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)

REFUSED = (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)
"""System errors that mean there is no more memory, or that no more files or processes may be
open."""

COMMANDS = {
    "score": ("score:score", "Score maps or kingdoms in photos: board, total, what to check."),
    "batch": ("batch:batch", "Read a batch of photos into an event, on all cores."),
    "export": ("export:export", "Export an event: a row per sheet, or all of it with its photos."),
    "import": ("export:import_event", "Import an event from another store."),
    "sheet": ("sheet:sheet", "Create sheets to print: a PDF at true scale."),
    "pair": ("standings:pair", "Pair the next round (Swiss), and assign sheets to its tables."),
    "result": ("standings:result", "Enter the result of a game whose sheets are missing."),
    "correct": ("correct:correct", "Correct a sheet of an event; everything can be undone."),
    "remove": ("correct:remove", "Remove photos from an event: they no longer count or show."),
    "forget": ("export:forget", "Delete an event and its photos for good."),
    "standings": ("standings:standings", "Show an event's standings."),
    "report": ("export:report", "Write an event's report as one HTML file."),
    "serve": ("serve:serve", "Serve a page: photograph with a phone, check, tap, done."),
    "board": ("games:board", "Score boards written as text, and check that they are lawful."),
    "simulate": ("games:simulate", "Simulate whole games: maps, spellbook, rounds, scores."),
    "template": ("template:template", "Manage templates, the blank designs of pads."),
}
"""Each command's module and function or group in it, and the first line of its help."""

RENAMED = {"--who": "--author", "--back": "--rejoin", "--own": "--distinct"}
"""Options by the names that they had; these are understood, but not shown."""


class Commands(TyperGroup):
    """The commands, of which only the one that is called is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {
            name: TyperCommand(name, help=summary, rich_markup_mode=None)
            for name, (_, summary) in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = "template" if args[0] == "layout" else args[0]  # its former name
        if word not in COMMANDS and word.lower().endswith(tuple(READABLE)):
            raise UsageError(
                "{photo} is not a command; to score a photo: kdscan score {photo}", photo=word
            )
        name, command, rest = super().resolve_command(ctx, [word, *args[1:]])
        return name, load(name) if name else command, rest


def load(name: str) -> Any:
    """Import a command, or a group of commands."""
    place, summary = COMMANDS[name]
    module, _, function = place.partition(":")
    command = getattr(import_module(f"kdscan.cli.{module}"), function)
    text = f"{summary}\n\n{inspect.getdoc(command)}"
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name, help=summary)
        return typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    app.command(name, help=text)(command)
    return typer.main.get_command(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"kdscan {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="kdscan",
    cls=Commands,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: kdscan score photo.jpg\n\nHelp on a command: kdscan score --help",
)


@app.callback()
def _kdscan(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when an error occurs.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Show the version."
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", callback=be_quiet, help="Print only errors to standard error."),
    ] = False,
) -> None:
    """Photograph a finished sheet of Kingdomino Duel, get its score."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; arguments: those of sys.argv by default."""
    words = sys.argv[1:] if arguments is None else arguments
    given = [RENAMED.get(word, word) for word in words]
    debug = "--debug" in given
    if "--quiet" in given:  # at any position
        given = ["--quiet", *(word for word in given if word != "--quiet")]
    be_quiet(False)
    for stream in (sys.stdout, sys.stderr):
        # A file name may contain characters that the terminal cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(given or ["--help"], prog_name="kdscan", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong usage, or help because nothing was requested
        context = getattr(error, "ctx", None)
        if message := error.format_message():
            hint = f"\nFor help: {context.command_path} --help" if context else ""
            _complain(message + hint, debug)
        return error.exit_code
    except KdscanError as error:
        _complain(error_message(error), debug)
        return error.exit_code
    except BaseException as error:
        if (code := _unwritable(error)) is not None:
            return code
        if isinstance(error, SystemExit):  # Typer, when it has installed a shell's completion
            return int(error.code or 0)
        if not isinstance(error, Exception):
            raise
        return _unexpected(error, given, debug)
    if code == INTERRUPTED:
        _complain(terminal_words(sys.stderr).t("interrupted"), debug=False)
    return int(code)


def _unexpected(error: Exception, given: Sequence[str], debug: bool) -> int:
    """Report an error that no code expects; returns the exit code. Usually it is a bug."""
    t = terminal_words(sys.stderr).t
    if _interrupted(error):
        _complain(t("interrupted"), debug)
        return INTERRUPTED
    if _is_nowhere(error):
        text = t("the folder that you are in no longer exists; change to another one")
    elif any(word.startswith("--install-completion") for word in given):
        text = t(
            "the completion cannot be installed ({why}); set HOME to a folder that you may write "
            "to, or put what --show-completion prints where your shell looks for it",
            why=error,
        )
    elif isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in REFUSED):
        text = t(
            "the system refused what kdscan needs ({why}); close other programs, or raise the "
            "limits that ulimit -a shows",
            why=error if isinstance(error, OSError) else type(error).__name__,
        )
    else:
        text = t(
            "a bug in kdscan: {error}\nPlease report it with the output of: {command}",
            error=f"{type(error).__name__}: {error}",
            command=shlex.join(["kdscan", "--debug", *map(hide_password, given)]),
        )
        _complain(text, debug)
        return BUG
    _complain(text, debug)
    return UsageError.exit_code


def _is_nowhere(error: Exception) -> bool:
    """Whether it failed because somebody deleted the current folder."""
    try:
        os.getcwd()  # noqa: PTH109  # the call that fails
    except FileNotFoundError:
        return isinstance(error, FileNotFoundError)
    return False


def _interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error; libraries that are being imported turn it into their own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _unwritable(error: BaseException) -> int | None:
    """The exit code if it was stdout that could not be written; None otherwise.

    Other files report their errors themselves, see `kdscan.files`.
    """
    failed = error.__context__ if isinstance(error, SystemExit) else error  # Typer: a pipe
    if not isinstance(failed, OSError) or failed.errno not in UNWRITABLE or failed.filename:
        return None
    with suppress(OSError, ValueError):  # else the interpreter tries again on exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(failed, BrokenPipeError):
        return CLOSED
    t = terminal_words(sys.stderr).t
    _complain(t("the output could not be written: {why}", why=failed.strerror), debug=False)
    return UsageError.exit_code


def run() -> NoReturn:
    """Entry point of the installed command."""
    if os.name == "nt":
        os.system("")  # from then on, Windows' consoles understand colours
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the parent process had closed it
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    sys.exit(main())


def _complain(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print_error(f"kdscan: {message}")
