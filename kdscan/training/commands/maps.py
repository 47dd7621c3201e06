"""The networks of maps: render examples, fit, test, publish, compare, and fit the trust."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from kdscan.errors import UsageError
from kdscan.training.commands.options import About, Labels, Network, Out, Store, Strokes, Surfaces

if TYPE_CHECKING:
    from kdscan.training.dataset import Example

PHOTO_WEIGHT = 2
"""Photos are what is read: each is shown so much oftener than a flat sheet."""

LABEL_WEIGHT = 20
"""An event has few sheets, and they are the real thing: each is shown so much oftener."""

TRAIN_SEED, FLAT_SEED, HELD_SEED = 1_000_000, 4_000_000, 9_000_000
"""First seeds of training photos, flat training sheets and held-back photos; they never meet."""

OWN_LATER = 500_000
"""Seeds of examples of our own sheet start by so much later."""

PHOTOS, FLATS, HELD, OWN = 6000, 6000, 400, 2400
"""How many training photos, flat training sheets and held-back photos are rendered; of our own
sheet as many photos as flat sheets."""

_TRAINED = "trained.json"


def _examples(
    out: Path, kind: str, name: str = "marks", limit: int | None = None
) -> Iterator[Example]:
    """The first `limit` rendered examples for a network; raises UsageError where there are none.

    kind: `train`, `flat` or `held`.
    """
    from kdscan.training.dataset import load

    folder = (_own(out) if name == "marks-own" else out) / kind
    if not any(folder.glob("*.pickle")):
        raise UsageError(
            f"{folder} holds no examples; make them: python -m kdscan.training render --out {out}"
        )
    return islice(load(folder), limit)


def _own(out: Path) -> Path:
    """Where the examples of our own sheet lie."""
    return out / "own"


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


def trained(out: Path) -> dict[str, int]:
    """With how many steps the networks of a folder were trained to the end."""
    note = out / _TRAINED
    return dict(json.loads(note.read_text("utf-8"))) if note.exists() else {}


def _note_trained(out: Path, name: str, steps: int) -> None:
    """By way of a second file, so that a kill at any moment leaves a whole note."""
    part = out / f"{_TRAINED}.part"
    part.write_text(json.dumps(trained(out) | {name: steps}), "utf-8")
    part.replace(out / _TRAINED)


def render(
    out: Out = Path("data/training"),
    count: Annotated[int, typer.Option(help="Photos to train on, in hundreds.", min=0)] = PHOTOS,
    flat: Annotated[int, typer.Option(help="Flat sheets, in hundreds.", min=0)] = FLATS,
    held: Annotated[int, typer.Option(help="Photos to measure on, in hundreds.", min=0)] = HELD,
    own: Annotated[
        int, typer.Option(help="Photos of our own sheet, as many flat ones, in hundreds.", min=0)
    ] = OWN,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
) -> None:
    """Render training and held-back examples; resumes where it stopped."""
    from kdscan.training.dataset import render as render_examples

    for home, ours, later, counts in (
        (out, False, 0, (held, flat, count)),
        (_own(out), True, OWN_LATER, (min(held, own), own, own)),
    ):
        seeds = zip(("held", "flat", "train"), (HELD_SEED, FLAT_SEED, TRAIN_SEED), strict=True)
        for (kind, first), many in zip(seeds, counts, strict=True):
            render_examples(
                home / kind,
                first + later,
                many,
                strokes=strokes,
                surfaces=surfaces,
                flat=kind == "flat",
                own=ours,
                workers=workers,
            )


def fit(
    name: Network,
    out: Out = Path("data/training"),
    steps: Annotated[int | None, typer.Option(help="How many; the usual number.", min=3)] = None,
    seed: int = 0,
    limit: Annotated[
        int | None, typer.Option(help="Only so many rendered examples of each kind.", min=0)
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="What to go on from: a folder of published models, a model.onnx or a checkpoint.",
            exists=True,
        ),
    ] = None,
    labels: Labels = None,
    rate: Annotated[
        float | None, typer.Option(help="Highest learning rate; lower it when going on.")
    ] = None,
) -> None:
    """Train one network, from the start or from a published one.

    Labelled photos teach beside rendered ones, so that what it knows of other hands and papers
    stays; without rendered ones they teach alone.
    """
    marks = name in ("marks", "marks-own")
    if labels is not None and not marks:
        why = "labelled sheets teach marks and marks-own alone"
        raise typer.BadParameter(why, param_hint="--labels")
    from dataclasses import replace

    import torch

    from kdscan.inference.store import Models
    from kdscan.training.fit import TASKS
    from kdscan.training.fit import fit as train
    from kdscan.training.guesses import bent_oftener

    seen = _labelled(labels) * LABEL_WEIGHT if labels is not None else []
    try:
        examples = list(_examples(out, "train", name, limit))
        if marks:
            examples = [*examples * PHOTO_WEIGHT, *_examples(out, "flat", name, limit)]
        elif name == "refine":
            examples = bent_oftener(examples)
    except UsageError as error:
        if not seen:
            raise
        print(f"labelled photos alone: {error}", file=sys.stderr)
        examples = []
    examples += seen
    print(f"{name}: {len(examples)} examples", file=sys.stderr)
    if start is not None and start.is_dir():
        start = Models(start).path(name)
    out.mkdir(parents=True, exist_ok=True)
    part = out / f"{name}.part.pt"
    task = replace(TASKS[name], rate=rate or TASKS[name].rate)
    net = train(task, examples, steps=steps, seed=seed, checkpoint=part, start=start)
    torch.save(net.state_dict(), out / f"{name}.pt")
    _note_trained(out, name, steps or task.steps)
    print(f"{out / name}.pt", file=sys.stderr)


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
    own: Annotated[bool, typer.Option("--own", help="The network of our own sheet.")] = False,
) -> None:
    """How well a marks' network reads the shields that people have seen."""
    examples = _labelled(labels)
    if weights is None:
        from kdscan.inference.store import default_models
        from kdscan.training.labels import published_figures

        models = default_models()
        figures = published_figures(models.marks_own if own else models.marks, examples)
    else:
        from kdscan.training.fit import TASKS, load_weights
        from kdscan.training.measure import as_network, marks_figures, marks_logits

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

    from kdscan.training.publishing import publish as write

    for name in chosen:
        held = list(_examples(out, "held", name))
        later = OWN_LATER if name == "marks-own" else 0
        seeds = {"training_seed": TRAIN_SEED + later, "held_back_seed": HELD_SEED + later}
        told: dict[str, object] = {**seeds, "data": about}
        if name in trained(out):
            told["steps"] = trained(out)[name]
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


def compare(out: Out = Path("data/training"), steps: int = 700) -> None:
    """Train marks networks with other planes and widths on the same batches; print the table."""
    from kdscan.training.compare import compare as race
    from kdscan.training.compare import table

    examples = [*_examples(out, "train"), *_examples(out, "flat")]
    typer.echo(table(race(examples, list(_examples(out, "held")), steps)))
