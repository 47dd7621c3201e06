"""python -m kdscan.training: train, calibrate, publish.

python -m kdscan.training all --out data/training          everything, in hours
python -m kdscan.training fit marks
python -m kdscan.training fit marks --resume --steps 90000 --device cuda
python -m kdscan.training fit marks --start models --labels labels/ --steps 500
python -m kdscan.training render                           photos held back, to measure on
python -m kdscan.training test labels/
python -m kdscan.training publish
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from kdscan.synth.tool import run
from kdscan.training.commands import kingdoms, maps, spellbooks
from kdscan.training.commands.options import Network, Out, Store, Strokes, Surfaces

TRUST_SEED, TRUSTED, OWN_TRUSTED = 21_000_000, 1600, 500
"""First seed and numbers of the whole photos, of any design and of our own sheet, that say how far
totals may be believed."""


def cards(
    root: Annotated[Path, typer.Option(help="The repository.", file_okay=False)] = Path(),
) -> None:
    """Write the cards of the models that ship, and the tables of README.md and models/README.md."""
    from kdscan.training.cards import write

    for path in write(root):
        typer.echo(path)


app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)
for command in (
    *(maps.render, maps.fit, maps.test, maps.publish, maps.trust, maps.compare, cards),
    *(kingdoms.kingdoms, spellbooks.spellbook),
):
    app.command()(command)


@app.command(name="all")
def everything(
    out: Out = Path("data/training"),
    strokes: Strokes = None,
    surfaces: Surfaces = None,
    models: Store = Path("models"),
    version: str = "1",
    effort: Annotated[
        float, typer.Option(help="Share of the work: 0.001 to try the command out.", min=1e-4)
    ] = 1.0,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1.")] = "cpu",
) -> None:
    """Train the networks of maps, publish them and fit the trust.

    Most of a day on two cores. What an earlier run has finished is kept, and what it had begun
    goes on.
    """
    from kdscan.synth.__main__ import main as photograph
    from kdscan.training import state
    from kdscan.training.tasks import TASKS
    from kdscan.training.trust import calibrate

    def some(usual: int) -> int:
        return max(3, round(usual * effort))

    seen: dict[str, Any] = {"strokes": strokes, "surfaces": surfaces}
    counts: dict[str, Any] = {
        "held": some(maps.HELD),
        "ink": some(maps.HELD_INK),
    }
    maps.render(out, **counts, **seen)
    for name in get_args(Network):
        steps = some(TASKS[name].steps)
        kept = state.latest(out / name)
        if kept is not None and kept[0] >= steps:
            print(f"{name}: trained already", file=sys.stderr)
        else:
            maps.fit(name, out, steps=steps, resume=True, device=device, **seen)
    maps.publish(out, models=models, version=version)
    trusted = ((out / "trust", False, TRUSTED), (out / "trust-own", True, OWN_TRUSTED))
    for folder, own, many in trusted:
        for seed in range(TRUST_SEED, TRUST_SEED + some(many)):
            if not (folder / f"{seed:08d}.json").exists():
                photograph(folder, count=1, first=seed, own=own, style="mixed")
        typer.echo(calibrate(folder, models))


if __name__ == "__main__":
    run(app)
