"""`kdscan sheet`: maps to print and play on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kdscan.errors import UsageError
from kdscan.sheet.parts import Paper
from kdscan.sheet.words import Language


def sheet(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The PDF to write.")
    ],
    layout: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE", help="A layout that kdscan brings along, or a TOML file."
        ),
    ] = "kdscan-a5",
    paper: Annotated[
        Paper, typer.Option(help="What the printer holds; several maps share a sheet if they fit.")
    ] = "a4",
    language: Annotated[
        Language, typer.Option("--language", "-l", help="What the sheet's words are in.")
    ] = "en",
    count: Annotated[
        int | None,
        typer.Option(
            min=1, max=1000, help="How many maps; as many as fit on one sheet by default."
        ),
    ] = None,
) -> None:
    """Print map sheets: a PDF at true scale, with a ruler to check it.

    Examples:

    $ kdscan sheet -o sheet.pdf

    $ kdscan sheet -o club.pdf --paper letter --count 8

    $ kdscan sheet -o mapa.pdf --language pl

    Exit codes: 0 done; 2 wrong usage, a broken layout, or a file that cannot be written.
    """
    # The heavy half: reportlab, OpenCV.
    from kdscan.sheet.layout import load_layout
    from kdscan.sheet.look import Look
    from kdscan.sheet.printing import impose, sheet_pdf

    plan = load_layout(layout)
    fit = len(impose(plan, paper).places)
    maps = fit if count is None else count
    pdf = sheet_pdf(plan, paper=paper, count=maps, look=Look(language=language))
    try:
        output.write_bytes(pdf)
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{output}: cannot be written: {reason}.") from error
    print(
        f"{output}: {_some(maps, 'map')} on {_some(-(-maps // fit), 'page')} of {paper}."
        " Print at 100 %, not fitted to the page.",
        file=sys.stderr,
    )


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
