"""python -m lab.training: train, calibrate, publish.

python -m lab.training make marks-19                by its recipe
python -m lab.training make marks-19 --effort 1e-4  a trial run
python -m lab.training cards                        update the model cards
python -m lab.training fit marks --resume --steps 90000 --device cuda
python -m lab.training fit marks --start models --labels labels/
python -m lab.training test labels/
python -m lab.training calibrate-totals photos/
"""

from __future__ import annotations

import typer

from lab.synth.tool import run
from lab.training.commands import calibrate_totals, cards, fit, kingdoms, make, test

app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)
for command in (make, cards, fit, test, calibrate_totals, kingdoms):
    app.command()(command)


if __name__ == "__main__":
    run(app)
