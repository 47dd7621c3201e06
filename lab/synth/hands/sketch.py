"""The page while a hand draws on it, and where there is room on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np

from kdscan.paper.layout import Layout
from kdscan.rules import Cell
from kdscan.rules.duel.board import COLS, ROWS, Board
from lab.synth.fields import F32, F64, U8, Rng, any_of, f32
from lab.synth.hands.habits import Part
from lab.synth.hands.ink import BODY, Spared, Strokes, inked, lay_ink
from lab.synth.hands.preferences import (
    Brush,
    Preferences,
    ShieldShape,
    StrokeBank,
    random_preferences,
)
from lab.synth.hands.strokes import Path, Pen, random_pen
from lab.synth.sheets.page import MIN_CONTRAST

Page = tuple[Layout, U8, float]
"""A layout, its print (H, W, 3) uint8 BGR, and pixels per millimetre."""

NODES = np.stack(np.meshgrid(np.arange(2 * COLS + 1), np.arange(2 * ROWS + 1)), -1) / 2 - 0.5
"""(11, 15, 2): lattice points every half cell, from corner to corner of the grid."""


@dataclass(frozen=True, eq=False)
class DrawnPage:
    """A printed sheet with a board drawn on it, flat, before any camera or scanner.

    bgr: (H, W, 3) uint8; page point (x, y) mm lies at pixel (x, y) * px_per_mm - 0.5.
    blank_bgr: the same before anybody drew on it.
    crossed: (N, 3) float32, for each cross: index of its cell in `CELLS`, lattice x and y.
    """

    layout: Layout
    bgr: U8
    blank_bgr: U8
    px_per_mm: float
    board: Board
    castle_used: bool
    crossed: F32 = field(default_factory=lambda: np.zeros((0, 3), np.float32))

    @property
    def centers_mm(self) -> F64:
        """(5, 7, 2) float64, mm on the page: centres of the cells, the castle's too."""
        return self.nodes_mm[1::2, 1::2]

    @property
    def nodes_mm(self) -> F64:
        """(11, 15, 2) float64, mm on the page: `NODES`."""
        return np.asarray(self.layout.grid_mm + (NODES + 0.5) * self.layout.cell_mm)


BorderLine = Literal["straight", "wobbly", "double", "thick", "stray", "jagged"]
_BORDER_LINES: tuple[BorderLine, ...] = (
    *("straight", "straight", "wobbly", "double", "thick", "stray", "jagged"),
)


@dataclass(frozen=True)
class Hand:
    """One writer with their pens on one sheet.

    pen: draws the coats; other: a second pen that draws a share `swaps` of the cells;
    cross_pen, border_pen: mostly the first pen.
    traits: how marks are made.
    borders: share of the lines between different coats that are shaded; rims: share
    of the map's outer edges beside a coat; border_line: how they are drawn.
    in_order: crosses go into the first circles; otherwise into any.
    real: share of marks that follow recorded paths, if there are any.
    overruns: share of coats that run out of the shield, partly over circles too; it also sets how
        far lines between cells stray. sweeps: share of these coats that cover circles entirely.
    """

    pen: Pen
    other: Pen
    swaps: float
    cross_pen: Pen
    border_pen: Pen
    traits: Preferences
    borders: float
    rims: float
    border_line: BorderLine
    in_order: bool
    real: float
    overruns: float
    sweeps: float

    @classmethod
    def random(
        cls, rng: Rng, habits: Mapping[Part, str] | None = None, dice: bool | None = None
    ) -> Hand:
        """Return a random hand. habits: fixed habits; dice: whether coats are drawn as
        on the dice; see `random_preferences`."""
        traits = random_preferences(rng, habits, dice)
        pen = random_pen(rng, traits.habits["pen"])
        cross_pen = pen if rng.random() < 0.85 else random_pen(rng)
        border_pen = pen if rng.random() < 0.75 else random_pen(rng)
        lot, outlined = rng.random(), traits.habits["extra"] == "outlines"
        return cls(
            pen,
            random_pen(rng),
            rng.uniform(0.02, 0.5) if rng.random() < 0.12 else 0.0,
            cross_pen,
            border_pen,
            traits,
            borders=1.0 if outlined or lot > 0.65 else 0.0 if lot < 0.4 else rng.uniform(0.05, 0.9),
            rims=rng.uniform(0, 1) if rng.random() < 0.25 else 0.0,
            border_line=any_of(rng, _BORDER_LINES),
            in_order=rng.random() < 0.75,
            real=rng.uniform(0.1, 0.6),
            overruns=rng.uniform(0, 1) if rng.random() < 0.4 else 0.0,
            sweeps=rng.uniform(0, 1) if rng.random() < 0.5 else 0.0,
        )


SEEN = 0.011
"""Line width of the thinnest pen as a share of a cell; a guess from ball pens on 25 mm cells."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A page and the hand that draws on it."""

    page: U8
    hand: Hand
    rng: Rng
    px_per_mm: float
    bank: StrokeBank | None
    messiness: float

    def brush(self, pen: Pen) -> Brush:
        """Return the brush with which this hand draws marks."""
        faint = pen.opacity < 0.65 or pen.grain > 0.7
        return Brush(self.hand.traits, self.rng, pen.width, self.bank, self.hand.real, faint)

    def ink(self, strokes: Strokes, pen: Pen, spare: Spared | None = None) -> None:
        """Draw strokes; `spare`: discs that stay free."""
        lay_ink(self.page, strokes, pen, self.rng, px_per_mm=self.px_per_mm, spare=spare)

    def erase(self, strokes: Strokes) -> None:
        """Draw the traces that an eraser leaves of strokes."""
        fade, blur_mm = self.rng.uniform(0.04, 0.16), self.rng.uniform(0.05, 0.25)
        pen, px_per_mm = self.hand.pen, self.px_per_mm
        lay_ink(self.page, strokes, pen, self.rng, px_per_mm=px_per_mm, fade=fade, blur_mm=blur_mm)


@dataclass(frozen=True, eq=False)
class Sketch(Drawing):
    """A map while it is being filled in.

    shield: of a cell at (0, 0). erased: factor by which marks are erased more often than people
    do it. crossed: the crosses drawn so far, as in `DrawnPage`.
    """

    layout: Layout
    shield: ShieldShape = field(repr=False)
    erased: float = 1.0
    crossed: list[tuple[float, ...]] = field(default_factory=list, repr=False)

    @property
    def adds(self) -> str:
        """What this player adds to the sheet: a habit of the part `extra`."""
        return self.hand.traits.habits["extra"]

    def at(self, cell: Cell) -> Path:
        """Return the middle of a cell on the page."""
        return np.array(self.layout.center_mm(*cell))

    def shield_of(self, cell: Cell) -> ShieldShape:
        """Return the shield of a cell on the page."""
        by, shield = self.at(cell), self.shield
        return replace(
            shield,
            polygon=shield.polygon + by,
            middle=shield.middle + by,
            circles=shield.circles + by,
            others=shield.others + by,
        )


def fit_hand(hand: Hand, layout: Layout, room: float, messiness: float, ground: U8) -> Hand:
    """Return the hand, made as careless as requested, with pens that fit the print's size and are
    visible on the ground that it draws on.

    room: radius (mm) of a shield's free disc. ground: (N, 3) uint8 BGR samples.
    """
    thin = min(0.28 * room, 0.6 * layout.circle_radius_mm)
    edge = min(0.3 * room, 2.0 * edge_room(layout))
    seen = SEEN * min(layout.cell_mm)
    traits = replace(
        hand.traits,
        slop=hand.traits.slop * (0.4 + 1.0 * messiness),
        tremor=min(hand.traits.tremor, 0.05 * room) * (0.4 + messiness),
    )
    pen, other, cross_pen = (visible_pen(p, ground) for p in (hand.pen, hand.other, hand.cross_pen))
    return replace(
        hand,
        traits=traits,
        pen=pen.between(seen, 0.28 * room),
        other=other.between(seen, 0.28 * room),
        cross_pen=cross_pen.between(seen, thin),
        border_pen=hand.border_pen.between(0, edge),
    )


def visible_pen(pen: Pen, ground: U8) -> Pen:
    """The pen, made darker and more opaque until it is visible; ground: (N, 3) uint8 BGR
    samples."""
    for _ in range(12):
        covered = pen.opacity * (1 - 0.4 * pen.grain) * (1 - 0.5 * pen.skip)
        alpha, body = np.full(len(ground), covered, np.float32), BODY.get(pen.kind, 0.0)
        lines = [inked(paper, alpha, c, body) for paper, c in zip(ground.T, pen.bgr, strict=True)]
        contrast = f32(np.sqrt(np.square(np.stack(lines, 1) - ground).mean(1)))
        if np.quantile(contrast, 0.1) >= MIN_CONTRAST:
            break
        b, g, r = (0.8 * c for c in pen.bgr)
        pen = replace(pen, bgr=(b, g, r), opacity=min(1.15 * pen.opacity, 0.97))
    return pen


_AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
"""Steps from a cell to those around it."""


def free_room(layout: Layout) -> ShieldShape:
    """Return the shield of a cell at (0, 0) and its largest disc that is free of circles."""
    polygon = np.array(layout.shield, np.float64)
    circles = np.array(layout.circles, np.float64).reshape(-1, 2)
    low = polygon.min(0)
    scale = 96 / np.ptp(polygon, 0).max()
    mask = np.zeros((100, 100), np.uint8)
    cv2.fillPoly(mask, [np.round((polygon - low) * scale + 1).astype(np.int32)], 1)
    for x, y in (circles - low) * scale + 1:
        around = round(1.1 * layout.circle_radius_mm * scale)
        cv2.circle(mask, (round(float(x)), round(float(y))), around, 0, -1)
    mask[0], mask[-1], mask[:, 0], mask[:, -1] = 0, 0, 0, 0
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, 5)
    deepest = depth >= 0.97 * depth.max()
    middle = np.argwhere(deepest)[:, ::-1].mean(0)
    if not deepest[int(middle[1]), int(middle[0])]:
        middle = np.array(np.unravel_index(int(depth.argmax()), depth.shape)[::-1], np.float64)
    cell = np.array(layout.cell_mm)
    others = np.concatenate([circles + cell * step for step in _AROUND])
    gaps = np.hypot(*(np.concatenate((circles, others))[:, None] - circles).transpose(2, 0, 1))
    return ShieldShape(
        polygon,
        (middle - 1) / scale + low,
        depth.max() / scale,
        circles,
        layout.circle_radius_mm,
        pitch=float(gaps[gaps > 1e-6].min(initial=cell.min())),
        margin=max(0.0, (cell - np.ptp(polygon, 0)).min()),
        others=others,
    )


def edge_room(layout: Layout) -> float:
    """Return how far (mm) a line between cells may stray before it covers circles."""
    half = np.array(layout.cell_mm) / 2
    if not layout.circles:
        return float(half.min())
    gap = (half - np.abs(np.array(layout.circles))).min() - layout.circle_radius_mm
    return float(max(gap, 0.2 * layout.circle_radius_mm))


def beside(sheet: Sketch, shield: ShieldShape, taken: list[Path]) -> Path:
    """Return a free spot in the cell, the best of some random ones. taken: centres in the cell to
    stay away from, in addition to the circles of adjacent cells."""
    pitch = np.array(sheet.layout.cell_mm)
    centre = shield.polygon[0] - sheet.shield.polygon[0]
    tries = centre + sheet.rng.uniform(-0.36, 0.36, (40, 2)) * pitch
    around = [shield.circles + pitch * (dx, dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    away = np.concatenate((np.array(taken).reshape(-1, 2), *around, centre[None] + 9e3))
    gaps = np.hypot(*(tries[:, None] - away).transpose(2, 0, 1)).min(1)
    near = np.hypot(*(tries - (taken[0] if taken else centre)).T) / pitch[0]
    contour = np.round(shield.polygon * 64).astype(np.int32)
    outside = [
        -cv2.pointPolygonTest(contour, (float(x), float(y)), True) / 64
        for x, y in np.round(tries * 64)
    ]
    clear = np.minimum(np.array(outside) / (1.6 * shield.circle), 1.0)
    clear = clear + np.minimum(gaps / (2.3 * shield.circle), 1.0) - 0.15 * near
    return np.asarray(tries[int(clear.argmax())])
