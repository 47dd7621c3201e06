"""Accuracy of reading kingdoms: cut-out boards, and synthetic photos composed of their squares.

python -m lab.benchmarks.kingdoms FOLDER                        boards/*.jpg with tiles.csv
python -m lab.benchmarks.kingdoms FOLDER --photos 50            and photos of kingdoms
python -m lab.benchmarks.kingdoms FOLDER --models DIR --fold 0/2   other models; held-back kingdoms

`--fold K/N`: only kingdoms whose number is K modulo N.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from kdscan.errors import NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.inference.store import Models, default_models
from kdscan.reader import read_photo
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES, Kingdom
from kdscan.rules.kingdomino.scoring import score_kingdom
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.kingdom.interpret import kingdom_of
from kdscan.sheets.kingdom.model import KingdomReading
from lab.synth.kingdoms.scene import KingdomPhoto, make_kingdom_photo
from lab.synth.kingdoms.tiles import Bank, Board, load_boards
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.scenery import load_surfaces
from lab.synth.tool import run

RULES = Variants(middle_kingdom=True, harmony=True)


@dataclass
class Tally:
    """Results: right and all squares, totals, silent errors, seconds of processor time.

    ghosts: kingdoms read where no square of one lies.
    """

    squares: Counter[bool] = field(default_factory=Counter)
    totals: Counter[bool] = field(default_factory=Counter)
    silent: int = 0
    reviews: int = 0
    missing: int = 0
    ghosts: int = 0
    said: list[tuple[float, bool]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, right: int, wrong: int, total: bool, reading: KingdomReading | None) -> None:
        self.squares.update({True: right, False: wrong})
        self.totals[total] += 1
        self.missing += reading is None
        review = reading is None or reading.review
        self.silent += (not total) and not review
        self.reviews += review
        if reading is not None:
            self.said.append((reading.confidence, total))

    def __str__(self) -> str:
        squares, totals = self.squares.total(), self.totals.total()
        believed = sum(p for p, _ in self.said)
        return (
            f"squares {self.squares[True] / max(squares, 1):.4f} of {squares}, "
            f"totals {self.totals[True]}/{totals}, silent {self.silent}, "
            f"reviews {self.reviews}, not found {self.missing}, "
            f"{self.ghosts} where there are none, "
            f"right {sum(right for _, right in self.said)} where {believed:.1f} were believed, "
            f"median {np.median(self.seconds):.3f} s"
        )


def total_of(kinds: NDArray[np.int64]) -> int:
    """The score of a board with all extra rules."""
    return score_kingdom(_kingdom(kinds), replace(RULES, great_duel=len(kinds) == 7)).total


def read(bgr: NDArray[np.uint8], models: Models, tally: Tally) -> list[KingdomReading]:
    """The kingdoms found, the largest first; adds the time to the tally."""
    began = time.process_time()
    try:
        found = read_photo(Photo(bgr), models, game="kingdomino", variants=RULES)
    except NoSheetFound:
        found = ()
    tally.seconds.append(time.process_time() - began)
    return [one for one in found if isinstance(one, KingdomReading)]


def judge_board(board: Board, models: Models, tally: Tally) -> list[str]:
    """Compare a cut-out board's squares by row and column; returns the errors."""
    reading = next(iter(read(board.bgr, models, tally)), None)
    said = {(s.row, s.col): (s.terrain, s.crowns) for s in (reading.squares if reading else ())}
    wrong = [
        f"{board.name}: ({r},{c}) is {SQUARE_CLASSES[k]}, read as {said.get((r, c))}"
        for (r, c), k in np.ndenumerate(board.kinds)
        if said.get((r, c)) != SQUARE_CLASSES[k]
    ]
    right = reading is not None and reading.score.total == total_of(board.kinds)
    tally.add(board.kinds.size - len(wrong), len(wrong), right, reading)
    if reading and not right:
        wrong.append(f"{board.name}: {reading.score.total} points at {reading.confidence:.3f}")
    return wrong


def judge_photo(photo: KingdomPhoto, models: Models, tally: Tally) -> list[str]:
    """Compare all kingdoms that are fully in view; squares are matched by place, whichever way a
    kingdom was read."""
    readings = read(photo.bgr, models, tally)
    there = [i for i, s in enumerate(photo.squares) if s.kingdom >= 0]
    ghosts = sum(not (_away(one, photo, there).min(0) < 0.5).any() for one in readings)
    tally.ghosts += ghosts
    wrong = ghosts * ["a kingdom where there is none"]
    for number in sorted({photo.squares[i].kingdom for i in there}):
        mine = [i for i, s in enumerate(photo.squares) if s.kingdom == number]
        corners = photo.corners_xy[mine]
        if ((corners > 0) & (corners < photo.bgr.shape[1::-1])).all():
            wrong += _judge_kingdom(photo, mine, readings, tally)
    return wrong


def _judge_kingdom(
    photo: KingdomPhoto, mine: list[int], readings: list[KingdomReading], tally: Tally
) -> list[str]:
    away = [_away(reading, photo, mine) for reading in readings]
    held = [int((one.min(0) < 0.5).sum()) for one in away]
    if not any(held):
        tally.add(0, len(mine), False, None)
        return ["not found"]
    best = int(np.argmax(held))
    reading, far = readings[best], away[best]
    wrong = []
    for i, near, off in zip(mine, far.argmin(0), far.min(0), strict=True):
        said, kind = reading.squares[near], SQUARE_CLASSES[photo.squares[i].kind]
        if off > 0.5 or (said.terrain, said.crowns) != kind:
            wrong.append(f"{kind} read as {(said.terrain, said.crowns)}, {off:.2f} off")
    extra = max(0, sum(s.terrain != "empty" for s in reading.squares) - len(mine))
    cells = np.array([photo.squares[i].cell for i in mine])
    kinds = np.full((photo.size, photo.size), EMPTY, np.int64)
    kinds[tuple((cells - cells.min(0)).T)] = [photo.squares[i].kind for i in mine]
    right = reading.score.domain_points == score_kingdom(_kingdom(kinds)).total
    tally.add(len(mine) - len(wrong), len(wrong) + extra, right, reading)
    return wrong + ([f"{extra} squares too many"] if extra else [])


def _away(reading: KingdomReading, photo: KingdomPhoto, squares: list[int]) -> NDArray[np.float64]:
    """(N, M): distance from the centre of each square read to those of these squares, in sides of
    the latter."""
    corners = photo.corners_xy[squares]
    sides = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    centers = reading.rectified.centers_xy.reshape(-1, 2)
    return np.asarray(np.linalg.norm(centers[:, None] - corners.mean(1), axis=-1) / sides)


def _kingdom(kinds: NDArray[np.int64]) -> Kingdom:
    castle = int(np.flatnonzero(kinds == CASTLE)[0])
    return kingdom_of(tuple(map(int, kinds.ravel())), castle, len(kinds))


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
        print(*judge_board(board, used, tally), sep="\n", end="")
    print(f"\n{len({b.kingdom for b in boards})} kingdoms, {len(boards)} cut-out boards: {tally}")
    bank = Bank(boards, everything)
    tops = load_surfaces(surfaces)
    for level in HAND_HELD if photos else ():
        tally = Tally()
        for seed in range(first, first + photos):
            size = 7 if seed % 3 == 0 else 5
            photo = make_kingdom_photo(
                seed, level, bank, size=size, whole=seed % 4 == 1, surfaces=tops
            )
            wrong = judge_photo(photo, used, tally)
            if wrong:
                print(seed, level, size, *wrong, sep="\n   ")
                if show:
                    cv2.imwrite(str(show / f"{seed}-{level}.jpg"), photo.bgr)
        print(f"{photos} {level} photos: {tally}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
