"""Training examples of kingdoms, rendered or photographed, and how well networks read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, tau
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.picture import FLAT_MARGIN, Network, Photo, flatten, lattice_points, project
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES
from kdscan.sheets.kingdom.lattice import CROP_SQUARES, SIDE_PX, crops, predict_squares
from kdscan.sheets.kingdom.read import KingdomSearch
from lab.synth.fields import (
    F32,
    F64,
    I64,
    SHIFT,
    SQUARE,
    U8,
    Rng,
    f32,
    fixed,
    gaussian,
    log_uniform,
    rotation,
    scaled,
    shrunk,
    stretched,
    u8,
)
from lab.synth.hands.strokes import turned
from lab.synth.kingdoms.scene import KingdomPhoto, make_kingdom_photo, other_colors
from lab.synth.kingdoms.tiles import SQUARE_PX, Bank, Board
from lab.synth.photo.camera import HAND_HELD, compress
from lab.synth.photo.scenery import load_surfaces
from lab.synth.scene import make_photo
from lab.training.augment import random_view, relight, warp_view
from lab.training.dataset import jpeg, thumbnail, unpack
from lab.training.measure import best_temperature

CROPS = 20
"""Squares of one kingdom in a batch."""

WHOLE_BOARD = 0.6
"""Share of cut-out boards that fill the whole view."""

OCCLUDED_SHARE = 0.3
"""Share of samples with objects on some squares."""


def tiles_sample(rng: Rng, example: KingdomExample) -> tuple[U8, F32]:
    """A thumbnail and its votes.

    Returns (384, 384, 3) uint8 and (6, 48, 48) float32: on a square 0/1, to its centre x, y
    in patches, cosine and sine of four times its angle, log of its side in patches.
    """
    thumb = unpack(example.thumb)
    h, w = thumb.shape[:2]
    frame = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64) - 0.5
    corners = example.corners.astype(np.float64)
    if example.cut_out and rng.random() < WHOLE_BOARD:
        quarter = np.roll(np.array([(0, 0), (1, 0), (1, 1), (0, 1)]), int(rng.integers(4)), 0)
        whole = quarter * THUMB_PX - 0.5 + rng.normal(0, 0.006 * THUMB_PX, (4, 2))
        m = np.asarray(cv2.getPerspectiveTransform(f32(frame), f32(whole)), np.float64)
    else:
        points = corners.reshape(-1, 2) if len(corners) else 0.3 * frame + 0.35 * np.array([w, h])
        m = random_view(rng, points, clipped=rng.random() < 0.12)
    view = warp_view(rng, thumb, m)
    seen = relight(rng, recolor(rng, view))
    return seen, vote_targets(project(np.asarray(m, np.float64), corners), (THUMB_PX, THUMB_PX))


def vote_targets(corners: F64, shape: tuple[int, ...]) -> F32:
    """(6, h, w): target of the patches of a thumbnail of that shape. corners: (N, 4, 2) of the
    squares in its pixels; see `tiles_sample`."""
    h, w = shape[0] // STRIDE, shape[1] // STRIDE
    index = np.zeros((h * STRIDE, w * STRIDE), np.int16)
    for i, quad in enumerate(corners):
        cv2.fillConvexPoly(index, fixed(quad), i + 1, cv2.LINE_8, SHIFT)
    on = index[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE]
    out = np.zeros((6, h, w), np.float32)
    if not len(corners):
        return out
    out[0] = on > 0
    side = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    down = (corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]) / 2
    # The two sides' angles differ by 90° except for perspective.
    turn = np.exp(4j * np.arctan2(side[:, 1], side[:, 0]))
    turn = turn + np.exp(4j * np.arctan2(down[:, 1], down[:, 0]))
    turn /= np.maximum(np.abs(turn), 1e-6)
    length = np.sqrt(np.linalg.norm(side, axis=1) * np.linalg.norm(down, axis=1)) / STRIDE
    middle = (corners.mean(1) + 0.5) / STRIDE - 0.5
    rows, cols = np.nonzero(on)
    mine = on[rows, cols].astype(np.intp) - 1
    out[1, rows, cols], out[2, rows, cols] = (middle[mine] - np.stack([cols, rows], 1)).T
    out[3, rows, cols], out[4, rows, cols] = turn.real[mine], turn.imag[mine]
    out[5, rows, cols] = np.log(np.maximum(length, 1e-3))[mine]
    return out


def recolor(rng: Rng, bgr: U8) -> U8:
    """Random white balance and saturation, beyond those of `relight`."""
    if rng.random() < 0.3:
        return bgr
    return u8(cv2.transform(bgr, other_colors(rng, 0.25, 0.02)))


def squares_sample(rng: Rng, flat: Flat) -> tuple[U8, I64]:
    """Randomly displaced crops of one kingdom and their kinds: (N, 80, 80, 3) uint8, (N,) int64.
    Crops displaced by nearly half a square are labelled as empty."""
    picture, known = unpack(flat.picture), flat.kinds
    if rng.random() < OCCLUDED_SHARE:
        picture, known = occlude(rng, picture, known)
    if rng.random() < 0.2:  # the boards are softer than a good phone
        soft = gaussian(picture, rng.uniform(0.8, 2))
        picture = u8(cv2.addWeighted(picture, 1.7, soft, -0.7, 0))
    if rng.random() < 0.45:
        k = log_uniform(rng, 0.25, 0.9)
        h, w = picture.shape[:2]
        small = scaled(picture, k)
        picture = stretched(small, (w, h))
    picture = relight(rng, recolor(rng, picture))
    if rng.random() < 0.3:
        picture = compress(picture, int(rng.integers(30, 85)))
    cells = np.argwhere(known != UNLABELLED)
    kinds = known[tuple(cells.T)]
    weight = np.where(kinds == EMPTY, 0.3, 1.0)
    chosen = rng.choice(len(cells), min(CROPS, len(cells)), replace=False, p=weight / weight.sum())
    crops, labels = [], []
    for i in chosen:
        misplaced = rng.random() < 0.06
        side = round(CROP_SQUARES * SIDE_PX)
        spread = float(rng.choice([0.01, 0.03, 0.05]))
        shift = rng.normal(0, spread, 2)
        if misplaced:
            shift += rng.choice([-1, 1], 2) * rng.permutation([0.5, rng.uniform(0, 0.5)])
        angle, zoom = rng.normal(0, 0.03), np.exp(rng.normal(0, 0.03))
        angle += int(rng.integers(4)) * pi / 2
        at = (cells[i][::-1] + 0.5 + RING + shift) * SIDE_PX - 0.5
        turn = rotation(angle) * zoom
        if rng.random() < 0.5:
            turn[:, 0] *= -1
        m = np.column_stack([turn, at - turn @ ([(side - 1) / 2] * 2)])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        out = cv2.warpAffine(picture, m, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        crops.append(u8(out))
        labels.append(EMPTY if misplaced else int(kinds[i]))
    return np.stack(crops), np.array(labels, np.int64)


def occlude(rng: Rng, picture: U8, kinds: I64) -> tuple[U8, I64]:
    """Occlude squares of a rectified kingdom with pieces of the same picture, mostly its castle,
    which in photos hides what is behind it. Returns the picture and the kinds, which are
    `UNLABELLED` where too much is hidden."""
    out, hidden = picture.copy(), np.zeros(picture.shape[:2], np.uint8)
    rows, cols = kinds.shape
    castles = np.argwhere(kinds == CASTLE)[:, ::-1]
    for _ in range(rng.integers(1, 5)):
        castle = len(castles) > 0 and rng.random() < 0.6
        source = castles[0] + 0.5 if castle else rng.uniform(0, (cols, rows))
        piece = source + SQUARE * rng.uniform(0.25, 0.5)
        half = 0.5 * np.exp(rng.uniform(np.log(0.5), 0, 2))
        angle = rng.uniform(0, tau)
        lies = turned(SQUARE * half + rng.normal(0, 0.08, (4, 2)), angle)
        lies += rng.uniform(0, (cols, rows))
        piece, lies = ((p + RING) * SIDE_PX - 0.5 for p in (piece, lies))
        m = cv2.getPerspectiveTransform(f32(piece), f32(lies))
        moved = cv2.warpPerspective(picture, np.asarray(m), picture.shape[1::-1])
        on = np.zeros_like(hidden)
        cv2.fillConvexPoly(on, fixed(lies), 1, cv2.LINE_8, SHIFT)
        out[on > 0] = moved[on > 0]
        hidden |= on
    edge = round(RING * SIDE_PX)
    inner = hidden[edge : edge + rows * SIDE_PX, edge : edge + cols * SIDE_PX]
    share = inner.reshape(rows, SIDE_PX, cols, SIDE_PX).mean((1, 3))
    known = np.where(share > np.array(_MAY_HIDE)[kinds], UNLABELLED, kinds)
    return (out, known) if (known != UNLABELLED).any() else (picture, kinds)


_MAY_HIDE = [
    0.0 if crowns else 0.3 if terrain == "castle" else 0.55 for terrain, crowns in SQUARE_CLASSES
]
"""Largest hidden share of each kind of square at which it is still recognisable; 0 for squares with
crowns, which might be hidden."""


def _logits(network: Network, board: Board) -> F64:
    """Logits (N, K) of a board's squares, as in a reading."""
    rows, cols = board.kinds.shape
    centers = (lattice_points(rows, cols) + 0.5) * SQUARE_PX - 0.5
    flat = flatten(Photo(board.bgr), centers, SIDE_PX, FLAT_MARGIN)
    return predict_squares(crops(flat, rows, cols), network)


def tiles_figures(network: Network, boards: Sequence[Board]) -> dict[str, float]:
    """Recall of squares of cut-out boards, and their position errors in squares."""
    away, wanted = [], 0
    for board in boards:
        found = KingdomSearch(Photo(board.bgr), network).lattices()
        seen = found[0].centers_xy[found[0].detected] if found else np.zeros((0, 2))
        centers = (lattice_points(*board.kinds.shape)[board.kinds > 0] + 0.5) * SQUARE_PX - 0.5
        wanted += len(centers)
        if len(seen):
            far = np.linalg.norm(centers[:, None] - seen[None], axis=-1).min(1) / SQUARE_PX
            away += [float(f) for f in far if f < 0.4]
    return {
        "seen": len(away) / max(wanted, 1),
        "error_median": float(np.median(away)) if away else 1.0,
        "error_95": float(np.quantile(away, 0.95)) if away else 1.0,
        "of": len(boards),
    }


def measure_squares(network: Network, boards: Sequence[Board]) -> dict[str, Any]:
    """Temperature of the squares' logits on held-out boards, and accuracy of squares and of whole
    boards, before any rule is applied.

    The temperature is at least 1: on a few boards without errors the best fit would become
    arbitrarily confident.
    """
    kinds = np.concatenate([board.kinds.ravel() for board in boards])
    logits = np.concatenate([_logits(network, board) for board in boards])
    right = logits.argmax(1) == kinds
    ends = np.cumsum([board.kinds.size for board in boards])[:-1]
    whole = [bool(part.all()) for part in np.split(right, ends)]
    return {
        "temperatures": {"kind": max(1.0, best_temperature(logits, kinds))},
        "figures": {
            "squares": float(right.mean()),
            "boards": float(np.mean(whole)),
            "of": len(boards),
        },
    }


RING = 0.4
"""Squares of margin around a stored rectified kingdom, for displaced crops."""

UNLABELLED = -1
"""Kind of an unlabelled square."""

SMALLEST_PX = 26
"""Pixels: on smaller squares crowns cannot be recognised."""


@dataclass(frozen=True, eq=False)
class Flat:
    """A rectified kingdom with a ring of table around it. picture: JPEG, `SIDE_PX` a square, `RING`
    squares of margin. kinds: (R, C) int64, index into `KINDS`, or `UNLABELLED`."""

    picture: bytes
    kinds: I64


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
    small = shrunk(board.bgr, size)
    pad = round((1 + RING) * SIDE_PX)
    wide = cv2.copyMakeBorder(small, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    kinds = np.pad(board.kinds, 1, constant_values=UNLABELLED)
    flat = Flat(jpeg(u8(wide)), kinds)
    return KingdomExample(jpeg(board.bgr), f32(corners), (flat,), cut_out=True)


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
            # the kingdom of these squares, rectified by the plane of their centres, with a ring
            # around
            cells = np.array([photo.squares[i].cell for i in mine])
            low = cells.min(0) - 1
            rows, cols = cells.max(0) - low + 2
            kinds = np.full((rows, cols), EMPTY, np.int64)
            kinds[tuple((cells - low).T)] = [photo.squares[i].kind for i in mine]
            centers = photo.corners_xy[mine].mean(1)
            places = (cells - low)[:, ::-1].astype(np.float64)
            plane, _ = cv2.findHomography(places, centers, 0)
            seen = project(np.asarray(plane, np.float64), lattice_points(rows, cols))
            flats.append(Flat(jpeg(flatten(Photo(photo.bgr), seen, SIDE_PX, RING)), kinds))
    middle = photo.corners_xy.mean(1)
    seen = ((middle > 0) & (middle < photo.bgr.shape[1::-1])).all(1)
    corners = (photo.corners_xy[seen] + 0.5) * scale - 0.5
    return KingdomExample(thumb, f32(corners), tuple(flats))


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
