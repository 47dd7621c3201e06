"""The networks of Kingdomino's tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kdscan.errors import UsageError
from kdscan.training.commands.options import About, Out, Store, Surfaces


def kingdoms(
    boards: Annotated[
        Path | None,
        typer.Option(
            help="Folder of cut-out boards: boards/*.jpg, tiles.csv.", exists=True, file_okay=False
        ),
    ] = None,
    photos: Annotated[
        Path | None,
        typer.Option(
            help="Folder of photos NAME.jpg beside kdscan score --json's NAME.json.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    surfaces: Surfaces = None,
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    version: str = "1",
    held: Annotated[str, typer.Option(help="Kingdoms to measure on: 0/5 is each fifth.")] = "0/5",
    again: Annotated[
        float, typer.Option(help="Share of steps trained once more with those too.")
    ] = 0.4,
    count: Annotated[int, typer.Option(help="How many synthetic photos.")] = 500,
    effort: Annotated[
        float, typer.Option(help="Share of the usual steps: 0.01 to try the command out.")
    ] = 1.0,
    about: About = "",
) -> None:
    """Train both networks of Kingdomino's tiles on boards and a club's own photos.

    Correct what kdscan reads with --set first, so that NAME.json says what is there.
    """
    from kdscan.synth.tiles import load_boards, load_photos
    from kdscan.training.tiles import Recipe, make_models

    given = [*(load_boards(boards) if boards else ()), *(load_photos(photos) if photos else ())]
    if not given:
        raise UsageError("no kingdoms: name a folder with --boards or --photos")
    recipe = Recipe(photos=count, effort=effort, again=again, about=about)
    make_models(given, held, recipe, out / "kingdoms", models, version, surfaces)
