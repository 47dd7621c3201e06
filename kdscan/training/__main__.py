"""python -m kdscan.training: train, calibrate, publish.

python -m kdscan.training make marks-19                by its recipe
python -m kdscan.training make marks-19 --effort 1e-4  a trial run
python -m kdscan.training cards                        update the model cards
python -m kdscan.training fit marks --resume --steps 90000 --device cuda
python -m kdscan.training fit marks --start models --labels labels/
python -m kdscan.training test labels/
python -m kdscan.training calibrate-totals photos/
"""

from __future__ import annotations

import typer

from kdscan.synth.tool import run
from kdscan.training.commands import making, maps

app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)
for command in (
    making.make,
    making.cards,
    maps.fit,
    maps.test,
    maps.calibrate_totals,
    making.kingdoms,
):
    app.command()(command)


if __name__ == "__main__":
    run(app)
