"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Out = Annotated[Path, typer.Option(help="Folder for rendered examples and checkpoints.")]
Strokes = Annotated[
    Path | None,
    typer.Option(
        help="Folder with real pen strokes (unipen.jsonl.gz, scribbles.jsonl.gz).",
        exists=True,
        file_okay=False,
    ),
]
Surfaces = Annotated[
    Path | None,
    typer.Option(help="Folder with pictures of real surfaces.", exists=True, file_okay=False),
]
Labels = Annotated[
    Path | None,
    typer.Option(
        help="Photos that people labelled: kdscan export --labels.", exists=True, file_okay=False
    ),
]
Store = Annotated[Path, typer.Option(help="Where models are kept.")]
Boards = Annotated[
    Path | None,
    typer.Option(
        help="Folder of cut-out boards: boards/*.jpg, tiles.csv.", exists=True, file_okay=False
    ),
]
Photos = Annotated[
    Path | None,
    typer.Option(
        help="Folder of photos NAME.jpg beside kdscan score --json's NAME.json.",
        exists=True,
        file_okay=False,
    ),
]
Device = Annotated[str, typer.Option(help="cpu, cuda or cuda:1.")]
Network = Literal["locate", "refine", "ink", "marks", "cover"]
