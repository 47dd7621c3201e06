"""One synthetic photo of kingdoms with its ground truth: play, lay out on a table, photograph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kdscan.rules.kingdomino.kingdom import CASTLE, SQUARE_CLASSES
from kdscan.rules.kingdomino.play import Lay, play_game, random_player
from kdscan.rules.kingdomino.variants import Variants
from lab.synth.fields import F64, U8, Rng, any_of, plain_random, rotation
from lab.synth.kingdoms.tabletop import TABLE_PX, Domino, Manner, Square, Table, random_manner
from lab.synth.kingdoms.tiles import Bank
from lab.synth.photo.camera import Level, photograph

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
    size_wh: tuple[int, int] = (2016, 1512),
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
    return _photographed(table, rng, level, box, size, size_wh, surfaces)


def _photographed(
    table: Table,
    rng: Rng,
    level: Level | None,
    box: F64,
    size: int,
    size_wh: tuple[int, int],
    surfaces: Sequence[U8],
) -> KingdomPhoto:
    """box: (2, 2), the region that must be entirely in view, in squares."""
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


def _cells(dominoes: Sequence[Domino]) -> NDArray[np.int64]:
    return np.array([cell for d in dominoes for cell in d.cells])


def _lay_beside(
    table: Table, bank: Bank, around: F64, dominoes: Sequence[Domino], kingdom: int, manner: Manner
) -> bool:
    """Lay dominoes at random angles without touching; False if there is no room."""
    rng = table.rng
    cells = _cells(dominoes)[:, ::-1].astype(float)
    taken = np.concatenate([s.corners for s in table.squares])
    for _ in range(24 if len(dominoes) > 1 else 8):
        turn = rotation(rng.uniform(0, 2 * np.pi))
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
