"""The commands of `python -m lab.training`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kdscan.errors import UsageError

if TYPE_CHECKING:
    from kdscan.imaging import picture
    from lab.synth.kingdoms.tiles import Board
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
Network = Literal["locate", "refine", "ink", "ink_reader", "marks", "cover"]
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
    from lab.training.tasks import Material

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
    from lab.training.tasks import TASKS, Material
    from lab.training.trainer import LONGEST_MEAN

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


def fit(
    name: Network,
    out: Out = Path("data/training"),
    steps: Annotated[
        int | None, typer.Option(help="Number of steps; by default the network's usual one.", min=3)
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the training in OUT, if there is one.")
    ] = False,
    start: Annotated[
        Path | None,
        typer.Option(
            help="Initial weights: a folder of models, a file in lab/weights, a checkpoint.",
            exists=True,
        ),
    ] = None,
    labels: Labels = None,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Highest learning rate; lower it when you train published weights further."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed of the sheets.", min=0, max=80)
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="Sheets rendered at a time; 600 by default.", min=1)
    ] = None,
    views: Annotated[
        int | None, typer.Option(help="How often each sheet is used; 6 by default.", min=1)
    ] = None,
    batch: Annotated[int | None, typer.Option(help="Examples per step.", min=1)] = None,
    device: Device = "cpu",
    painters: Annotated[int, typer.Option(help="Processes that render sheets.", min=1)] = 1,
    loaders: Annotated[int, typer.Option(help="Processes that make samples.", min=1)] = 1,
    save_every: Annotated[float, typer.Option(help="Seconds between two checkpoints.")] = 180.0,
) -> None:
    """Train one network from random or published weights, rendering sheets meanwhile.

    Checkpoints are written every few minutes; --resume continues from the last one, or with
    more --steps. Labelled photos are mixed with synthetic sheets, so that nothing is
    forgotten.
    """
    if labels is not None and name != "marks":
        why = "labelled sheets teach marks alone"
        raise typer.BadParameter(why, param_hint="--labels")
    from kdscan.inference.store import Models
    from lab.training import weights_path
    from lab.training.supply import COUNT, VIEWS
    from lab.training.tasks import TASKS, Material, supply
    from lab.training.trainer import Run, digest, latest, train

    task, folder = TASKS[name], out / name
    if start is not None and start.is_dir():
        start = weights_path(start, Models(start).path(name).parent.name)
    also = _labelled(labels) if labels is not None else []
    kept = latest(folder)
    if kept is None:
        usual = Run(name, task.steps, task.rate, task.size, count=COUNT, views=VIEWS)
    else:
        usual = kept[1]
    options: dict[str, Any] = {"steps": steps, "rate": rate, "seed": seed, "count": count}
    options |= {"views": views, "batch": batch, "parent": start and digest(start)}
    run = replace(usual, **{key: value for key, value in options.items() if value is not None})
    if kept is None:
        run = run.trimmed()
    elif replace(usual, count=run.count).trimmed() == usual:  # trimmed to what it was begun with
        run = replace(run, count=usual.count)
    material = Material(folder, strokes, surfaces, labelled=also)
    train(
        *(task, run, supply(run, material), folder),
        start=start,
        resume=resume,
        device=device,
        loaders=loaders,
        painters=painters,
        save_every_s=save_every,
    )
    print(f"{folder}.pt", file=sys.stderr)


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
    from lab.training.marks_networks import MarksInference, MarksNet
    from lab.training.task import as_network
    from lab.training.trainer import load_weights

    net = MarksNet()
    load_weights(net, weights)
    return as_network(MarksInference(net))


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
