"""One synthetic photo of kingdoms with its ground truth: play, lay out on a table, photograph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi, tau

import cv2
import numpy as np

from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES, Variants
from kdscan.rules.kingdomino.play import Lay, play_game, random_player
from lab.synth.fields import (
    F32,
    F64,
    I64,
    SHIFT,
    U8,
    Rng,
    Size,
    any_of,
    blend_into,
    color,
    f32,
    fixed,
    gaussian,
    lit,
    log_uniform,
    plain_random,
    rotation,
    scaled,
    toward,
    u8,
    wash,
)
from lab.synth.kingdoms.tiles import Bank, Board
from lab.synth.photo.camera import Level, photograph
from lab.synth.photo.scenery import random_desk

TABLE_PX = 100
"""Pixels per square in the picture of the table."""

RULED = 0.15
"""Share of table tops with a pattern of squares."""

HALF = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
"""A square's corners about its middle, clockwise from the top left."""


@dataclass(frozen=True, eq=False)
class Square:
    """A square on the table.

    kingdom: number of the kingdom, or `LOOSE`. cell: its row and column there.
    kind: index into `SQUARE_CLASSES`. corners: (4, 2) float64, in squares from the table's top
    left corner, clockwise from the top left of the tile as its kingdom lies.
    """

    kingdom: int
    cell: tuple[int, int]
    kind: int
    corners: F64


@dataclass(frozen=True)
class Domino:
    """Adjacent cells (one for the castle) and the kinds of their squares."""

    cells: tuple[tuple[int, int], ...]
    kinds: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Manner:
    """How somebody lays tiles, and what their print and cardboard look like.

    askew: how far a domino may be out of place, in squares. gap: how much smaller a tile is
    than a square of the kingdom. tints: (K, 3, 3) float32, how the print changes each
    kind's colours. shine: share of dominoes that reflect a lamp.
    castle: the probability that the castle stands on its tile.
    """

    askew: float = 0.0
    gap: float = 0.0
    tints: F32 | None = None
    shine: float = 0.0
    castle: float = 0.0


def random_manner(rng: Rng) -> Manner:
    """A random manner: mostly neat, mostly with the print of the pictures."""
    return Manner(
        askew=rng.uniform(0.005, 0.06),
        gap=rng.uniform(0, 0.09) if rng.random() < 0.35 else 0.0,
        tints=_tints(rng) if rng.random() < 0.5 else None,
        shine=rng.uniform(0.1, 1) if rng.random() < 0.3 else 0.0,
        castle=0.35,
    )


def _tints(rng: Rng) -> F32:
    """(K, 3, 3): another print's colours, the same for all squares of a terrain."""
    by_terrain: dict[str, F32] = {}
    for terrain, _ in SQUARE_CLASSES:
        by_terrain.setdefault(terrain, f32(other_colors(rng, 0.2, 0.03)))
    return np.stack([by_terrain[terrain] for terrain, _ in SQUARE_CLASSES])


def other_colors(rng: Rng, spread: float, mixed: float) -> F64:
    """(3, 3): random saturation, whose logarithm varies by `spread`, and white balance of BGR."""
    luma = np.tile(np.array([0.114, 0.587, 0.299]), (3, 1))
    much = np.exp(rng.normal(0, spread))
    mix = (much * np.eye(3) + (1 - much) * luma) * np.exp(rng.normal(0, 0.1, (3, 1)))
    return np.asarray(mix + rng.normal(0, mixed, (3, 3)))


class Table:
    """A table top seen from straight above, on which dominoes are laid. side: of the table, in
    squares."""

    def __init__(self, rng: Rng, side: int, surfaces: Sequence[U8]) -> None:
        self.rng = rng
        self.side = side
        # (side_px, side_px, 3) uint8: a texture, at any scale, repeated by mirroring
        side_px = side * TABLE_PX
        tile = random_desk(rng, 0.5, f32((200, 205, 210)), surfaces).tile
        scale = log_uniform(rng, 0.35, 1.4) * side_px / max(tile.shape[:2])
        tile = scaled(tile, scale)
        h, w = tile.shape[:2]
        reflect = cv2.BORDER_REFLECT
        top = cv2.copyMakeBorder(tile, 0, max(side_px - h, 0), 0, max(side_px - w, 0), reflect)
        whole: U8 = np.ascontiguousarray(top[:side_px, :side_px], np.uint8)
        self.picture = _ruled(rng, whole) if rng.random() < RULED else whole
        self.squares: list[Square] = []

    def lay(
        self, bank: Bank, domino: Domino, kingdom: int, turn: F64, at: F64, manner: Manner
    ) -> None:
        """Lay a domino: cell (r, c) is placed at `at` + `turn` (c, r), in squares."""
        rng, askew = self.rng, manner.askew
        middle = np.mean([(c, r) for r, c in domino.cells], axis=0)
        tilt, slip = rng.normal(0, 0.5 * askew), rng.normal(0, 0.6 * askew, 2)
        shrink = 1 - manner.gap - abs(rng.normal(0, 0.4 * askew))
        wobble = shrink * rotation(tilt)
        faces = []
        for (r, c), kind in zip(domino.cells, domino.kinds, strict=True):
            own = (HALF + (c, r) - middle) @ wobble.T + middle + slip
            corners = own @ turn.T + at
            self.squares.append(Square(kingdom, (r, c), kind, corners))
            picture = bank.pick(rng, kind)
            if manner.tints is not None:
                picture = u8(cv2.transform(picture, manner.tints[kind]))
            faces.append((corners, picture))
        self._shadow(np.concatenate([corners for corners, _ in faces]))
        for corners, picture in faces:
            self._paste(picture, corners)
        if rng.random() < manner.shine:
            self._shine(np.concatenate([corners for corners, _ in faces]))
        if domino.kinds == (CASTLE,) and rng.random() < manner.castle:
            self._castle(faces[0][0])

    def lay_board(self, board: Board, kingdom: int, at: F64) -> None:
        """Lay a photographed kingdom in one piece, its top left corner at `at`, without the parts
        of its picture that show its own table."""
        rows, cols = board.kinds.shape
        for (r, c), kind in np.ndenumerate(board.kinds):
            if kind != EMPTY:
                corners = HALF + 0.5 + at + (c, r)
                self.squares.append(Square(kingdom, (r, c), int(kind), corners))
                self._shadow(corners)
        tiles = f32(board.kinds != EMPTY)
        self._paste(board.bgr, (HALF + 0.5) * (cols, rows) + at, tiles)

    def _shadow(self, corners: F64) -> None:
        """The dark rim of thick cardboard: a blurred shadow to one side."""
        fall = self.rng.uniform(-0.03, 0.03, 2)
        mask, view = self._masked(corners + fall, pad=12)
        if not mask.size:
            return
        soft = gaussian(mask, self.rng.uniform(0.8, 3))
        dark = f32(1 - self.rng.uniform(0.3, 0.8) / 255 * f32(soft))
        view[:] = lit(view, dark)

    def _masked(self, corners: F64, pad: int) -> tuple[U8, U8]:
        """The convex hull of some points as a mask (h, w), and the part of the table it covers."""
        hull = f32(cv2.convexHull(f32(corners))[:, 0])
        x, y, w, h = cv2.boundingRect((hull * TABLE_PX).astype(np.int32))
        low = np.array([max(x - pad, 0), max(y - pad, 0)])
        view = self.picture[low[1] : y + h + pad, low[0] : x + w + pad]
        mask = np.zeros(view.shape[:2], np.uint8)
        if mask.size:
            points = fixed(hull * TABLE_PX - 0.5 - low)
            cv2.fillConvexPoly(mask, points, 255, cv2.LINE_AA, SHIFT)
        return mask, view

    def _shine(self, corners: F64) -> None:
        """A lamp reflected by varnish: whiter to one side, or in a band."""
        mask, view = self._masked(corners, pad=2)
        h, w = mask.shape
        if not mask.size:
            return
        angle = self.rng.uniform(0, tau)
        y, x = np.mgrid[0:h, 0:w] / max(h, w)
        along = (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle) + self.rng.uniform(-0.5, 0.5)
        band = 1 / (1 + (along / self.rng.uniform(0.1, 0.8)) ** 2)
        weight = f32(band * self.rng.uniform(0.05, 0.5) * mask / 255)
        lamp = np.floor(255 - color(self.rng, (0, 0.3), (0, 0.15)))
        wash(view, lamp, weight)

    def _castle(self, corners: F64) -> None:
        """A cardboard castle seen slightly from the side: walls and a leaning roof."""
        rng, middle = self.rng, corners.mean(0)
        lean = rng.normal(0, 0.22, 2)
        size = rng.uniform(0.3, 0.48)
        wall, roof = color(rng, (0.05, 0.6), (0.25, 0.75)), color(rng, (0.2, 0.9), (0.15, 0.9))
        for height in np.linspace(0, 1, 7):
            shade = wall * (0.7 + 0.3 * height) if height < 0.75 else roof
            points = middle + (corners - middle) * 2 * size * (1 - 0.25 * height) + lean * height
            mask, view = self._masked(points, pad=2)
            if mask.size:
                view[mask > 127] = np.clip(shade + rng.normal(0, 6, 3), 0, 255)

    def _paste(self, picture: U8, corners: F64, shown: F32 | None = None) -> None:
        """Paste a picture between corners, but only those of its squares, (R, C), that are 1."""
        target = corners * TABLE_PX - 0.5
        low = np.floor(target.min(0)).astype(int) - 1
        high = np.ceil(target.max(0)).astype(int) + 2
        if (low < 0).any() or (high > self.side * TABLE_PX).any():
            raise ValueError("a tile does not lie on the table")
        whole = (HALF + 0.5) * picture.shape[1::-1] - 0.5
        matrix = cv2.getPerspectiveTransform(f32(whole), f32(target - low))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        seen = cv2.warpPerspective(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillConvexPoly(mask, fixed(target - low), 255, cv2.LINE_AA, SHIFT)
        weight = f32(f32(mask) / 255)
        if shown is not None:
            wide = cv2.resize(shown, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST)
            weight *= cv2.warpPerspective(wide, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        view = self.picture[low[1] : high[1], low[0] : high[0]]
        blend_into(view, u8(seen), weight)


def _ruled(rng: Rng, top: U8) -> U8:
    """A cutting mat, a checked cloth or a tiled floor: squares that are not tiles."""
    side = len(top)
    pitch = TABLE_PX * log_uniform(rng, 0.2, 1.3)
    turn = rng.uniform(0, pi / 2)
    along = toward(turn)
    across = np.array([-along[1], along[0]])
    ruled = top
    if rng.random() < 0.7:  # a coloured mat; else the table shows through
        part = rng.uniform(0.4, 0.95)
        ruled = u8(top * (1 - part) + part * color(rng, (0, 0.9), (0.1, 0.9)))
    shade, line = color(rng, (0, 0.9), (0, 1)), color(rng, (0, 0.4), (0, 1))
    if rng.random() < 0.3:
        y, x = np.mgrid[0:side, 0:side] / pitch
        odd = (np.floor(x * along[0] + y * along[1]) + np.floor(y * along[0] - x * along[1])) % 2
        ruled[odd > 0] = u8(0.5 * ruled[odd > 0] + 0.5 * shade)
    thick = int(rng.integers(1, 5))
    for k in range(-int(1.5 * side / pitch), int(1.5 * side / pitch)):
        for one, other in ((along, across), (across, along)):
            start, end = (k * pitch * one + far * other for far in (-2 * side, 2 * side))
            bold = thick + 2 * (k % 5 == 0)
            cv2.line(ruled, _pixel(start), _pixel(end), line.tolist(), bold, cv2.LINE_AA)
    return ruled


def _pixel(xy: F64) -> tuple[int, int]:
    return round(float(xy[0])), round(float(xy[1]))


SQUARE_MM = 40.0
"""Side of a square of the printed tiles."""

ROOM = 4
"""Squares of table on each side of the largest kingdom."""

LOOSE = -1
"""Kingdom number of a domino that belongs to none."""

KEEP_OFF = 1.1
"""Least distance, in squares, between the middles of squares of different kingdoms."""


@dataclass(frozen=True, eq=False)
class KingdomPhoto:
    """A photo of kingdoms and its ground truth.

    bgr: (H, W, 3) uint8. squares: in the order in which they were laid.
    corners_xy: (N, 4, 2) float64, photo frame: the squares' corners.
    size: number of squares that a kingdom may span, 5 or 7.
    """

    bgr: U8
    squares: tuple[Square, ...]
    corners_xy: F64
    size: int


def played_kingdoms(
    rng: Rng, size: int, kinds: Sequence[int] = ()
) -> tuple[list[Domino], list[Domino]]:
    """The dominoes of both kingdoms of a random legal game; each castle comes first.

    kinds: if given, each square has a random one of these kinds instead, so that rare ones
    are as frequent as common ones.
    """
    variants = Variants(great_duel=size == 7)
    game = play_game(plain_random(rng), [random_player] * 2, variants)
    kingdoms: tuple[list[Domino], list[Domino]] = ([], [])
    for mine, (player, land) in zip(kingdoms, enumerate(game.lands), strict=True):
        mine.append(Domino(((0, 0),), (CASTLE,)))
        laid = [m.cells for who, m in game.history if who == player and isinstance(m, Lay)]
        for cells in laid:
            squares = [land.squares[c] for c in cells]
            known = [SQUARE_CLASSES.index((s.terrain.value, s.crowns)) for s in squares]
            drawn = [int(k) for k in rng.choice(kinds, 2)] if kinds else known
            mine.append(Domino(cells, tuple(drawn)))
    return kingdoms


def make_kingdom_photo(
    seed: int,
    level: Level | None,
    bank: Bank,
    *,
    size: int = 5,
    wild: bool = False,
    whole: bool = False,
    manner: Manner | None = None,
    size_wh: Size = (2016, 1512),
    surfaces: Sequence[U8] = (),
) -> KingdomPhoto:
    """Make the photo of `seed`: a kingdom, sometimes a second one and loose dominoes too.

    level: None for the table seen from straight above in even light, which is five times as
    fast. size: squares that a kingdom may span, 5 or 7. wild: any kinds of squares, legal or
    not. whole: the first kingdom is one of the bank's boards in one piece, which has its own
    size. manner: how tiles are laid; random if None. The same arguments give the same bytes.
    """
    rng = np.random.default_rng([seed, 11])
    board = any_of(rng, bank.boards) if whole else None
    size = max(board.kinds.shape) if board else size
    both = rng.random() < 0.25
    table = Table(rng, (2 if both else 1) * size + 2 * ROOM, surfaces)
    manner = manner or random_manner(rng)
    played = played_kingdoms(rng, size, bank.kinds if wild else ())
    mine, other = ([_shown(rng, bank, domino) for domino in laid] for laid in played)
    cells = np.argwhere(np.ones(board.kinds.shape)) if board else _cells(mine)
    low, high = cells.min(0)[::-1], cells.max(0)[::-1]
    spare = (table.side - ROOM - (high - low + 1)) / 2 if both else np.zeros(2)
    at = (table.side - (low + high)) / 2 + rng.uniform(-1, 1, 2) * spare
    if board:
        table.lay_board(board, 0, at - 0.5)
    else:
        for domino in mine:
            table.lay(bank, domino, 0, np.eye(2), at, manner)
    # A rectangle of the first kingdom's, a little larger, that later ones keep off.
    around = np.array([at + low - 0.7, at + high + 0.7])
    box = np.array([at + low - 0.5, at + high + 0.5])
    if both and _lay_beside(table, bank, around, other, 1, manner) and rng.random() < 0.7:
        seen = np.concatenate([s.corners for s in table.squares])
        box = np.array([seen.min(0), seen.max(0)])
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.55, 0.2, 0.15, 0.1]))):
        pair = Domino(((0, 0), (0, 1)), tuple(int(k) for k in rng.choice(bank.kinds, 2)))
        _lay_beside(table, bank, around, [pair], LOOSE, manner)
    # box: (2, 2), the region that must be entirely in view, in squares
    corners = np.stack([s.corners for s in table.squares])
    squares = tuple(table.squares)
    if level is None:
        return KingdomPhoto(table.picture, squares, corners * TABLE_PX - 0.5, size)
    side = table.side * SQUARE_MM
    (x, y), (w, h) = box[0] * SQUARE_MM, (box[1] - box[0]) * SQUARE_MM
    shot = photograph(
        table.picture,
        (side, side),
        rng,
        level=level,
        size_wh=size_wh,
        grid_mm=(float(x), float(y), float(w), float(h)),
        surfaces=surfaces,
        stiff=True,
    )
    return KingdomPhoto(shot.bgr, squares, shot.page_to_photo(corners * SQUARE_MM), size)


def _shown(rng: Rng, bank: Bank, domino: Domino) -> Domino:
    """The domino, with random kinds in place of those that the bank has no picture of."""
    there = (*bank.kinds, CASTLE)
    if set(domino.kinds) <= set(there):
        return domino
    kinds = tuple(k if k in there else int(rng.choice(bank.kinds)) for k in domino.kinds)
    return replace(domino, kinds=kinds)


def _cells(dominoes: Sequence[Domino]) -> I64:
    return np.array([cell for d in dominoes for cell in d.cells])


def _lay_beside(
    table: Table, bank: Bank, around: F64, dominoes: Sequence[Domino], kingdom: int, manner: Manner
) -> bool:
    """Lay dominoes at random angles without touching; False if there is no room."""
    rng = table.rng
    cells = _cells(dominoes)[:, ::-1].astype(float)
    taken = np.concatenate([s.corners for s in table.squares])
    for _ in range(24 if len(dominoes) > 1 else 8):
        turn = rotation(rng.uniform(0, tau))
        at = rng.uniform(0, table.side, 2)
        spots = cells @ turn.T + at
        on_table = ((spots > 1) & (spots < table.side - 1)).all()
        inside = ((spots > around[0]) & (spots < around[1])).all(1).any()
        near = np.linalg.norm(spots[:, None] - taken[None], axis=-1).min() < KEEP_OFF
        if on_table and not inside and not near:
            for domino in dominoes:
                table.lay(bank, domino, kingdom, turn, at, manner)
            return True
    return False
