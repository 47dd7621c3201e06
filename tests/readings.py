"""Readings made by hand, for the tests of everything that comes after the pixels."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from kdscan.game.duel.board import Board
from kdscan.game.duel.scoring import score_board
from kdscan.records import (
    CELLS,
    COATS,
    COLS,
    MAX_CROSSES,
    ROWS,
    CellReading,
    MarkProbs,
    Problem,
    Reading,
    RectifiedSheet,
    SheetReading,
)

BOARD = """
d+  d   dd  l   l+  f++ .
ll  d   dd+ l   f   f   c
ll+ ll  dd  ##  f   c   c++
l   l   d   d   d+  c   dd
f   l+  .   d   ll  ll  dd+
"""


def make_sheet(
    board: str = BOARD,
    doubtful: Collection[tuple[int, int]] = (),
    *,
    confidence: float = 0.97,
    castle_used: bool | None = True,
    problems: tuple[Problem, ...] = (),
    origin_xy: tuple[float, float] = (100.0, 120.0),
    pitch: float = 80.0,
) -> SheetReading:
    """A sheet that lies straight in the photo; doubtful cells may be one cross more."""
    shields = Board.parse(board)
    coat = np.zeros((len(CELLS), len(COATS)))
    crosses = np.zeros((len(CELLS), MAX_CROSSES + 1))
    cells = []
    for n, cell in enumerate(CELLS):
        shield = shields.get(cell)
        held = (shield.coat, shield.crosses) if shield else (None, 0)
        doubt = cell in doubtful
        coat[n, COATS.index(held[0])] = 1
        crosses[n, held[1]] = 0.7 if doubt else 1
        if doubt:
            crosses[n, held[1] + 1] = 0.3
        row, col = cell
        sure = 0.7 if doubt else 0.999
        cells.append(CellReading(row, col, held[0], held[1], sure, doubt))
    x, y = np.meshgrid(np.arange(COLS), np.arange(ROWS))
    centers = np.dstack([x, y]) * pitch + np.array(origin_xy) + pitch / 2
    corners = np.array([(0, 0), (COLS, 0), (COLS, ROWS), (0, ROWS)]) * pitch + np.array(origin_xy)
    rectified = RectifiedSheet(
        np.full((ROWS * 16, COLS * 16, 3), 200, np.uint8), centers, corners, pitch, 0.99
    )
    return SheetReading(
        rectified,
        MarkProbs(coat, crosses, 0.9, 0.99),
        Reading(
            tuple(cells),
            castle_used,
            confidence,
            bool(doubtful),
            ((score_board(shields).domain_points, confidence),),
        ),
        score_board(shields),
        "kdscan-a5",
        problems,
    )
