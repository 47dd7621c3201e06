"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def folder(help_: str) -> Any:
    """An option that is a folder."""
    return typer.Option(help=help_, exists=True, file_okay=False)


Out = Annotated[Path, typer.Option(help="Folder for rendered examples and checkpoints.")]
Strokes = Annotated[
    Path | None, folder("Folder with real pen strokes (unipen.jsonl.gz, scribbles.jsonl.gz).")
]
Surfaces = Annotated[Path | None, folder("Folder with pictures of real surfaces.")]
Labels = Annotated[Path | None, folder("Photos that people labelled: kdscan export --labels.")]
Store = Annotated[Path, typer.Option(help="Where models are kept.")]
Boards = Annotated[Path | None, folder("Folder of cut-out boards: boards/*.jpg, tiles.csv.")]
Photos = Annotated[
    Path | None, folder("Folder of photos NAME.jpg beside kdscan score --json's NAME.json.")
]
Device = Annotated[str, typer.Option(help="cpu, cuda or cuda:1.")]
Network = Literal["locate", "refine", "ink", "ink_reader", "marks", "cover"]
