"""Commands that train and test the networks of maps, and calibrate totals."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.errors import UsageError
from lab.training.commands.options import Device, Labels, Network, Out, Strokes, Surfaces

if TYPE_CHECKING:
    from kdscan.imaging import picture
    from lab.training.dataset import Example


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
    from lab.training import state
    from lab.training.sources import Material, supply
    from lab.training.supply import COUNT, VIEWS
    from lab.training.tasks import TASKS
    from lab.training.trainer import train
    from lab.training.weights import weights_path

    task, folder = TASKS[name], out / name
    if start is not None and start.is_dir():
        start = weights_path(start, Models(start).path(name).parent.name)
    also = _labelled(labels) if labels is not None else []
    kept = state.latest(folder)
    if kept is None:
        usual = state.Run(name, task.steps, task.rate, task.size, count=COUNT, views=VIEWS)
    else:
        usual = kept[1]
    options: dict[str, Any] = {"steps": steps, "rate": rate, "seed": seed, "count": count}
    options |= {"views": views, "batch": batch, "parent": start and state.digest(start)}
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
            help="Checkpoint of marks; by default the published model.",
            exists=True,
            dir_okay=False,
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
    from lab.training.marks_inference import MarksInference
    from lab.training.marks_networks import MarksNet
    from lab.training.state import load_weights
    from lab.training.task import as_network

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
