"""Renders synthetic training examples for the networks of maps.

For each photo of 3 megapixels only what training needs is stored: a thumbnail, a coarse view of
the grid with an ample margin, and the rectified sheet. Each is used several times with random
augmentation (`augment`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from kdscan.imaging import formats
from kdscan.imaging.picture import (
    CENTERS,
    FLAT_MARGIN,
    FLAT_PX,
    Photo,
    fit_homography,
    flatten,
    inverse,
    lattice_to_flat,
    project,
)
from kdscan.paper.layout import layouts
from kdscan.paper.style import Ticket
from kdscan.rules.duel.board import CELLS, COATS, COLS, ROWS, Board
from lab.synth.fields import (
    F32,
    I64,
    U8,
    Rng,
    any_of,
    f32,
    gaussian,
    log_uniform,
    scaled,
    shrunk,
    smooth_noise,
    u8,
)
from lab.synth.hands.hand import draw_board
from lab.synth.hands.preferences import StrokeBank
from lab.synth.hands.sketch import Hand
from lab.synth.photo.camera import LEVELS
from lab.synth.photo.scenery import load_surfaces
from lab.synth.scene import (
    Page,
    SynthPhoto,
    any_look,
    make_photo,
    own_page,
    played_board,
    wild_board,
)
from lab.synth.sheets.designs import random_layout, random_style
from lab.synth.sheets.page import print_page, reproduced

STORED_PX = 640
"""Pixels: longer side of a stored thumbnail, larger than the network's for random zoom."""
COARSE_PX, COARSE_MARGIN = 40, 2.5
"""Pixels per cell and cells of margin of the stored coarse view."""
WIDE_MARGIN = FLAT_MARGIN + 0.25
"""Cells of margin of the stored rectified sheet, for random shifts."""


UNKNOWN = -100
"""Label of shields whose marks are unknown: torch's `ignore_index`."""

ERASURE_FACTOR = 2.5
"""Factor by which marks are erased more often than by people: traces of erased marks caused the
most confident errors."""

OWN_SHARE = 0.15
"""Share of rectified sheets with our own design, the only one known to be in use."""


@dataclass(frozen=True, eq=False)
class Example:
    """What is stored of one synthetic photo; pictures are JPEG bytes.

    thumb_nodes: (11, 15, 2) float32, lattice nodes every half cell, in thumbnail pixels.
    coarse_centers: (5, 7, 2) float32, true centres in the coarse view's pixels.
    flat: the sheet rectified by the true centres, `FLAT_PX` a cell, margin `WIDE_MARGIN`.
    coat, crosses: (34,) int64, or `UNKNOWN`. castle: whether the roof is coloured, or None.
    crossed: (N, 3) float32, positions of crosses, as in `SynthPhoto`; None if unknown.
    A sheet rendered without a camera (`flat_example`) has only its rectified picture.
    """

    flat: bytes
    coat: I64
    crosses: I64
    castle: bool | None
    crossed: F32 | None
    thumb: bytes = b""
    thumb_nodes: F32 = field(default_factory=lambda: np.zeros((11, 15, 2), np.float32))
    coarse: bytes = b""
    coarse_centers: F32 = field(default_factory=lambda: np.zeros((ROWS, COLS, 2), np.float32))

    @property
    def photographed(self) -> bool:
        """Whether it has been through a camera. (Photos labelled by people also have only a
        rectified picture, but their positions of crosses are unknown.)"""
        return bool(self.thumb) or self.crossed is None


def jpeg(bgr: U8, quality: int = 93) -> bytes:
    """A picture (H, W, 3) as JPEG, as stored in an Example."""
    return formats.jpeg(bgr, quality)


def unpack(data: bytes, how: int = cv2.IMREAD_COLOR) -> U8:
    """A picture of an example: (H, W, 3) uint8 BGR, or (H, W) if `how` is grey."""
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), how), np.uint8)


def thumbnail(bgr: U8) -> tuple[bytes, float]:
    """A picture (H, W, 3) resized to `STORED_PX`, as JPEG, and its scale."""
    scale = STORED_PX / max(bgr.shape[:2])
    size = (round(bgr.shape[1] * scale), round(bgr.shape[0] * scale))
    return jpeg(shrunk(bgr, size)), scale


def to_example(synth: SynthPhoto) -> Example:
    """The example of a synthetic photo."""
    photo = Photo(synth.bgr)
    thumb, scale = thumbnail(synth.bgr)
    centers = synth.centers_xy
    plane = fit_homography(centers)
    flat_guess = project(plane, CENTERS)
    coarse = flatten(photo, flat_guess, COARSE_PX, COARSE_MARGIN)
    inside = project(inverse(plane), centers)
    coarse_centers = lattice_to_flat(inside, COARSE_PX, COARSE_MARGIN)
    coat, crosses = labels(synth.board)
    return Example(
        thumb=thumb,
        thumb_nodes=f32((synth.nodes_xy + 0.5) * scale - 0.5),
        coarse=jpeg(coarse),
        coarse_centers=f32(coarse_centers),
        flat=jpeg(flatten(photo, centers, FLAT_PX, WIDE_MARGIN)),
        coat=coat,
        crosses=crosses,
        castle=synth.castle_used,
        crossed=synth.crossed,
    )


def labels(board: Board) -> tuple[I64, I64]:
    """(34,) each: coats as indices of `COATS`, and crosses."""
    shields = [board.get(at) for at in CELLS]
    coats = [COATS.index(shield.coat if shield else None) for shield in shields]
    return np.array(coats), np.array([shield.crosses if shield else 0 for shield in shields])


def flat_example(seed: int, strokes: StrokeBank | None) -> Example:
    """A sheet rendered from straight above with a photo's blur, in three fifths of a photo's time.
    The marks network needs many designs and writers more than many table tops."""
    rng = np.random.default_rng([seed, 4])
    layout = random_layout(rng)
    px_per_cell = log_uniform(rng, 50, 230)
    px_per_mm = max(100.0, px_per_cell) * rng.uniform(1, 1.3) / layout.cell_mm[0]
    if rng.random() < OWN_SHARE:
        layout, blank, px_per_mm = random_own_page(rng)
    else:
        blank = print_page(layout, random_style(rng), px_per_mm)
    wild = rng.random() < 0.5
    played = wild_board(rng, len(layout.circles)) if wild else played_board(rng)
    hand, messiness = Hand.random(rng), rng.uniform(0, 1)
    sheet = draw_board(
        rng, (layout, blank, px_per_mm), played, hand, messiness, strokes, ERASURE_FACTOR
    )
    fine = layout.cell_mm[0] * px_per_mm
    shrink = px_per_cell / fine
    seen = scaled(sheet.bgr, shrink)
    if rng.random() < 0.6:
        blur = rng.exponential(0.012) * px_per_cell
        seen = gaussian(seen, 0.2 + min(blur, 0.032 * px_per_cell))
    light = np.exp(rng.normal(0, 0.1) + 0.12 * smooth_noise(rng, seen.shape[:2], rng.uniform(1, 5)))
    seen = u8(np.clip(seen * light[..., None] * rng.uniform(0.65, 1.1, 3), 0, 255))
    photo = Photo(u8(seen))
    scale = np.array([seen.shape[1], seen.shape[0]]) / np.array(layout.page_mm)
    coat, crosses = labels(sheet.board)
    return Example(
        flat=jpeg(flatten(photo, sheet.centers_mm * scale - 0.5, FLAT_PX, WIDE_MARGIN), 88),
        coat=coat,
        crosses=crosses,
        castle=sheet.castle_used,
        crossed=sheet.crossed,
    )


OWN_TICKETS = (Ticket(), Ticket(code="WAW26/3/12/A7"), Ticket(name="Ada", code="KD/1//B"))
"""Owners on our own sheets, chosen at random."""

_own_page_cached = lru_cache(maxsize=None)(own_page)


def random_own_page(rng: Rng) -> Page:
    """Our own sheet in a random layout, style and language, with a code, a name or neither."""
    name = str(rng.choice(layouts(), p=[0.75, 0.25]))
    look = any_look(rng)
    ticket = any_of(rng, OWN_TICKETS)
    layout, page, px_per_mm = _own_page_cached(look=look, ticket=ticket, name=name)
    return layout, reproduced(rng, page, px_per_mm, painted=False), px_per_mm


_worker: tuple[StrokeBank | None, list[U8]] = (None, [])


def init_worker(strokes: Path | None, surfaces: Path | None) -> None:
    """Initialise a worker process with real pen strokes and pictures of tables."""
    global _worker
    cv2.setNumThreads(1)
    _worker = StrokeBank.load(strokes) if strokes else None, load_surfaces(surfaces)


def worker_strokes() -> StrokeBank | None:
    """The pen strokes set by `init_worker`."""
    return _worker[0]


def photo_example(seed: int) -> Example | None:
    """The training photo of a seed, or None if it does not show all cells; call `init_worker`
    first."""
    bank, tiles = _worker
    rng = np.random.default_rng([seed, 1])
    level = list(LEVELS)[int(rng.choice(4, p=[0.06, 0.2, 0.32, 0.42]))]
    long = int(rng.choice([1400, 1700, 2016]))
    size = (long, round(long * rng.choice([0.75, 0.75, 0.5625, 1.0])))
    if rng.random() < 0.45:
        size = size[::-1]
    of_ours, wild = rng.random() < 0.06, rng.random() < 0.55
    rng = np.random.default_rng([seed, 2])
    few = min(8, len(tiles))
    some = [tiles[i] for i in rng.choice(len(tiles), few, replace=False)] if tiles else []
    synth = make_photo(
        seed,
        level,
        page=random_own_page(rng) if of_ours else None,
        wild=wild,
        size_wh=size,
        strokes=bank,
        surfaces=some,
    )
    h, w = synth.bgr.shape[:2]
    inside = (synth.centers_xy > 0).all() and (synth.centers_xy < (w, h)).all()
    return to_example(synth) if inside else None


PHOTO_SHARE = 0.5
"""Share of photos among the examples of marks; the rest are sheets rendered from above, which take
half the time and show as many writers and designs."""


def marks_example(seed: int) -> Example | None:
    """The example of a seed for the marks network: a photo, or a sheet rendered from above."""
    if np.random.default_rng([seed, 5]).random() < PHOTO_SHARE:
        return photo_example(seed)
    return flat_example(seed, worker_strokes())
