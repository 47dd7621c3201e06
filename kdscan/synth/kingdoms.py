"""One synthetic photo of kingdoms with its truth: play, lay out on a table, photograph."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.game.kingdomino.play import Lay
from kdscan.game.kingdomino.players import play_game, random_player
from kdscan.game.kingdomino.variants import Variants
from kdscan.records import KINDS
from kdscan.synth.camera import Level, photograph
from kdscan.synth.desk import random_desk
from kdscan.synth.fields import F64, U8, Rng, chance, f32
from kdscan.synth.tiles import CASTLE, SQUARE_PX, Bank

SQUARE_MM = 40.0
"""Side of a square of the printed tiles."""

TABLE_PX = 80
"""Pixels a square on the picture of the table."""

ROOM = 4
"""Squares of table on each side of the largest kingdom."""

Cells = tuple[tuple[int, int], ...]
LOOSE = -1
"""The kingdom's number of a domino that belongs to none."""


@dataclass(frozen=True, eq=False)
class Square:
    """A square on the table.

    kingdom: number of the kingdom, or `LOOSE`. cell: its row and column there.
    kind: index into `KINDS`. corners: (4, 2) float64, in squares from the table's top
    left corner, clockwise from the top left of the tile as its kingdom lies.
    """

    kingdom: int
    cell: tuple[int, int]
    kind: int
    corners: F64


@dataclass(frozen=True, eq=False)
class KingdomPhoto:
    """A photo of kingdoms and the truth about it.

    bgr: (H, W, 3) uint8. squares: in the order in which they were laid.
    corners_xy: (N, 4, 2) float64, photo frame: the squares' corners.
    size: 5 or 7, how many squares a kingdom may span.
    """

    bgr: NDArray[np.uint8]
    squares: tuple[Square, ...]
    corners_xy: NDArray[np.float64]
    size: int


@dataclass(frozen=True)
class _Domino:
    """Cells side by side (one for the castle) and the kinds that lie there."""

    cells: Cells
    kinds: tuple[int, ...]


def played_kingdom(rng: Rng, size: int, kinds: Sequence[int] = ()) -> list[_Domino]:
    """The dominoes of a kingdom that a random lawful game left; the castle comes first.

    kinds: when given, each square is of any of these instead, so that rare ones are seen
    as often as common ones.
    """
    variants = Variants(great_duel=size == 7)
    game = play_game(random.Random(int(rng.integers(2**32))), [random_player] * 2, variants)
    squares = game.lands[0].squares
    laid = [m.cells for player, m in game.history if player == 0 and isinstance(m, Lay)]
    dominoes = [_Domino(((0, 0),), (CASTLE,))]
    for cells in laid:
        known = [KINDS.index((squares[c].terrain.value, squares[c].crowns)) for c in cells]
        drawn = [int(k) for k in rng.choice(kinds, 2)] if kinds else known
        dominoes.append(_Domino(cells, tuple(drawn)))
    return dominoes


class Table:
    """A table top seen from straight above, on which dominoes are laid."""

    def __init__(self, rng: Rng, side: int, surfaces: Sequence[U8]) -> None:
        self._rng = rng
        self.side = side
        self.picture = _table_top(rng, side * TABLE_PX, surfaces)
        self.squares: list[Square] = []

    def lay(
        self, bank: Bank, domino: _Domino, kingdom: int, turn: F64, at: F64, askew: float
    ) -> None:
        """Lay a domino: cell (r, c) comes to lie at `at` + `turn` (c, r), in squares.

        askew: how far it may be out of place, in squares.
        """
        rng = self._rng
        middle = np.mean([(c, r) for r, c in domino.cells], axis=0)
        tilt, slip = rng.normal(0, 0.5 * askew), rng.normal(0, 0.6 * askew, 2)
        shrink = 1 - abs(rng.normal(0, 0.4 * askew))
        wobble = shrink * np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        half = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
        faces = []
        for (r, c), kind in zip(domino.cells, domino.kinds, strict=True):
            own = (half + (c, r) - middle) @ wobble.T + middle + slip
            corners = own @ turn.T + at
            self.squares.append(Square(kingdom, (r, c), kind, corners))
            faces.append((corners, bank.pick(rng, kind)))
        hull = f32(cv2.convexHull(f32(np.concatenate([f[0] for f in faces])))[:, 0])
        self._shadow(hull)
        for corners, picture in faces:
            self._paste(picture, corners)

    def _shadow(self, hull: NDArray[np.float32]) -> None:
        """The dark rim of a thick card: a blurred shadow to one side."""
        mask = np.zeros(self.picture.shape[:2], np.uint8)
        fall = self._rng.uniform(-0.03, 0.03, 2)
        points = np.round(((hull + fall) * TABLE_PX - 0.5) * 16).astype(np.int32)
        x, y, w, h = cv2.boundingRect((hull * TABLE_PX).astype(np.int32))
        pad = 12
        rows, cols = slice(max(y - pad, 0), y + h + pad), slice(max(x - pad, 0), x + w + pad)
        cv2.fillConvexPoly(mask, points, 255, cv2.LINE_AA, 4)
        part = mask[rows, cols]
        if not part.size:
            return
        soft = cv2.GaussianBlur(part, (0, 0), float(self._rng.uniform(0.8, 3)))
        dark = 1 - float(self._rng.uniform(0.3, 0.8)) / 255 * soft.astype(np.float32)
        view = self.picture[rows, cols]
        view[:] = cv2.multiply(view, cv2.merge([dark] * 3), dtype=cv2.CV_8U)

    def _paste(self, picture: U8, corners: F64) -> None:
        target = corners * TABLE_PX - 0.5
        low = np.floor(target.min(0)).astype(int) - 1
        high = np.ceil(target.max(0)).astype(int) + 2
        if (low < 0).any() or (high > self.side * TABLE_PX).any():
            return
        whole = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * SQUARE_PX - 0.5
        matrix = cv2.getPerspectiveTransform(f32(whole), f32(target - low))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        seen = cv2.warpPerspective(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round((target - low) * 16).astype(np.int32), 255, 16, 4)
        weight = mask.astype(np.float32) / np.float32(255)
        view = self.picture[low[1] : high[1], low[0] : high[0]]
        view[:] = cv2.blendLinear(
            np.asarray(seen, np.uint8), np.ascontiguousarray(view), weight, 1 - weight
        )


def _table_top(rng: Rng, side_px: int, surfaces: Sequence[U8]) -> U8:
    """(side_px, side_px, 3) uint8: a texture, at any scale, repeated by mirroring."""
    tile = random_desk(rng, 0.5, f32((200, 205, 210)), surfaces).tile
    scale = float(np.exp(rng.uniform(np.log(0.35), np.log(1.4)))) * side_px / max(tile.shape[:2])
    tile = np.asarray(cv2.resize(tile, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    h, w = tile.shape[:2]
    reflect = cv2.BORDER_REFLECT
    top = cv2.copyMakeBorder(tile, 0, max(side_px - h, 0), 0, max(side_px - w, 0), reflect)
    return np.ascontiguousarray(top[:side_px, :side_px], np.uint8)


def make_kingdom_photo(
    seed: int,
    level: Level | None,
    bank: Bank,
    *,
    size: int = 5,
    wild: bool = False,
    size_wh: tuple[int, int] | None = None,
    surfaces: Sequence[NDArray[np.uint8]] = (),
) -> KingdomPhoto:
    """Make the photo of `seed`: a kingdom, at times a second one and loose dominoes beside it.

    level: None for the table as it is seen from straight above, in even light: five times as
    fast. size: squares that a kingdom may span, 5 or 7. wild: any kinds of squares, lawful or
    not. The same arguments give the same bytes.
    """
    rng = np.random.default_rng([seed, 11])
    table, grid = _laid_table(rng, bank, size, bank.kinds if wild else (), surfaces)
    corners = np.stack([s.corners for s in table.squares])
    squares = tuple(table.squares)
    if level is None:
        return KingdomPhoto(table.picture, squares, corners * TABLE_PX - 0.5, size)
    side = table.side * SQUARE_MM
    shot = photograph(
        table.picture,
        (side, side),
        rng,
        level=level,
        size_wh=size_wh,
        grid_mm=grid,
        surfaces=surfaces,
        stiff=True,
    )
    return KingdomPhoto(shot.bgr, squares, shot.page_to_photo(corners * SQUARE_MM), size)


def _laid_table(
    rng: Rng, bank: Bank, size: int, kinds: Sequence[int], surfaces: Sequence[U8]
) -> tuple[Table, tuple[float, float, float, float]]:
    """A table with kingdoms, and the first one's x, y, width and height in mm."""
    table = Table(rng, size + 2 * ROOM, surfaces)
    dominoes = played_kingdom(rng, size, kinds)
    span = np.array([cell for d in dominoes for cell in d.cells])
    low, high = span.min(0)[::-1], span.max(0)[::-1]
    askew = float(rng.uniform(0.005, 0.05))
    at = np.array([table.side / 2] * 2) - (low + high) / 2
    for domino in dominoes:
        table.lay(bank, domino, 0, np.eye(2), at, askew)
    # A rectangle of the first kingdom's, a little larger, that later ones keep off.
    around = np.array([at + low - 0.7, at + high + 0.7])
    if chance(rng, 0.2):
        _lay_beside(table, bank, around, played_kingdom(rng, size, kinds), 1, askew)
    for _ in range(int(rng.choice([0, 1, 2, 4], p=[0.55, 0.2, 0.15, 0.1]))):
        pair = _Domino(((0, 0), (0, 1)), tuple(int(k) for k in rng.choice(bank.kinds, 2)))
        _lay_beside(table, bank, around, [pair], LOOSE, askew)
    x, y = (at + low - 0.5) * SQUARE_MM
    w, h = (high - low + 1) * SQUARE_MM
    return table, (float(x), float(y), float(w), float(h))


def _lay_beside(
    table: Table,
    bank: Bank,
    around: F64,
    dominoes: Sequence[_Domino],
    kingdom: int,
    askew: float,
) -> None:
    """Lay dominoes anyhow turned where they touch nothing; not at all where there is no room."""
    rng = table._rng
    cells = np.array([(c, r) for d in dominoes for r, c in d.cells], float)
    taken = np.concatenate([s.corners for s in table.squares])
    for _ in range(8):
        angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        at = rng.uniform(0.5, table.side - 0.5, 2)
        spots = cells @ turn.T + at
        inside = ((spots > around[0]) & (spots < around[1])).all(1).any()
        near = np.linalg.norm(spots[:, None] - taken[None], axis=-1).min() < 1.1
        if not inside and not near:
            for domino in dominoes:
                table.lay(bank, domino, kingdom, turn, at, askew)
            return
