"""A page with marks by one hand, for tests of the hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.paper.layout import Castle, Layout
from kdscan.rules.duel.board import Board, Coat, Shield
from lab.synth.fields import SQUARE
from lab.synth.hands.habits import Part
from lab.synth.hands.hand import draw_board
from lab.synth.hands.sketch import Hand

PX = 5.0

SHIELD = ((-6.0, -6.5), (6.0, -6.5), (6.0, 2.0), (0.0, 7.5), (-6.0, 2.0))

CASTLE = Castle(roofs=(((-6.0, 0.0), (0.0, -7.0), (6.0, 0.0)),), keep=())

LAYOUT = Layout(
    name="test",
    page_mm=(180.0, 130.0),
    grid_mm=(10.0, 12.0),
    cell_mm=(22.0, 20.0),
    shield=SHIELD,
    circles=((-8.5, -6.0), (-8.5, -2.0), (-8.5, 2.0), (-8.5, 6.0)),
    circle_radius_mm=1.2,
    lines="ruled",
    castle=CASTLE,
)

BLANK = np.full((650, 900, 3), 245, np.uint8)

SEEDS = range(8)

BOX = SQUARE / 2


def draw(
    board: dict[tuple[int, int], tuple[Coat, int]],
    seed: int,
    *,
    messiness: float = 0.5,
    castle: bool = False,
    borders: bool = True,
    habits: Mapping[Part, str] | None = None,
) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    hand = Hand.random(rng, {"extra": "nothing", **(habits or {})})
    if habits:
        hand = replace(hand, traits=replace(hand.traits, faithful=1.0))
    if not borders:
        hand = replace(hand, borders=0.0, rims=0.0, overruns=0.0)
    drawn = Board({at: Shield(*marks) for at, marks in board.items()})
    return draw_board(rng, (LAYOUT, BLANK, PX), (drawn, castle), hand, messiness).bgr


def inside(polygon: NDArray[np.float64], at: tuple[float, float]) -> NDArray[np.bool_]:
    """Mask of a polygon (mm from `at`, mm on the page)."""
    mask = np.zeros(BLANK.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((polygon + at) * PX).astype(np.int32)], 1)
    return mask > 0


def darkened(page: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((BLANK.astype(int) - page).max(axis=2) > 25)
