"""Stored training examples of kingdoms, rendered or photographed; see `kingdom_samples`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import flatten, lattice_points, project
from kdscan.rules.kingdomino.tiles import EMPTY
from kdscan.sheets.kingdom.squares import SIDE_PX
from lab.synth.fields import F32, U8
from lab.synth.kingdoms.scene import KingdomPhoto, make_kingdom_photo
from lab.synth.kingdoms.tiles import SQUARE_PX, Bank, Board
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.desk import load_surfaces
from lab.synth.scene import make_photo
from lab.training.dataset import jpeg, thumbnail

RING = 0.4
"""Squares of margin around a stored rectified kingdom, for displaced crops."""

UNLABELLED = -1
"""Kind of an unlabelled square."""

SMALLEST_PX = 26
"""Pixels: on smaller squares crowns cannot be recognised."""


@dataclass(frozen=True, eq=False)
class Flat:
    """A rectified kingdom with a ring of table around it.

    picture: JPEG, `SIDE_PX` a square, `RING` squares of margin.
    kinds: (R, C) int64, index into `KINDS`, or `UNLABELLED`.
    """

    picture: bytes
    kinds: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KingdomExample:
    """What is stored of a photo.

    thumb: JPEG. corners: (N, 4, 2) float32, corners of its squares in its pixels; empty without a
    kingdom. flats: its kingdoms. cut_out: the thumbnail is a cut-out board that fills the picture.
    """

    thumb: bytes
    corners: F32
    flats: tuple[Flat, ...]
    cut_out: bool = False


def example_from_board(board: Board) -> KingdomExample:
    """The example of a cut-out board; squares around it are unlabelled."""
    rows, cols = board.kinds.shape
    at = lattice_points(rows, cols)[board.kinds != EMPTY]
    half = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    corners = (at[:, None] + half) * SQUARE_PX - 0.5
    size = (cols * SIDE_PX, rows * SIDE_PX)
    small = cv2.resize(board.bgr, size, interpolation=cv2.INTER_AREA)
    pad = round((1 + RING) * SIDE_PX)
    wide = cv2.copyMakeBorder(small, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    kinds = np.pad(board.kinds, 1, constant_values=UNLABELLED)
    flat = Flat(jpeg(np.asarray(wide, np.uint8)), kinds)
    return KingdomExample(jpeg(board.bgr), corners.astype(np.float32), (flat,), cut_out=True)


def example_from_photo(photo: KingdomPhoto) -> KingdomExample:
    """The example of a synthetic photo; `flats` leaves out kingdoms that are clipped or too
    small."""
    thumb, scale = thumbnail(photo.bgr)
    flats = []
    for number in {s.kingdom for s in photo.squares if s.kingdom >= 0}:
        mine = [i for i, s in enumerate(photo.squares) if s.kingdom == number]
        inside = (photo.corners_xy[mine] > 0).all() and (
            photo.corners_xy[mine] < photo.bgr.shape[1::-1]
        ).all()
        sides = np.linalg.norm(np.diff(photo.corners_xy[mine], axis=1), axis=-1)
        if inside and np.median(sides) > SMALLEST_PX:
            flats.append(_flat(photo, mine))
    middle = photo.corners_xy.mean(1)
    seen = ((middle > 0) & (middle < photo.bgr.shape[1::-1])).all(1)
    corners = (photo.corners_xy[seen] + 0.5) * scale - 0.5
    return KingdomExample(thumb, corners.astype(np.float32), tuple(flats))


def _flat(photo: KingdomPhoto, squares: Sequence[int]) -> Flat:
    """The kingdom of these squares, rectified by the plane of their centres, with a ring around."""
    cells = np.array([photo.squares[i].cell for i in squares])
    low = cells.min(0) - 1
    rows, cols = cells.max(0) - low + 2
    kinds = np.full((rows, cols), EMPTY, np.int64)
    kinds[tuple((cells - low).T)] = [photo.squares[i].kind for i in squares]
    centers = photo.corners_xy[squares].mean(1)
    places = (cells - low)[:, ::-1].astype(np.float64)
    plane, _ = cv2.findHomography(places, centers, 0)
    seen = project(np.asarray(plane, np.float64), lattice_points(rows, cols))
    return Flat(jpeg(flatten(Photo(photo.bgr), seen, SIDE_PX, RING)), kinds)


_worker: tuple[Bank, list[U8]]


def init_worker(boards: list[Board], surfaces: Path | None) -> None:
    """Initialise a worker process with the boards and pictures of tables it renders with."""
    global _worker
    cv2.setNumThreads(1)
    _worker = Bank(boards), load_surfaces(surfaces)


LONG_PX = 1440
"""Pixels: longer side of a photo."""

OVERHEAD_SHARE = 0.4
"""Share of tables rendered from above, without a camera."""

WHOLE_SHARE = 0.25
"""Share of photos of a cut-out board in one piece."""

OTHER_SHARE = 0.08
"""Share of photos that show no kingdom but a map of Kingdomino Duel."""


def example(seed: int) -> KingdomExample:
    """The photo of a seed; call `init_worker` first."""
    bank, tiles = _worker
    rng = np.random.default_rng([seed, 12])
    level = HAND_HELD[int(rng.choice(3, p=[0.3, 0.4, 0.3]))]
    above = rng.random() < OVERHEAD_SHARE
    size = (LONG_PX, round(LONG_PX * rng.choice([0.75, 0.75, 0.5625, 1.0])))
    size = size[::-1] if rng.random() < 0.5 else size
    some = [tiles[i] for i in rng.choice(len(tiles), 8)] if tiles else []
    if rng.random() < OTHER_SHARE:
        thumb, _ = thumbnail(make_photo(seed, level, size_wh=size, surfaces=some).bgr)
        return KingdomExample(thumb, np.zeros((0, 4, 2), np.float32), ())
    photo = make_kingdom_photo(
        seed,
        None if above else level,
        bank,
        size=7 if rng.random() < 0.35 else 5,
        wild=rng.random() < 0.6,
        whole=rng.random() < WHOLE_SHARE,
        size_wh=size,
        surfaces=some,
    )
    return example_from_photo(photo)
