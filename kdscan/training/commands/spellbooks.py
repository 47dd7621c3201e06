"""The network of spellbooks."""

from __future__ import annotations

from pathlib import Path

import typer

from kdscan.training.commands.options import Out, Store

PHOTO_SHARE = 3
"""How much oftener than a drawn page a photographed spellbook is shown."""


def spellbook(
    out: Out = Path("data/training"),
    models: Store = Path("models"),
    version: str = "1",
    pages: int = 900,
    photos: int = 200,
    held: int = 140,
    steps: int = 4000,
) -> None:
    """Make the network that reads spellbooks: render, train, calibrate, publish, in an hour."""
    from kdscan.training import spellbook_examples as data
    from kdscan.training.spellbook import TASK
    from kdscan.training.spellbook import publish as write
    from kdscan.training.state import Run
    from kdscan.training.supply import Given
    from kdscan.training.trainer import train

    shown = [*data.page_examples(data.PAGE_SEED, pages)]
    seen = [e for _, e in data.photo_examples(data.PHOTO_SEED, photos) if e is not None]
    shown += PHOTO_SHARE * seen
    kept = [e for _, e in data.photo_examples(data.HELD_SEED, held) if e is not None]
    out.mkdir(parents=True, exist_ok=True)
    data.save(out / "spellbook-held.npz", kept)
    card = {"steps": steps, "training_seeds": [data.PAGE_SEED, data.PHOTO_SEED]}
    card |= {"pages": pages, "photos": photos, "held_back": held, "held_back_seed": data.HELD_SEED}
    run = Run("spellbook", steps, TASK.rate)
    net = train(TASK, run, Given(shown), out / "spellbook", resume=True)
    done = write(net, kept, models, version, card)
    typer.echo(f"spellbook: {done['figures']}")
