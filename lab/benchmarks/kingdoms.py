"""Accuracy of reading kingdoms: cut-out boards, and synthetic photos composed of their squares.

python -m lab.benchmarks.kingdoms FOLDER                        boards/*.jpg with tiles.csv
python -m lab.benchmarks.kingdoms FOLDER --photos 50            and photos of kingdoms
python -m lab.benchmarks.kingdoms FOLDER --models DIR --fold 0/2   other models; held-back kingdoms

`--fold K/N`: only kingdoms whose number is K modulo N.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from kdscan.errors import NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.inference.store import Models, default_models
from kdscan.reader import read_photo
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES, score_kingdom
from kdscan.sheets.kingdom.interpret import kingdom_of
from kdscan.sheets.kingdom.model import KingdomReading
from lab.synth.fields import F64
from lab.synth.kingdoms.scene import HALF, KingdomPhoto, Square, make_kingdom_photo
from lab.synth.kingdoms.tiles import SQUARE_PX, Bank, load_boards
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.scenery import load_surfaces
from lab.synth.tool import run


@dataclass
class Tally:
    """Results of some kingdoms: right and all squares, totals, silent errors, confidences. ghosts:
    kingdoms read where no square of one lies."""

    squares: Counter[bool] = field(default_factory=Counter)
    totals: Counter[bool] = field(default_factory=Counter)
    silent: int = 0
    reviews: int = 0
    missing: int = 0
    ghosts: int = 0
    stated: list[float] = field(default_factory=list)

    def add(self, right: int, wrong: int, total: bool, reading: KingdomReading | None) -> None:
        self.squares.update({True: right, False: wrong})
        self.totals[total] += 1
        self.missing += reading is None
        review = reading is None or reading.review
        self.silent += not (total or review)
        self.reviews += review
        self.stated += [reading.confidence] if reading else []

    def __str__(self) -> str:
        squares, totals = self.squares.total(), self.totals.total()
        return (
            f"squares {self.squares[True] / max(squares, 1):.4f} of {squares}, "
            f"totals {self.totals[True]}/{totals} where {sum(self.stated):.1f} were believed, "
            f"silent {self.silent}, reviews {self.reviews}, not found {self.missing}, "
            f"{self.ghosts} where there are none"
        )


def judge(photo: KingdomPhoto, models: Models, tally: Tally) -> list[str]:
    """Compare all kingdoms that are fully in view; squares are matched by place, whichever way a
    kingdom was read. Returns the errors."""
    try:
        sheets = read_photo(Photo(photo.bgr), models, game="kingdomino")
    except NoSheetFound:
        sheets = ()
    readings = [sheet for sheet in sheets if isinstance(sheet, KingdomReading)]
    numbers = np.array([square.kingdom for square in photo.squares])
    away = [_away(reading, photo) for reading in readings]
    ghosts = sum(not (far[:, numbers >= 0].min(0) < 0.5).any() for far in away)
    tally.ghosts += ghosts
    wrong = ghosts * ["a kingdom where there is none"]
    for number in sorted(set(numbers[numbers >= 0])):
        own = np.flatnonzero(numbers == number)
        corners = photo.corners_xy[own]
        if not ((corners > -1) & (corners < photo.bgr.shape[1::-1])).all():
            continue
        hits = [int((far[:, own].min(0) < 0.5).sum()) for far in away]
        if not any(hits):
            tally.add(0, len(own), False, None)
            wrong.append("not found")
            continue
        best = int(np.argmax(hits))
        reading, far = readings[best], away[best][:, own]
        errors = []
        for i, near, off in zip(own, far.argmin(0), far.min(0), strict=True):
            square, kind = reading.cells[near], SQUARE_CLASSES[photo.squares[i].kind]
            if off > 0.5 or square.content != kind:
                errors.append(f"{kind} read as {square.content}, {off:.2f} off")
        extra = max(0, sum(s.content[0] != "empty" for s in reading.cells) - len(own))
        cells = np.array([photo.squares[i].cell for i in own])
        kinds = np.full((photo.size, photo.size), EMPTY, np.int64)
        kinds[tuple((cells - cells.min(0)).T)] = [photo.squares[i].kind for i in own]
        castle = int(np.flatnonzero(kinds == CASTLE)[0])
        true = score_kingdom(kingdom_of(tuple(map(int, kinds.ravel())), castle, len(kinds)))
        right = reading.score.domain_points == true.total
        tally.add(len(own) - len(errors), len(errors) + extra, right, reading)
        wrong += errors + ([f"{extra} squares too many"] if extra else [])
    return wrong


def _away(reading: KingdomReading, photo: KingdomPhoto) -> F64:
    """(N, M): distance from the centre of each square read to those of the photo's squares, in
    sides of the latter."""
    corners = photo.corners_xy
    sides = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    centers = reading.rectified.centers_xy.reshape(-1, 2)
    return np.asarray(np.linalg.norm(centers[:, None] - corners.mean(1), axis=-1) / sides)


def main(
    folder: Path,
    models: Annotated[Path | None, typer.Option(help="Folder of other models.")] = None,
    fold: Annotated[str, typer.Option(help="Which kingdoms.")] = "0/1",
    photos: Annotated[int, typer.Option(help="How many synthetic photos.")] = 0,
    first: Annotated[int, typer.Option(help="Seed of the first one.")] = 50_000_000,
    surfaces: Annotated[Path | None, typer.Option(help="Table tops for these photos.")] = None,
    show: Annotated[Path | None, typer.Option(help="Where to write photos read wrong.")] = None,
) -> None:
    """Print the figures, and every square that was read wrong."""
    cv2.setNumThreads(1)
    used = Models(models) if models else default_models()
    everything = load_boards(folder)
    part, parts = map(int, fold.split("/"))
    boards = [board for board in everything if int(board.kingdom) % parts == part]
    tally = Tally()
    for board in boards:
        squares = tuple(
            Square(0, at, int(kind), (HALF + 0.5 + at[::-1]) * SQUARE_PX)
            for at, kind in np.ndenumerate(board.kinds)
        )
        corners = np.stack([square.corners for square in squares]) - 0.5
        shown = KingdomPhoto(board.bgr, squares, corners, len(board.kinds))
        for error in judge(shown, used, tally):
            print(f"{board.name}: {error}")
    print(f"{len({b.kingdom for b in boards})} kingdoms, {len(boards)} cut-out boards: {tally}")
    bank = Bank(boards, everything)
    tops = load_surfaces(surfaces)
    for level in HAND_HELD if photos else ():
        tally = Tally()
        for seed in range(first, first + photos):
            size = 7 if seed % 3 == 0 else 5
            photo = make_kingdom_photo(
                seed, level, bank, size=size, whole=seed % 4 == 1, surfaces=tops
            )
            wrong = judge(photo, used, tally)
            if wrong:
                print(seed, level, size, *wrong, sep="\n   ")
                if show:
                    cv2.imwrite(str(show / f"{seed}-{level}.jpg"), photo.bgr)
        print(f"{photos} {level} photos: {tally}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
