"""The command line: which commands there are, and the one place where errors become messages.

Command modules import the heavy half of kdscan inside their functions, so that
`kdscan --help` and the start of every command stay fast.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from kdscan.cli.batch import batch
from kdscan.cli.board import board
from kdscan.cli.correct import correct
from kdscan.cli.export import export, import_event
from kdscan.cli.layout import layout
from kdscan.cli.report import report
from kdscan.cli.score import score
from kdscan.cli.serve import serve
from kdscan.cli.sheet import sheet
from kdscan.cli.simulate import simulate
from kdscan.cli.speech import said, spoken
from kdscan.cli.standings import pair, result, standings
from kdscan.errors import KdscanError

INTERRUPTED = 130
BUG = 1

app = typer.Typer(
    name="kdscan",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: kdscan score photo.jpg    More of each command: kdscan score --help",
)
app.command("score")(score)
app.command("batch")(batch)
app.command("export")(export)
app.command("import")(import_event)
app.command("sheet")(sheet)
app.add_typer(layout, name="layout")
app.command("pair")(pair)
app.command("result")(result)
app.command("correct")(correct)
app.command("standings")(standings)
app.command("report")(report)
app.command("serve")(serve)
app.command("board")(board)
app.command("simulate")(simulate)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"kdscan {version('kdscan')}")
        raise typer.Exit


@app.callback()
def _kdscan(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error arose.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Photograph a finished sheet of Kingdomino Duel, get its score."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; `arguments` are sys.argv's by default."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    for stream in (sys.stdout, sys.stderr):
        # A file name may hold what the terminal cannot show; that is no reason to fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app(given, prog_name="kdscan")
    except SystemExit as end:
        # Typer has its say on usage, help and Ctrl-C in exit codes: 2, 0 and 130.
        code = end.code if isinstance(end.code, int) else BUG
        if code == INTERRUPTED:
            _complain(spoken(sys.stderr).t("interrupted"), debug=False)
        return code
    except KdscanError as error:
        _complain(said(error), debug)
        return error.exit_code
    except Exception as error:
        _complain(
            f"a bug in kdscan: {type(error).__name__}: {error}\n"
            f"Please report it with what this shows: kdscan --debug {' '.join(given)}",
            debug,
        )
        return BUG
    return 0


def run() -> NoReturn:
    """Entry point of the installed command."""
    sys.exit(main())


def _complain(message: str, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print(f"kdscan: {message}", file=sys.stderr)
