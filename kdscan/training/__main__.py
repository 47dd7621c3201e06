"""python -m kdscan.training: render examples, train, calibrate, publish.

    python -m kdscan.training all --out data/training          everything, in hours
    python -m kdscan.training render --count 6000
    python -m kdscan.training fit marks
    python -m kdscan.training publish
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, help=__doc__)
Out = Annotated[Path, typer.Option(help="Folder for rendered examples and checkpoints.")]
Strokes = Annotated[Path | None, typer.Option(help="Folder with real pen strokes (unipen.jsonl.gz, scribbles.jsonl.gz).")]
Surfaces = Annotated[Path | None, typer.Option(help="Folder with pictures of real surfaces.")]

TRAIN_SEED, HELD_SEED = 1_000_000, 9_000_000
"""First seeds of training and of held-back examples; they never meet."""


@app.command()
def render(
    out: Out = Path("data/training"), count: int = 8000, held: int = 500, strokes: Strokes = None, surfaces: Surfaces = None,
    workers: int = 2,
) -> None:  # fmt: skip
    """Render training and held-back examples; resumes where it stopped."""
    from kdscan.training.dataset import render as render_examples

    render_examples(out / "held", HELD_SEED, held, strokes=strokes, surfaces=surfaces, workers=workers)
    render_examples(out / "train", TRAIN_SEED, count, strokes=strokes, surfaces=surfaces, workers=workers)


@app.command()
def fit(name: str, out: Out = Path("data/training"), steps: int | None = None, seed: int = 0, limit: int | None = None) -> None:
    """Train one network: locate, refine or marks."""
    from itertools import islice

    import torch

    from kdscan.training.dataset import load
    from kdscan.training.fit import TASKS
    from kdscan.training.fit import fit as train

    examples = list(islice(load(out / "train"), limit))
    print(f"{name}: {len(examples)} examples", file=sys.stderr)
    net = train(TASKS[name], examples, steps=steps, seed=seed, checkpoint=out / f"{name}.part.pt")
    torch.save(net.state_dict(), out / f"{name}.pt")


if __name__ == "__main__":
    app()
