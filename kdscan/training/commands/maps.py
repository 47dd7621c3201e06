"""The networks of maps: render examples, fit, test, publish, compare, and fit the trust."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from kdscan.errors import UsageError
from kdscan.training.commands.options import About, Labels, Network, Out, Store, Strokes, Surfaces

if TYPE_CHECKING:
    from kdscan.training.dataset import Example
    from kdscan.training.state import Run
    from kdscan.training.supply import Drawn

PHOTO_SHARE = 0.5
"""So many of what marks learns from are photos, which are what is read; the rest are flat sheets,
which take half the time and show as many hands and designs."""

COUNT, VIEWS = 600, 6
"""So many sheets are drawn at a time, and each is shown so often before it leaves."""

TRAIN_SEED, SEEDS_APART = 100_000_000, 10_000_000
"""Seed of the first sheet of training 0, and how far those of the next training lie from it."""

HELD_SEED, HELD_INK_SEED = 9_000_000, 9_800_000
"""First seeds of what is held back; nothing of it is ever trained on."""

HELD, HELD_INK = 400, 100
"""How many photos, and sheets with known ink, are held back."""


def _held_in(out: Path, name: str) -> tuple[Path, int]:
    """Where the examples lie that are held back for a network, and their first seed."""
    return (out / "held" / "ink", HELD_INK_SEED) if name == "ink" else (out / "held", HELD_SEED)


def _held(out: Path, name: str) -> list[Any]:
    """What is held back for a network; raises UsageError where there is nothing."""
    from kdscan.training.dataset import load

    folder, _ = _held_in(out, name)
    if not any(folder.glob("*.pickle")):
        raise UsageError(
            f"{folder} holds nothing; make it: python -m kdscan.training render --out {out}"
        )
    return list(load(folder))


def _labelled(folder: Path) -> list[Example]:
    """Photos that people labelled; raises UsageError where there are none."""
    from kdscan.training.labels import load_labels

    found = load_labels(folder)
    if not found:
        raise UsageError(
            f"{folder} holds no labelled map; "
            f"write some: kdscan export --event NAME --labels {folder}"
        )
    return found


def render(
    out: Out = Path("data/training"),
    held: Annotated[int, typer.Option(help="Photos of any design.", min=0)] = HELD,
    ink: Annotated[int, typer.Option(help="Sheets with known ink.", min=0)] = HELD_INK,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
) -> None:
    """Draw what is held back to measure on; resumes where it stopped."""
    from kdscan.training.dataset import photo_example
    from kdscan.training.dataset import render as draw
    from kdscan.training.ink_examples import ink_example

    kinds: tuple[tuple[str, Callable[[int], Any], int], ...] = (
        ("marks", photo_example, held),
        ("ink", partial(ink_example, 0), ink),
    )
    for name, example, count in kinds:
        folder, first = _held_in(out, name)
        draw(folder, example, first, count, strokes=strokes, surfaces=surfaces, workers=workers)


def _first_of(run: Run) -> int:
    """The seed of a training's first sheet."""
    return TRAIN_SEED + run.seed * SEEDS_APART


def _drawn(
    folder: Path, run: Run, strokes: Path | None, surfaces: Path | None, also: list[Example]
) -> Drawn:
    """The sheets of a training, drawn beside it; `also` are shown among each lot of them."""
    from kdscan.training.dataset import any_example, begin
    from kdscan.training.guesses import bent_oftener
    from kdscan.training.ink_examples import ink_example
    from kdscan.training.supply import Drawing, Drawn

    photos = PHOTO_SHARE if run.name == "marks" else 1.0
    first = _first_of(run)
    draw: Callable[[int], Any] = partial(any_example, first, photos)
    if run.name == "ink":
        draw = partial(ink_example, first)
    drawing = Drawing(draw, partial(begin, strokes, surfaces), run.count, run.views)
    arrange = bent_oftener if run.name == "refine" else also.__add__
    return Drawn(folder / "sheets", drawing, run.seed, arrange)


def fit(
    name: Network,
    out: Out = Path("data/training"),
    steps: Annotated[int | None, typer.Option(help="How many; the usual number.", min=3)] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training in OUT, if there is one.")
    ] = False,
    start: Annotated[
        Path | None,
        typer.Option(
            help="What to begin from: a folder of published models, a model.onnx or a checkpoint.",
            exists=True,
        ),
    ] = None,
    labels: Labels = None,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    rate: Annotated[
        float | None, typer.Option(help="Highest learning rate; lower it when going on.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Another one shows other sheets.", min=0, max=80)
    ] = None,
    count: Annotated[
        int | None, typer.Option(help=f"Sheets drawn at a time; {COUNT}.", min=1)
    ] = None,
    views: Annotated[
        int | None, typer.Option(help=f"How often each is shown; {VIEWS}.", min=1)
    ] = None,
    small: Annotated[
        float | None, typer.Option(help="Share of the steps with small crops, for marks.", max=1)
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1.")] = "cpu",
    painters: Annotated[int, typer.Option(help="Processes that draw sheets.", min=1)] = 1,
    loaders: Annotated[int, typer.Option(help="Processes that cut samples.", min=1)] = 1,
    save_every: Annotated[float, typer.Option(help="Seconds between two states.")] = 180.0,
) -> None:
    """Train one network, from the start or from a published one, while its sheets are drawn.

    Its state is written every few minutes, so that --resume goes on with it after any end, or with
    more --steps. Labelled photos teach beside drawn ones, so that what it knows of other hands and
    papers stays.
    """
    if labels is not None and name != "marks":
        why = "labelled sheets teach marks alone"
        raise typer.BadParameter(why, param_hint="--labels")
    from kdscan.inference.store import Models
    from kdscan.training import state
    from kdscan.training.tasks import TASKS
    from kdscan.training.trainer import train

    task, folder = TASKS[name], out / name
    if small and task.smaller is None:
        raise typer.BadParameter("marks alone knows small crops", param_hint="--small")
    if start is not None and start.is_dir():
        start = Models(start).path(name)
    also = _labelled(labels) if labels is not None else []
    kept = state.latest(folder)
    if kept is None:
        usual = state.Run(name, task.steps, task.rate, count=COUNT, views=VIEWS)
    else:
        usual = kept[1]
    given: dict[str, Any] = {"steps": steps, "rate": rate, "seed": seed, "count": count}
    given |= {"views": views, "small": small, "parent": start and state.digest(start)}
    run = replace(usual, **{key: value for key, value in given.items() if value is not None})
    if kept is None:  # nothing is drawn for nothing
        run = replace(run, count=min(run.count, -(-run.steps * task.size // run.views)))
    supply = _drawn(folder, run, strokes, surfaces, also)
    train(
        *(task, run, supply, folder),
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
            help="Checkpoint of marks; the published model if left out.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """How well a marks' network reads the shields that people have seen."""
    examples = _labelled(labels)
    if weights is None:
        from kdscan.inference.store import default_models
        from kdscan.training.labels import published_figures

        models = default_models()
        figures = published_figures(models.marks, examples)
    else:
        from kdscan.training.measure import as_network, marks_figures, marks_logits
        from kdscan.training.state import load_weights
        from kdscan.training.tasks import TASKS

        net = TASKS["marks"].net()
        load_weights(net, weights)
        figures = marks_figures(marks_logits(as_network(net.eval()), examples))
    typer.echo(json.dumps(figures, indent=1))


def publish(
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    version: str = "1",
    about: About = "",
    names: Annotated[str, typer.Option(help="Which networks, comma-separated.")] = ",".join(
        get_args(Network)
    ),
) -> None:
    """Measure on held-back examples, calibrate, and write ONNX files with their cards."""
    chosen = names.split(",")
    if unknown := [name for name in chosen if name not in get_args(Network)]:
        known = ", ".join(get_args(Network))
        raise UsageError(f"--names: there is no network {unknown[0]}; there are {known}")

    from kdscan.training import state
    from kdscan.training.publishing import publish as write

    for name in chosen:
        held = _held(out, name)
        told: dict[str, object] = {}
        if (trained := state.latest(out / name)) is not None:
            run = trained[1]
            told = {"steps": run.steps, "learning_rate": run.rate, "training_seed": _first_of(run)}
            told["trained"] = asdict(run)
        told["held_back_seed"] = _held_in(out, name)[1]
        told["data"] = about
        done = write(name, out / f"{name}.pt", held, models, version, told)
        typer.echo(f"{name}: {done['figures']}")


def trust(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Photos of kdscan.synth with their truth.", exists=True, file_okay=False
        ),
    ],
    models: Annotated[
        Path, typer.Option(help="Where models are kept.", exists=True, file_okay=False)
    ] = Path("models"),
) -> None:
    """Fit how far totals may be believed on whole photos, into the models' manifest."""
    from kdscan.training.trust import calibrate

    typer.echo(calibrate(folder, models))


def compare(out: Out = Path("data/training"), steps: int = 700, strokes: Strokes = None) -> None:
    """Train marks networks with other planes and widths on the same batches; print the table."""
    held = _held(out, "marks")
    from kdscan.training.compare import compare as race
    from kdscan.training.compare import table
    from kdscan.training.state import Run
    from kdscan.training.tasks import TASKS

    task, folder = TASKS["marks"], out / "compare"
    run = Run("marks", steps, task.rate, count=-(-steps * task.size // VIEWS), views=VIEWS)
    supply = _drawn(folder, run, strokes, None, [])
    typer.echo(table(race(run, supply, held, folder)))
