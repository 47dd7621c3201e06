"""The command line: its commands, and the one place where errors become messages.

Only the requested command is imported and built, and command modules import the heavy half of
kdscan inside their functions, so that every command starts fast.
"""

from __future__ import annotations

import errno
import gc
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from kdscan.cli.exit_codes import CLOSED, INTERRUPTED
from kdscan.cli.help import Command, Group, usage_error_text
from kdscan.cli.messages import be_quiet, error_message, print_error, terminal_words
from kdscan.errors import KdscanError, UsageError

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)

REFUSED = (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)
"""System errors that mean there is no more memory, or that no more files or processes may be
open."""

BUG = 1

FEW_COLLECTIONS = 50_000
"""New objects between garbage collections: importing creates many and leaves no garbage."""

COMMANDS = {
    "score": "score.score",
    "batch": "batch.batch",
    "export": "export.export",
    "import": "export.import_event",
    "sheet": "sheet.sheet",
    "pair": "standings.pair",
    "result": "standings.result",
    "correct": "correct.correct",
    "remove": "remove.remove",
    "forget": "forget.forget",
    "standings": "standings.standings",
    "report": "report.report",
    "serve": "serve.serve",
    "board": "board.board",
    "simulate": "simulate.simulate",
    "layout": "layout.layout",
}
"""The place in `kdscan.cli` of each command or group of commands."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # loads the email package

        print(f"kdscan {version('kdscan')}")
        raise typer.Exit


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


def command_line(names: Iterable[str] = COMMANDS, *, listed: bool = False) -> typer.Typer:
    """The command line with these of its commands.

    listed: none of them will run, so that a description without options is enough.
    """
    app = typer.Typer(
        name="kdscan",
        cls=Group,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Example: kdscan score photo.jpg\n\nHelp on a command: kdscan score --help",
    )
    app.callback()(_kdscan)
    for name in names:
        module, _, own = COMMANDS[name].partition(".")
        command = getattr(import_module(f"kdscan.cli.{module}"), own)
        if listed:
            app.command(name, cls=Command)(_docstring_of(command))
        elif isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=Command)(command)
    return app


def _docstring_of(command: Any) -> Callable[[], None]:
    """A function that does nothing but has the docstring of a command or group of commands."""
    group = command.registered_callback if isinstance(command, typer.Typer) else None

    def documented() -> None: ...

    documented.__doc__ = (group.callback if group else command).__doc__
    return documented


def _asked(given: Sequence[str]) -> typer.Typer:
    """The command line with the command that these words name, or with all of them. Options before
    the command take no values; if there are only options, no command can run."""
    first = next((word for word in given if not word.startswith("-")), "")
    if first in COMMANDS:
        return command_line([first])
    return command_line(listed=bool(given) and not first)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; arguments: those of sys.argv by default."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    if "--quiet" in given:  # at any position
        given = ["--quiet", *(one for one in given if one != "--quiet")]
    be_quiet(False)
    for stream in (sys.stdout, sys.stderr):
        # A file name may contain characters that the terminal cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app = _asked(given)
        code = app(given, prog_name="kdscan", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong usage, or help because nothing was requested
        if message := usage_error_text(error, terminal_words(sys.stderr).t):
            _complain(message, debug)
        return error.exit_code
    except KdscanError as error:
        _complain(error_message(error), debug)
        return error.exit_code
    except BaseException as error:
        if (code := _unwritable(error)) is not None:
            return code
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
        _complain(t("the folder that you are in no longer exists; change to another one"), debug)
        return UsageError.exit_code
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in REFUSED):
        text = t(
            "the system refused what kdscan needs ({why}); close other programs, or raise the "
            "limits that ulimit -a shows",
            why=error if isinstance(error, OSError) else type(error).__name__,
        )
        _complain(text, debug)
        return UsageError.exit_code
    from kdscan.event.store.files import hide_password

    text = t(
        "a bug in kdscan: {error}\nPlease report it with the output of: {command}",
        error=f"{type(error).__name__}: {error}",
        command=shlex.join(["kdscan", "--debug", *map(hide_password, given)]),
    )
    _complain(text, debug)
    return BUG


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

    Other files report their errors themselves, see `kdscan.files.write`.
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
    _open_closed()
    gc.set_threshold(FEW_COLLECTIONS)
    code = main()
    gc.freeze()  # the interpreter would otherwise scan all modules once more on exit
    sys.exit(code)


def _open_closed() -> None:
    """Replace each standard stream that the parent process had closed by an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _complain(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print_error(f"kdscan: {message}")
