"""The commands of `python -m lab.training`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.errors import UsageError

if TYPE_CHECKING:
    from kdscan.imaging import picture
    from lab.training.dataset import Example


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
Effort = Annotated[
    float, typer.Option(help="Share of the work; 1e-4 to try the command out.", min=1e-4)
]


def make(
    names: Annotated[list[str], typer.Argument(help="Recipes: lab/recipes/NAME.toml.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change the recipe's [training]: steps=500; repeatable."),
    ] = None,
    version: Annotated[str, typer.Option(help="Another version than the recipe's.")] = "",
    start: Annotated[
        Path | None,
        typer.Option(
            help="Initial weights: a folder of models, a file in lab/weights, a checkpoint.",
            exists=True,
        ),
    ] = None,
    labels: Labels = None,
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    into: Annotated[
        Path | None,
        typer.Option(help="Where to write the model; OUT/models by default.", file_okay=False),
    ] = None,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    boards: Boards = None,
    photos: Photos = None,
    effort: Effort = 1.0,
    device: Device = "cpu",
    painters: Annotated[int, typer.Option(help="Processes that render sheets.", min=1)] = 1,
    loaders: Annotated[int, typer.Option(help="Processes that make samples.", min=1)] = 1,
) -> None:
    """Train networks by their recipes, measure, calibrate and publish them.

    An interrupted run is resumed, also with more steps. `--into models` replaces the model in use;
    run `cards` then. Networks of kingdoms need --boards or --photos. Labelled photos are mixed with
    synthetic sheets, so that nothing is forgotten.
    """
    if labels is not None and not all(name.startswith("marks-") for name in names):
        why = "labelled sheets teach marks alone"
        raise typer.BadParameter(why, param_hint="--labels")
    from kdscan.inference.store import Models
    from lab.synth.kingdoms.tiles import load_boards, load_photos
    from lab.training import making, weights_path
    from lab.training.recipe import changed, load_recipe
    from lab.training.tasks import Material

    kingdoms = (*(load_boards(boards) if boards else ()), *(load_photos(photos) if photos else ()))
    material = Material(out, strokes, surfaces, kingdoms, _labelled(labels) if labels else ())
    for name in names:
        recipe, weights = changed(load_recipe(models, name), version, settings or ()), start
        if start is not None and start.is_dir():
            weights = weights_path(start, Models(start).path(recipe.network).parent.name)
        found = making.make(
            *(recipe, models, into or out / "models", material),
            effort=effort,
            start=weights,
            device=device,
            painters=painters,
            loaders=loaders,
        )
        typer.echo(f"{recipe.name} {json.dumps(found['figures'], indent=1)}")


def cards(
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
) -> None:
    """Write the cards of the models that ship."""
    from lab.training.recipe import pages

    for path, text in pages(models).items():
        path.write_text(text, "utf-8")
        typer.echo(path)


def _labelled(folder: Path) -> list[Example]:
    """Photos labelled by people; raises UsageError if there are none."""
    from lab.training.labels import load_labels

    found = load_labels(folder)
    if not found:
        raise UsageError(
            f"{folder} contains no labelled map; "
            f"write some: kdscan export --event NAME --labels {folder}"
        )
    return found


def test(
    labels: Annotated[
        Path,
        typer.Argument(help="What kdscan export --labels wrote.", exists=True, file_okay=False),
    ],
    weights: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoint of marks; by default the published model.", exists=True, dir_okay=False
        ),
    ] = None,
) -> None:
    """Measure how well the marks network reads shields that people labelled."""
    from kdscan.inference.store import default_models
    from lab.training.measure import marks_figures, marks_logits

    examples = _labelled(labels)
    network = default_models().marks if weights is None else _network(weights)
    figures = marks_figures(marks_logits(network, examples))
    typer.echo(json.dumps(figures, indent=1))


def _network(weights: Path) -> picture.Network:
    """The inference graph of the marks network of a checkpoint."""
    from lab.training.marks_networks import MarksNet, OneSheet
    from lab.training.task import as_network
    from lab.training.trainer import load_weights

    net = MarksNet()
    load_weights(net, weights)
    return as_network(OneSheet(net))


def calibrate_totals(
    folder: Annotated[
        Path,
        typer.Argument(help="Photos of lab.synth with their truth.", exists=True, file_okay=False),
    ],
    models: Annotated[
        Path, typer.Option(help="Where models are kept.", exists=True, file_okay=False)
    ] = Path("models"),
) -> None:
    """Calibrate the confidence of totals on whole photos, and store it in the models' manifest."""
    from lab.training.calibration import calibrate

    typer.echo(calibrate(folder, models))
