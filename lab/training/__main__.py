"""python -m lab.training: train, calibrate, publish.

python -m lab.training make marks-19                by its recipe
python -m lab.training make marks-19 --effort 1e-4  a trial run
python -m lab.training cards                        update the model cards
python -m lab.training make marks-19 --start models --labels labels/ --set steps=500
python -m lab.training test labels/
python -m lab.training calibrate-totals photos/
"""

from __future__ import annotations

import typer

from lab.synth.tool import run
from lab.training.commands import calibrate_totals, cards, make, test

app = typer.Typer(add_completion=False, help=__doc__, pretty_exceptions_enable=False)
for command in (make, cards, test, calibrate_totals):
    app.command()(command)


if __name__ == "__main__":
    run(app)
