"""Pads: one print with many sheets. python -m lab.synth.pads FOLDER

python -m lab.synth.pads data/pads --pads 12 --filled 30               grounds at random
python -m lab.synth.pads data/pads --pads 2 --ground painted --ground sepia
python -m lab.synth.pads data/pads --level normal --level hard         sheets take turns

Each pad is a folder with an empty sheet, `blank.jpg`, and filled ones, `NNNNNN.jpg`. Each filled
sheet is by a different hand and has its ground truth beside it as `.json`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from msgspec import structs

from kdscan.errors import UsageError
from kdscan.rules.duel.board import Board
from lab.synth.hands.preferences import StrokeBank
from lab.synth.photo.camera import LEVELS, Level
from lab.synth.scene import DrawnPage, Page, SynthPhoto, draw_page, random_page, save_photo, shoot
from lab.synth.sheets.grounds.draw import GROUPS
from lab.synth.tool import Dice, LongSide, Messiness, Quality, run

_PRINT, _BLANK, _SHEET = 11, 12, 13
"""Keep the random numbers of a pad's print, its blank and its sheets independent."""


def pad_print(seed: int, ground: str | None = None, name: str = "pad") -> Page:
    """The print of a pad; ground: see `random_page`."""
    rng = np.random.default_rng([seed, _PRINT])
    layout, bgr, px_per_mm = random_page(rng, ground)
    return structs.replace(layout, name=name), bgr, px_per_mm


def pad_blank(seed: int, page: Page, level: Level, size_wh: tuple[int, int]) -> SynthPhoto:
    """A photo of an empty sheet of a pad."""
    layout, bgr, px_per_mm = page
    empty = DrawnPage(layout, bgr, bgr, px_per_mm, Board(), False)
    return shoot(np.random.default_rng([seed, _BLANK]), empty, level, size_wh=size_wh)


def pad_sheet(
    seed: int,
    number: int,
    page: Page,
    level: Level,
    size_wh: tuple[int, int],
    messiness: float | None = None,
    strokes: StrokeBank | None = None,
    dice: bool | None = None,
) -> SynthPhoto:
    """A photo of the filled sheet of a pad with this number: its own hand, desk, light and camera.

    dice: whether the hand copies the coats of the dice; at random if None.
    """
    rng = np.random.default_rng([seed, _SHEET, number])
    size = size_wh[::-1] if rng.random() < 0.4 else size_wh
    drawn = draw_page(rng, page=page, messiness=messiness, strokes=strokes, dice=dice)
    return shoot(rng, drawn, level, size_wh=size)


def main(
    folder: Path,
    pads: Annotated[int, typer.Option(help="How many pads.", min=1, max=99)] = 4,
    filled: Annotated[int, typer.Option(help="Filled sheets of each.", min=0, max=999)] = 10,
    first: Annotated[int, typer.Option(help="Seed of the first pad.", min=0)] = 70_000_000,
    level: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Difficulty: {', '.join(LEVELS)}; several: sheets take turns; normal by default."
        ),
    ] = None,
    blank_level: Annotated[
        Level, typer.Option(help="Difficulty of the photo of the blank sheet.")
    ] = "easy",
    ground: Annotated[
        list[str] | None,
        typer.Option(help=f"Ground: {', '.join(GROUPS)}, or a family; several: pads take turns."),
    ] = None,
    messiness: Messiness = None,
    strokes: Annotated[
        Path | None, typer.Option(help="Recorded pen strokes (UNIPEN in JSON lines).", exists=True)
    ] = None,
    dice: Dice = None,
    long_side: LongSide = 2016,
    quality: Quality = 90,
) -> None:
    """Write one folder per pad: a blank, and filled sheets with their ground truth."""
    size = (long_side, round(long_side * 0.75))
    levels = [_level(name) for name in level or ["normal"]]
    bank = StrokeBank.load(strokes) if strokes else None
    for i in range(pads):
        kind = ground[i % len(ground)] if ground else None
        name = f"{i:02d}-{kind or 'any'}"
        page = pad_print(first + i, kind, name)
        place = folder / name
        blank = pad_blank(first + i, page, blank_level, size)
        save_photo(place / "blank.jpg", blank.bgr, {"seed": first + i} | blank.truth(), quality)
        for k in range(1, filled + 1):
            lit = levels[(k - 1) % len(levels)]
            sheet = pad_sheet(first + i, k, page, lit, size, messiness, bank, dice)
            truth = {"seed": first + i} | sheet.truth()
            save_photo(place / f"{i:03d}{k:03d}.jpg", sheet.bgr, truth, quality)
        print(place, file=sys.stderr)


def _level(name: str) -> Level:
    for known in LEVELS:
        if name == known:
            return known
    raise UsageError(f"no level {name}; there are {', '.join(LEVELS)}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
