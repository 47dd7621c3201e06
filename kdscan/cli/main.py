"""The command line: which commands there are, and the one place where errors become messages.

Command modules import the heavy half of kdscan inside their functions, so that
`kdscan --help` and the start of every command stay fast.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from kdscan.cli.batch import batch
from kdscan.cli.board import board
from kdscan.cli.correct import correct
from kdscan.cli.export import export, import_event
from kdscan.cli.forget import forget
from kdscan.cli.help import Command, Group, complaint
from kdscan.cli.layout import layout
from kdscan.cli.messages import be_quiet, error_message, spoken
from kdscan.cli.remove import remove
from kdscan.cli.report import report
from kdscan.cli.score import score
from kdscan.cli.serve import serve
from kdscan.cli.sheet import sheet
from kdscan.cli.simulate import simulate
from kdscan.cli.standings import pair, result, standings
from kdscan.errors import KdscanError, UsageError

INTERRUPTED = 130
CLOSED = 141
"""Who reads stdout has read enough: 128 and the number of SIGPIPE, as of any other program."""

UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)

BUG = 1

app = typer.Typer(
    name="kdscan",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: kdscan score photo.jpg\n\nMore of each command: kdscan score --help",
)
COMMANDS: dict[str, Callable[..., None]] = {
    "score": score,
    "batch": batch,
    "export": export,
    "import": import_event,
    "sheet": sheet,
    "pair": pair,
    "result": result,
    "correct": correct,
    "remove": remove,
    "forget": forget,
    "standings": standings,
    "report": report,
    "serve": serve,
    "board": board,
    "simulate": simulate,
}
for name, command in COMMANDS.items():
    app.command(name, cls=Command)(command)
app.add_typer(layout, name="layout")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # which loads the email package

        print(f"kdscan {version('kdscan')}")
        raise typer.Exit


@app.callback()
def _kdscan(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error arose.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Show the version."
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", callback=be_quiet, help="Say nothing on stderr but errors."),
    ] = False,
) -> None:
    """Photograph a finished sheet of Kingdomino Duel, get its score."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `arguments` are sys.argv's by default."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    if "--quiet" in given:  # wherever it stands
        given = ["--quiet", *(one for one in given if one != "--quiet")]
    be_quiet(False)
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold what the terminal cannot show; that is no reason to fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = app(given, prog_name="kdscan", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.TyperException as error:  # wrong usage, or help where nothing was asked for
        if message := complaint(error, spoken(sys.stderr).t):
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
        _complain(
            spoken(sys.stderr).t(
                "a bug in kdscan: {error}\nPlease report it with what this shows: {command}",
                error=f"{type(error).__name__}: {error}",
                command=shlex.join(["kdscan", "--debug", *given]),
            ),
            debug,
        )
        return BUG
    if code == INTERRUPTED:
        _complain(spoken(sys.stderr).t("interrupted"), debug=False)
    return int(code)


def _unwritable(error: BaseException) -> int | None:
    """The exit code if stdout is what could not be written; None if it was something else.

    Whatever else is written tells of its errors itself, see `kdscan.files.write`.
    """
    failed = error.__context__ if isinstance(error, SystemExit) else error  # Typer exits of pipes
    if not isinstance(failed, OSError) or failed.errno not in UNWRITABLE or failed.filename:
        return None
    with suppress(OSError, ValueError):  # else the interpreter tries again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(failed, BrokenPipeError):
        return CLOSED
    t = spoken(sys.stderr).t
    _complain(t("what was printed could not be written: {why}", why=failed.strerror), debug=False)
    return UsageError.exit_code


def run() -> NoReturn:
    """Entry point of the installed command."""
    sys.exit(main())


def _complain(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    with suppress(OSError):  # the exit code is left
        print(f"kdscan: {message}", file=sys.stderr)
