"""Metrics of the two networks of kingdoms on held-out boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import nn

from kdscan.imaging.picture import Network, Photo
from kdscan.imaging.rectify import FLAT_MARGIN, flatten, lattice_points
from kdscan.sheets.kingdom.search import KingdomSearch
from kdscan.sheets.kingdom.squares import SIDE_PX, crops, predict_squares
from lab.synth.fields import F64
from lab.synth.kingdoms.tiles import SQUARE_PX, Board
from lab.training.measure import best_temperature
from lab.training.task import as_network


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
        seen = found[0].centers_xy[found[0].seen] if found else np.zeros((0, 2))
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


def measure_squares(net: nn.Module, boards: Sequence[Board]) -> dict[str, Any]:
    """Temperature of the squares' logits on held-out boards, and accuracy of squares and of whole
    boards, before any rule is applied.

    The temperature is at least 1: on a few boards without errors the best fit would become
    arbitrarily confident.
    """
    network = as_network(net)
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
