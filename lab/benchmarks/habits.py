"""A gallery of habits: sheets that each show one habit of drawing, for `lab.benchmarks.accuracy`.

    python -m lab.benchmarks.habits gallery             every habit on pale and painted designs
    python -m lab.benchmarks.habits gallery --only cross --designs 8     crosses alone, more sheets
    python -m lab.benchmarks.habits gallery --ground held-out   on grounds that no training showed
    python -m lab.benchmarks.accuracy gallery --show wrong             how well they are read

A tidy hand draws a played board with one habit of `lab.synth.hands.habits` (held-out ones too)
or of conduct (`habits.toml`), on designs with seeds that no training uses; photos are easy.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from kdscan.errors import UsageError
from kdscan.rules.duel.board import Board
from kdscan.workers.pool import cores
from lab.synth.fields import Rng
from lab.synth.hands.habits import HABITS, TIDY, Part
from lab.synth.hands.preferences import StrokeBank
from lab.synth.hands.sketch import Hand
from lab.synth.pads import pad_print
from lab.synth.scene import draw_page, played_board, save_photo, shoot
from lab.synth.tool import run

FIRST = 91_000_000
"""Seed of the first design: far from those of training and of other benchmarks."""

POOL = 24
"""Designs of each ground, which the habits use in turn."""

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Coats in which habits show, and habits that do not belong to a single part of a sheet."""

BOARDS = 8
"""Number of played boards to choose from."""


@dataclass(frozen=True)
class Habit:
    """One habit of the gallery. traits: what it changes of `Preferences`; hand: of `Hand`."""

    part: str
    name: str
    held_out: bool = False
    habits: Mapping[Part, str] = field(default_factory=dict)
    traits: Mapping[str, float | bool] = field(default_factory=dict)
    hand: Mapping[str, float | bool] = field(default_factory=dict)
    messiness: float = 0.3

    def of(self, rng: Rng) -> Hand:
        """A hand that has this habit and is plain in all other respects."""
        hand = Hand.random(rng, {**TIDY, **self.habits}, dice=False)
        traits = replace(hand.traits, faithful=1.0, past=0.0, slop=min(hand.traits.slop, 0.5))
        traits = replace(traits, **self.traits)  # type: ignore[arg-type]
        drawn = {"borders": 0.0, "rims": 0.0, "overruns": 0.0, "swaps": 0.0, **self.hand}
        return replace(hand, traits=traits, **drawn)  # type: ignore[arg-type]

    def board(self, rng: Rng) -> tuple[Board, bool]:
        """A played board on which the habit shows often."""
        boards = [played_board(rng) for _ in range(BOARDS)]
        coats = [coat for part in self.habits for coat in DATA["coats"].get(part, ())]
        return max(boards, key=lambda b: sum(shield.coat in coats for shield in b[0].values()))


_SHOWN_BY: Mapping[Part, Mapping[Part, str]] = {"lines": {"line": "stroke"}}
"""Habits of other parts without which those of a part would not show."""

GALLERY = (
    *(
        Habit(part, name, habit.held_out, {part: name, **_SHOWN_BY.get(part, {})})
        for part, habits in HABITS.items()
        for name, habit in habits.items()
    ),
    *(Habit("conduct", **conduct) for conduct in DATA["conduct"]),
)
"""Every habit there is: of coats, crosses, pens, additions by players, and conduct."""

_design = cache(pad_print)


def draw(folder: Path, strokes: Path | None, job: tuple[int, int, str]) -> None:
    """Draw and photograph one sheet; job: number of the habit and of the design, the ground."""
    number, design, ground = job
    habit = GALLERY[number]
    rng = np.random.default_rng([FIRST, number, design, len(ground)])
    page = draw_page(
        rng,
        page=_design(FIRST + (number + 7 * design) % POOL, ground, ground),
        played=habit.board(rng),
        messiness=habit.messiness,
        strokes=StrokeBank.load(strokes) if strokes else None,
        hand=habit.of(rng),
    )
    photo = shoot(rng, page, "easy", size_wh=(2016, 1512))
    group = f"{'held out' if habit.held_out else 'by lot'}, {ground}"
    about = {"level": group, "design": f"{habit.part}: {habit.name}"}
    name = f"{habit.part}-{habit.name}-{ground}-{design}.jpg".replace(" ", "_")
    save_photo(folder / name, photo.bgr, photo.truth() | about)


def main(
    folder: Path,
    designs: Annotated[int, typer.Option(help="Of each ground, for each habit.")] = 2,
    ground: Annotated[list[str] | None, typer.Option(help="As in lab.synth; repeatable.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Parts or habits; repeatable.")] = None,
    strokes: Annotated[Path | None, typer.Option(help="Folder of recorded strokes.")] = None,
    workers: int = cores(),
) -> None:
    """Draw the gallery into a folder."""
    wanted = [i for i, h in enumerate(GALLERY) if not only or {h.part, h.name} & {*only}]
    if not wanted:
        raise UsageError(f"no habit {only}; parts: {', '.join(HABITS)}, conduct")
    jobs = itertools.product(wanted, range(designs), ground or ["pale", "painted"])
    with ProcessPoolExecutor(workers, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        for _ in pool.map(partial(draw, folder, strokes), jobs):
            pass


if __name__ == "__main__":
    run(lambda: typer.run(main))
