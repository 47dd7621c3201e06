"""python -m kdscan.training: render examples, train, calibrate, publish.

python -m kdscan.training all --out data/training          everything, in hours
python -m kdscan.training render --count 6000
python -m kdscan.training fit marks
python -m kdscan.training fit marks --start models/marks-5/model.onnx --labels labels/ --steps 500
python -m kdscan.training test labels/
python -m kdscan.training publish
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

PHOTO_WEIGHT = 2
"""Photos are what is read: each is shown so much oftener than a flat sheet."""

app = typer.Typer(add_completion=False, help=__doc__)
Out = Annotated[Path, typer.Option(help="Folder for rendered examples and checkpoints.")]
Strokes = Annotated[
    Path | None,
    typer.Option(help="Folder with real pen strokes (unipen.jsonl.gz, scribbles.jsonl.gz)."),
]
Surfaces = Annotated[Path | None, typer.Option(help="Folder with pictures of real surfaces.")]

Labels = Annotated[
    Path | None, typer.Option(help="Photos that people labelled: kdscan export --labels.")
]

LABEL_WEIGHT = 20
"""An event has few sheets, and they are the real thing: each is shown so much oftener."""

TRAIN_SEED, FLAT_SEED, HELD_SEED = 1_000_000, 4_000_000, 9_000_000
"""First seeds of training photos, flat training sheets and held-back photos; they never meet."""

PHOTO_SHARE = 3
"""How much oftener than a drawn page a photographed spellbook is shown."""


@app.command()
def render(
    out: Out = Path("data/training"),
    count: int = 6000,
    flat: int = 6000,
    held: int = 400,
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    workers: int = 2,
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
    name: str,
    out: Out = Path("data/training"),
    steps: int | None = None,
    seed: int = 0,
    limit: int | None = None,
    start: Annotated[
        Path | None, typer.Option(help="Checkpoint or published model.onnx to go on from.")
    ] = None,
    labels: Labels = None,
    rate: Annotated[
        float | None, typer.Option(help="Highest learning rate; lower it when going on.")
    ] = None,
) -> None:
    """Train one network: locate, refine or marks."""
    from dataclasses import replace
    from itertools import islice

    import torch

    from kdscan.training.dataset import load
    from kdscan.training.fit import TASKS
    from kdscan.training.fit import fit as train

    examples = list(islice(load(out / "train"), limit))
    if name == "marks":
        examples = [*examples * PHOTO_WEIGHT, *islice(load(out / "flat"), limit)]
    if labels is not None:
        if name != "marks":
            raise typer.BadParameter("labelled sheets teach marks alone", param_hint="--labels")
        from kdscan.training.labels import load_labels

        examples += load_labels(labels) * LABEL_WEIGHT
    print(f"{name}: {len(examples)} examples", file=sys.stderr)
    part = out / f"{name}.part.pt"
    task = replace(TASKS[name], rate=rate or TASKS[name].rate)
    net = train(task, examples, steps=steps, seed=seed, checkpoint=part, start=start)
    torch.save(net.state_dict(), out / f"{name}.pt")


@app.command()
def test(
    labels: Annotated[Path, typer.Argument(help="What kdscan export --labels wrote.")],
    weights: Annotated[
        Path | None, typer.Option(help="Checkpoint of marks; the published model if left out.")
    ] = None,
) -> None:
    """How well the marks' network reads the shields that people have seen."""
    from kdscan.training.labels import load_labels, published_figures

    examples = load_labels(labels)
    if not examples:
        raise typer.BadParameter(f"there is no labelled photo in {labels}")
    if weights is None:
        from kdscan.inference.store import default_models

        figures = published_figures(default_models(), examples)
    else:
        import torch

        from kdscan.training.fit import TASKS
        from kdscan.training.measure import as_network, marks_figures, marks_logits

        net = TASKS["marks"].net()
        net.load_state_dict(torch.load(weights))
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
    import torch

    from kdscan.training.dataset import load
    from kdscan.training.export import Calibrated, to_onnx
    from kdscan.training.export import publish as write
    from kdscan.training.fit import TASKS
    from kdscan.training.measure import (
        FIGURES,
        as_network,
        marks_figures,
        marks_logits,
        temperatures,
    )

    held = list(load(out / "held"))
    for name in names.split(","):
        net = TASKS[name].net()
        net.load_state_dict(torch.load(out / f"{name}.pt"))
        net.eval()
        card: dict[str, object] = {
            "steps": TASKS[name].steps,
            "batch": TASKS[name].size,
            "learning_rate": TASKS[name].rate,
            "training_seed": TRAIN_SEED,
            "held_back_seed": HELD_SEED,
            "data": about,
            "parameters": sum(p.numel() for p in net.parameters()),
        }
        if name == "marks":
            said = marks_logits(as_network(net), held)
            warmth = temperatures(said)
            card |= {"temperatures": {"coat": warmth[0], "crosses": warmth[1]}}
            card["figures"] = marks_figures(said)
            net = Calibrated(net, (*warmth, 1.0))
        else:
            card["figures"] = FIGURES[name](as_network(net), held)
        typer.echo(f"{name}: {card['figures']}")
        write(models, name, version, to_onnx(name, net, version), card)


@app.command()
def kingdoms(
    boards: Annotated[
        Path | None, typer.Option(help="Folder of cut-out boards: boards/*.jpg, tiles.csv.")
    ] = None,
    photos: Annotated[
        Path | None,
        typer.Option(help="Folder of photos NAME.jpg beside kdscan score --json's NAME.json."),
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
    from kdscan.errors import UsageError
    from kdscan.synth.tiles import load_boards, load_photos
    from kdscan.training.tiles import Recipe, make_models

    given = [*(load_boards(boards) if boards else ()), *(load_photos(photos) if photos else ())]
    if not given:
        raise UsageError("no kingdoms: name a folder with --boards or --photos")
    recipe = Recipe(photos=count, effort=effort, again=again, about=about)
    make_models(given, held, recipe, out / "kingdoms", models, version, surfaces)


@app.command()
def trust(
    folder: Annotated[Path, typer.Argument(help="Photos of kdscan.synth with their truth.")],
    models: Annotated[Path, typer.Option(help="Where models are kept.")] = Path("models"),
) -> None:
    """Fit how far totals may be believed on whole photos, into the models' manifest."""
    from kdscan.training.trust import calibrate

    typer.echo(calibrate(folder, models))


@app.command()
def compare(out: Out = Path("data/training"), steps: int = 700) -> None:
    """Train marks networks with other planes and widths on the same batches; print the table."""
    from kdscan.training.compare import compare as race
    from kdscan.training.compare import table
    from kdscan.training.dataset import load

    examples = [*load(out / "train"), *load(out / "flat")]
    typer.echo(table(race(examples, list(load(out / "held")), steps)))


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
    version: str = "1",
) -> None:
    """Render, train all three networks, calibrate and publish: some three hours on two cores."""
    render(out, strokes=strokes, surfaces=surfaces)
    for name in ("locate", "refine", "marks"):
        fit(name, out)
    publish(out, version=version)


if __name__ == "__main__":
    app()
