"""Pictures of the tiles' squares, cut from photos of finished kingdoms.

A board is a kingdom seen from straight above, with the kind of each square. Boards come
from cut-out pictures with a table of their squares (`load_boards`), or from photos with
the output of `kdscan score --json`, corrected where it was wrong (`load_photos`).
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from kdscan.errors import UsageError
from kdscan.imaging.picture import Photo, flatten
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES
from lab.synth.fields import I64, U8, Rng, any_of, shrunk, u8

SQUARE_PX = 100
"""Side of a square's picture."""


@dataclass(frozen=True, eq=False)
class Board:
    """A kingdom from straight above.

    name: of the file. kingdom: shared by boards that show the same kingdom, so that they
    are held out together.
    bgr: (R * SQUARE_PX, C * SQUARE_PX, 3) uint8.
    kinds: (R, C) int64, index into `SQUARE_CLASSES` of each square.
    """

    name: str
    kingdom: str
    bgr: U8
    kinds: I64


def load_boards(folder: Path) -> list[Board]:
    """Cut-out boards: NUMBER.jpg in `folder`/boards, listed in `folder`/tiles.csv. The table has
    the columns board, kingdom, row, col, terrain, crowns. Raises UsageError."""
    table = folder / "tiles.csv"
    if not table.is_file():
        raise UsageError(f"{table}: there is no such table of squares")
    rows: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for row in csv.DictReader(table.read_text("utf-8").splitlines()):
        rows[row["board"]].append(row)
    boards = []
    for name, squares in rows.items():
        bgr = cv2.imread(str(folder / "boards" / f"{name}.jpg"))
        if bgr is None:
            raise UsageError(f"{folder / 'boards' / name}.jpg: this picture cannot be read")
        shape = tuple(1 + max(int(s[key]) for s in squares) for key in ("row", "col"))
        kinds = np.full(shape, EMPTY, np.int64)
        for s in squares:
            kinds[int(s["row"]), int(s["col"])] = SQUARE_CLASSES.index(
                (s["terrain"], int(s["crowns"]))
            )
        size = (shape[1] * SQUARE_PX, shape[0] * SQUARE_PX)
        flat = shrunk(u8(bgr), size)
        boards.append(Board(name, squares[0]["kingdom"], flat, kinds))
    return boards


def load_photos(folder: Path) -> list[Board]:
    """Boards of photos NAME.jpg beside NAME.json, which `kdscan score --json` wrote. Raises
    UsageError if a picture or its reading is missing or invalid."""
    boards = []
    for path in sorted(folder.glob("*.json")):
        bgr = cv2.imread(str(path.with_suffix(".jpg")))
        if bgr is None:
            raise UsageError(f"{path.with_suffix('.jpg')}: there is no such picture")
        picture = u8(bgr)
        try:
            document = json.loads(path.read_text("utf-8"))
            sheets = [s for photo in document["photos"] for s in photo["sheets"]]
            for number, sheet in enumerate(s for s in sheets if s["kind"] == "kingdom"):
                cells = sheet["cells"]
                rows, cols = (1 + max(cell[key] for cell in cells) for key in ("row", "col"))
                centers = np.zeros((rows, cols, 2))
                kinds = np.full((rows, cols), EMPTY, np.int64)
                for cell in cells:
                    centers[cell["row"], cell["col"]] = cell["center"]
                    kind = SQUARE_CLASSES.index((cell["terrain"], cell["crowns"]))
                    kinds[cell["row"], cell["col"]] = kind
                flat = flatten(Photo(picture), centers, SQUARE_PX, 0)
                boards.append(Board(f"{path.stem}-{number}", path.stem, flat, kinds))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: not what kdscan score --json writes ({error})") from error
    return boards


class Bank:
    """Pictures of squares by kind, to lay new kingdoms with.

    others: boards whose squares are used for kinds that none of `boards` shows.
    kinds: the kinds that there are pictures of, except castle and empty.
    """

    def __init__(self, boards: Iterable[Board], others: Iterable[Board] = ()) -> None:
        self.boards = tuple(boards)
        self._pictures = _by_kind(self.boards)
        for kind, pictures in _by_kind(others).items():
            self._pictures.setdefault(kind, pictures)
        self.kinds: Sequence[int] = sorted(set(self._pictures) - {EMPTY, CASTLE})

    def pick(self, rng: Rng, kind: int) -> U8:
        """A picture of a square of that kind, (SQUARE_PX, SQUARE_PX, 3), rotated at random."""
        chosen = any_of(rng, self._pictures[kind])
        return u8(np.rot90(chosen, int(rng.integers(4))))


def _by_kind(boards: Iterable[Board]) -> dict[int, list[U8]]:
    """The pictures of the boards' squares. Squares beside a castle are used only if no other shows
    their kind, because a standing castle hides what is behind it."""
    clear: defaultdict[int, list[U8]] = defaultdict(list)
    beside: defaultdict[int, list[U8]] = defaultdict(list)
    for board in boards:
        castles = np.argwhere(board.kinds == CASTLE)
        for (row, col), kind in np.ndenumerate(board.kinds):
            y, x = row * SQUARE_PX, col * SQUARE_PX
            picture = board.bgr[y : y + SQUARE_PX, x : x + SQUARE_PX]
            away = np.abs(castles - (row, col)).sum(1)
            (beside if (away == 1).any() else clear)[int(kind)].append(
                np.ascontiguousarray(picture)
            )
    return {**beside, **clear}
