"""python -m kdscan.training: render examples, train, calibrate, publish.

python -m kdscan.training all --out data/training          everything, in hours
python -m kdscan.training render --count 6000
python -m kdscan.training fit marks
python -m kdscan.training fit marks --start models --labels labels/ --steps 500
python -m kdscan.training test labels/
python -m kdscan.training publish
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from kdscan.edge import run
from kdscan.errors import UsageError

if TYPE_CHECKING:
    from kdscan.training.dataset import Example

PHOTO_WEIGHT = 2
"""Photos are what is read: each is shown so much oftener than a flat sheet."""

app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)
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
Network = Literal["locate", "refine", "marks"]

LABEL_WEIGHT = 20
"""An event has few sheets, and they are the real thing: each is shown so much oftener."""

TRAIN_SEED, FLAT_SEED, HELD_SEED = 1_000_000, 4_000_000, 9_000_000
"""First seeds of training photos, flat training sheets and held-back photos; they never meet."""

PHOTOS, FLATS, HELD = 6000, 6000, 400
"""How many training photos, flat training sheets and held-back photos are rendered."""

TRUST_SEED, TRUSTED = 21_000_000, 600
"""First seed and number of the whole photos that say how far totals may be believed."""

PHOTO_SHARE = 3
"""How much oftener than a drawn page a photographed spellbook is shown."""


def _examples(folder: Path, limit: int | None = None) -> Iterator[Example]:
    """Rendered examples, the first `limit` of them; raises UsageError where there are none."""
    from kdscan.training.dataset import load

    if not any(folder.glob("*.pickle")):
        raise UsageError(
            f"{folder} holds no examples; make them: python -m kdscan.training render "
            f"--out {folder.parent}"
        )
    return islice(load(folder), limit)


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


def _trained_file(out: Path) -> Path:
    return out / "trained.json"


def _trained(out: Path) -> dict[str, int]:
    """With how many steps the networks of a folder were trained to the end."""
    note = _trained_file(out)
    return dict(json.loads(note.read_text("utf-8"))) if note.exists() else {}


@app.command()
def render(
    out: Out = Path("data/training"),
    count: Annotated[int, typer.Option(help="Photos to train on, in hundreds.", min=0)] = PHOTOS,
    flat: Annotated[int, typer.Option(help="Flat sheets, in hundreds.", min=0)] = FLATS,
    held: Annotated[int, typer.Option(help="Photos to measure on, in hundreds.", min=0)] = HELD,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
) -> None:
    """Render training and held-back examples; resumes where it stopped."""
    from kdscan.training.dataset import render as render_examples

    render_examples(
        out / "held", HELD_SEED, held, strokes=strokes, surfaces=surfaces, workers=workers
    )
    render_examples(
        out / "flat", FLAT_SEED, flat, flat=True, strokes=strokes, surfaces=None, workers=workers
    )
    render_examples(
        out / "train", TRAIN_SEED, count, strokes=strokes, surfaces=surfaces, workers=workers
    )


@app.command()
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
    if labels is not None and name != "marks":
        raise typer.BadParameter("labelled sheets teach marks alone", param_hint="--labels")
    from dataclasses import replace

    import torch

    from kdscan.inference.store import Models
    from kdscan.training.fit import TASKS
    from kdscan.training.fit import fit as train

    seen = _labelled(labels) * LABEL_WEIGHT if labels is not None else []
    try:
        examples = list(_examples(out / "train", limit))
        if name == "marks":
            examples = [*examples * PHOTO_WEIGHT, *_examples(out / "flat", limit)]
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
    _trained_file(out).write_text(json.dumps(_trained(out) | {name: steps or task.steps}), "utf-8")
    print(f"{out / name}.pt", file=sys.stderr)


@app.command()
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
    """How well the marks' network reads the shields that people have seen."""
    examples = _labelled(labels)
    if weights is None:
        from kdscan.inference.store import default_models
        from kdscan.training.labels import published_figures

        figures = published_figures(default_models(), examples)
    else:
        from kdscan.training.fit import TASKS, load_weights
        from kdscan.training.measure import as_network, marks_figures, marks_logits

        net = TASKS["marks"].net()
        load_weights(net, weights)
        figures = marks_figures(marks_logits(as_network(net.eval()), examples))
    typer.echo(json.dumps(figures, indent=1))


@app.command()
def publish(
    out: Out = Path("data/training"),
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
    version: str = "1",
    about: Annotated[str, typer.Option(help="What a card says of the data, beside figures.")] = "",
    names: Annotated[
        str, typer.Option(help="Which networks, comma-separated.")
    ] = "locate,refine,marks",
) -> None:
    """Measure on held-back examples, calibrate, and write ONNX files with their cards."""
    chosen = names.split(",")
    if unknown := [name for name in chosen if name not in get_args(Network)]:
        known = ", ".join(get_args(Network))
        raise UsageError(f"--names: there is no network {unknown[0]}; there are {known}")

    from kdscan.training.publishing import publish as write

    held = list(_examples(out / "held"))
    card: dict[str, object] = {"training_seed": TRAIN_SEED, "held_back_seed": HELD_SEED}
    for name in chosen:
        told = card | {"data": about}
        if name in _trained(out):
            told["steps"] = _trained(out)[name]
        done = write(name, out / f"{name}.pt", held, models, version, told)
        typer.echo(f"{name}: {done['figures']}")


@app.command()
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
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
    version: str = "1",
    held: Annotated[str, typer.Option(help="Kingdoms to measure on: 0/5 is each fifth.")] = "0/5",
    again: Annotated[
        float, typer.Option(help="Share of steps trained once more with those too.")
    ] = 0.4,
    count: Annotated[int, typer.Option(help="How many synthetic photos.")] = 500,
    effort: Annotated[
        float, typer.Option(help="Share of the usual steps: 0.01 to try the command out.")
    ] = 1.0,
    about: Annotated[str, typer.Option(help="What a card says of the data, beside figures.")] = "",
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


@app.command()
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


@app.command()
def compare(out: Out = Path("data/training"), steps: int = 700) -> None:
    """Train marks networks with other planes and widths on the same batches; print the table."""
    from kdscan.training.compare import compare as race
    from kdscan.training.compare import table

    examples = [*_examples(out / "train"), *_examples(out / "flat")]
    typer.echo(table(race(examples, list(_examples(out / "held")), steps)))


@app.command()
def spellbook(
    out: Out = Path("data/training"),
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
    version: str = "1",
    pages: int = 900,
    photos: int = 200,
    held: int = 140,
    steps: int = 4000,
) -> None:
    """Make the network that reads spellbooks: render, train, calibrate, publish, in an hour."""
    from kdscan.training import spellbook_examples as data
    from kdscan.training.spellbook import fit as train
    from kdscan.training.spellbook import publish as write

    shown = [*data.page_examples(data.PAGE_SEED, pages)]
    seen = [e for _, e in data.photo_examples(data.PHOTO_SEED, photos) if e is not None]
    shown += PHOTO_SHARE * seen
    kept = [e for _, e in data.photo_examples(data.HELD_SEED, held) if e is not None]
    out.mkdir(parents=True, exist_ok=True)
    data.save(out / "spellbook-held.npz", kept)
    card = {"steps": steps, "training_seeds": [data.PAGE_SEED, data.PHOTO_SEED]}
    card |= {"pages": pages, "photos": photos, "held_back": held, "held_back_seed": data.HELD_SEED}
    done = write(train(shown, steps), kept, models, version, card)
    typer.echo(f"spellbook: {done['figures']}")


@app.command(name="all")
def everything(
    out: Out = Path("data/training"),
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
    version: str = "1",
    effort: Annotated[
        float, typer.Option(help="Share of the work: 0.001 to try the command out.", min=1e-4)
    ] = 1.0,
) -> None:
    """Render, train the three networks of maps, publish them and fit the trust.

    Most of a day on two cores. What an earlier run has finished is kept: photos, and networks
    that were trained to the end with as many steps.
    """
    from kdscan.synth.__main__ import main as photograph
    from kdscan.training.fit import TASKS
    from kdscan.training.trust import calibrate

    def some(usual: int) -> int:
        return max(3, round(usual * effort))

    counts = {"count": some(PHOTOS), "flat": some(FLATS), "held": some(HELD)}
    render(out, **counts, strokes=strokes, surfaces=surfaces)
    for name in get_args(Network):
        steps = some(TASKS[name].steps)
        if _trained(out).get(name) == steps:
            print(f"{name}: trained already", file=sys.stderr)
        else:
            fit(name, out, steps=steps)
    publish(out, models=models, version=version)
    for seed in range(TRUST_SEED, TRUST_SEED + some(TRUSTED)):
        if not (out / "trust" / f"{seed:08d}.json").exists():
            photograph(out / "trust", count=1, first=seed)
    typer.echo(calibrate(out / "trust", models))


if __name__ == "__main__":
    run(app)
