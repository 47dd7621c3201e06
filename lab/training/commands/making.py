"""Commands that make models from recipes, and generate their cards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdscan.errors import UsageError
from lab.training.commands.options import Boards, Device, Out, Photos, Store, Strokes, Surfaces

if TYPE_CHECKING:
    from lab.synth.kingdoms.tiles import Board

Effort = Annotated[
    float, typer.Option(help="Share of the work; 1e-4 to try the command out.", min=1e-4)
]


def make(
    name: Annotated[str, typer.Argument(help="The recipe: lab/recipes/NAME.toml.")],
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    into: Annotated[
        Path | None,
        typer.Option(help="Where to write the model; OUT/models by default.", file_okay=False),
    ] = None,
    trained: Annotated[
        Path | None,
        typer.Option(
            help="Measure and publish these weights, do not train.", exists=True, dir_okay=False
        ),
    ] = None,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    boards: Boards = None,
    photos: Photos = None,
    effort: Effort = 1.0,
    device: Device = "cpu",
) -> None:
    """Train a version of a network by its recipe, measure, calibrate and publish it.

    An interrupted run is resumed. `--into models` replaces the model in use; run `cards` then.
    Networks of kingdoms need --boards or --photos.
    """
    from lab.training import making
    from lab.training.recipe import load_recipe
    from lab.training.sources import Material

    recipe = load_recipe(models, name)
    material = Material(out, strokes, surfaces, kingdoms_in(boards, photos))
    into = into or out / "models"
    found = making.make(
        *(recipe, models, into, material), effort=effort, trained=trained, device=device
    )
    typer.echo(json.dumps(found["figures"], indent=1))


def kingdoms(
    boards: Boards = None,
    photos: Photos = None,
    surfaces: Surfaces = None,
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    version: str = "1",
    held: Annotated[str, typer.Option(help="Kingdoms to measure on: 0/5 is every fifth.")] = "0/5",
    again: Annotated[
        float, typer.Option(help="Share of the steps for a second training that includes these.")
    ] = 0.4,
    count: Annotated[int, typer.Option(help="How many synthetic photos.")] = 500,
    effort: Effort = 1.0,
) -> None:
    """Train both networks of Kingdomino's tiles on boards and a club's own photos.

    Correct what kdscan reads with --set first, so that NAME.json says what is there.
    """
    from lab.training import making
    from lab.training.recipe import HeldBack, Recipe, Training
    from lab.training.sources import Material
    from lab.training.state import LONGEST_MEAN
    from lab.training.tasks import TASKS

    found_boards = kingdoms_in(boards, photos)
    if not found_boards:
        raise UsageError(
            "no kingdom was found: name a folder that contains some with --boards or --photos"
        )
    for network in ("tiles", "squares"):
        task = TASKS[network]
        how = Training(
            *(task.steps, task.size, task.rate), average=LONGEST_MEAN, photos=count, again=again
        )
        recipe = Recipe(network, version, "", how, HeldBack(kingdoms=held))
        material = Material(out, surfaces=surfaces, boards=found_boards)
        found = making.make(recipe, models, models, material, effort=effort)
        typer.echo(f"{recipe.name}: {found['figures']}")


def kingdoms_in(boards: Path | None, photos: Path | None) -> Sequence[Board]:
    """The kingdoms of a folder of boards, and of a folder of photos."""
    from lab.synth.kingdoms.tiles import load_boards, load_photos

    return [*(load_boards(boards) if boards else ()), *(load_photos(photos) if photos else ())]


def cards(
    root: Annotated[Path, typer.Option(help="The repository.", file_okay=False)] = Path(),
) -> None:
    """Write the cards of the models that ship, and the tables of README.md and models/README.md."""
    from lab.training.cards import write

    for path in write(root):
        typer.echo(path)
