"""Drawing primitives for overlays: panels, text, the signs of coats and terrains.

All functions draw into (H, W, 3) uint8 BGR pictures in place, at subpixel points (x, y), and take
their size from the caller.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Bgr
from kdscan.rules.duel.board import Coat

Points = NDArray[np.float64]
Color = tuple[int, int, int]

INK: Color = (30, 24, 20)
PAPER: Color = (255, 255, 255)

SUBPIXEL = 4
"""Fractional bits of the fixed-point coordinates passed to OpenCV."""

CROSS_STEP, CROSS_GAP = 0.66, 0.16
"""Distance between the crosses beside a coat and room before them, in sizes of the coat."""


def to_fixed_point(points: Any) -> NDArray[np.int32]:
    """Fixed-point coordinates for OpenCV's `shift` argument."""
    return np.asarray(np.round(np.asarray(points) * (1 << SUBPIXEL)), np.int32)


def thickness(size: float) -> int:
    """A stroke's width in whole pixels, at least 1."""
    return max(1, round(size))


def line(picture: Bgr, a: Any, b: Any, color: Color, width: float) -> None:
    """A straight stroke from a to b."""
    start, end = to_fixed_point([a, b])
    cv2.line(picture, start, end, color, thickness(width), cv2.LINE_AA, SUBPIXEL)


def polygon(picture: Bgr, points: Points, color: Color, width: float = -1) -> None:
    """A closed polygon, (N, 2): its outline, or filled when `width` is negative."""
    shape = [to_fixed_point(points)]
    if width < 0:
        cv2.fillPoly(picture, shape, color, cv2.LINE_AA, SUBPIXEL)
    else:
        cv2.polylines(picture, shape, True, color, thickness(width), cv2.LINE_AA, SUBPIXEL)


def circle(picture: Bgr, at: Any, radius: float, color: Color, width: float = -1) -> None:
    """A circle, filled when `width` is negative."""
    stroke = -1 if width < 0 else thickness(width)
    middle, reach = to_fixed_point(at).tolist(), int(to_fixed_point(radius))
    cv2.circle(picture, middle, reach, color, stroke, cv2.LINE_AA, SUBPIXEL)


def panel(
    picture: Bgr, corner: tuple[float, float], size_wh: tuple[float, float], edge: Color, rim: float
) -> None:
    """A white panel with round corners. corner: top left. rim: width of its border, pixels."""
    radius, half = 0.3 * min(size_wh), np.array(size_wh) / 2
    quarters = np.array([[(1, 1)], [(-1, 1)], [(-1, -1)], [(1, -1)]])
    arcs = np.linspace(0, np.pi / 2, 6) + np.arange(0, 2 * np.pi, np.pi / 2)[:, None]
    round_corners = radius * np.stack([np.cos(arcs), np.sin(arcs)], -1)
    shape = (corner + half + (half - radius) * quarters + round_corners).reshape(-1, 2)
    polygon(picture, shape, PAPER)
    polygon(picture, shape, edge, rim)


@cache
def _font() -> Any:
    return cv2.FontFace("sans")  # built into OpenCV: nothing to install


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width in pixels of a text in a font of `size` pixels."""
    box = cv2.getTextSize((0, 0), text, (0, 0), _font(), round(size), 700 if bold else 400)
    return float(box[0] + box[2])


def draw_text(
    picture: Bgr, text: str, left_middle: Any, size: float, color: Color = INK, bold: bool = False
) -> None:
    """Draw a text; left_middle: its left end, at half the height of capitals."""
    x, y = left_middle
    # Capitals of the built-in font are about 0.72 of its size high.
    base = (round(x), round(y + 0.36 * size))
    cv2.putText(picture, text, base, color, _font(), round(size), 700 if bold else 400)


def marks_width(crosses: int, size: float) -> float:
    """Width in pixels of what `draw_marks` draws."""
    return size * (1 + (CROSS_GAP + CROSS_STEP * crosses if crosses else 0))


def draw_marks(
    picture: Bgr, left_middle: Any, coat: Coat | None, crosses: int, size: float
) -> None:
    """The sign of a coat, `size` high, and its crosses to the right of it."""
    x, y = left_middle
    if coat is None:
        line(picture, (x + 0.25 * size, y), (x + 0.75 * size, y), INK, 0.08 * size)
    else:
        _draw_coat(picture, np.array([x + size / 2, y]), coat, size)
    arm = 0.23 * size
    for n in range(crosses):
        middle = x + size * (1 + CROSS_GAP + CROSS_STEP * (n + 0.5))
        for slope in (-1, 1):
            ends = (middle - arm, y - slope * arm), (middle + arm, y + slope * arm)
            line(picture, *ends, INK, 0.12 * size)


def _draw_coat(picture: Bgr, at: Points, coat: Coat, size: float) -> None:
    half = 0.45 * size
    if coat is Coat.DOT:
        circle(picture, at, 0.24 * size, INK)
    elif coat is Coat.DOUBLE_DOT:
        for x in (-0.27, 0.27):
            circle(picture, at + (x * size, 0), 0.2 * size, INK)
    elif coat is Coat.LINE:
        line(picture, at - (0, half), at + (0, half), INK, 0.16 * size)
    elif coat is Coat.DOUBLE_LINE:
        for x in (-0.2, 0.2):
            line(picture, at + (x * size, -half), at + (x * size, half), INK, 0.16 * size)
    else:
        frame = at + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        if coat is Coat.FILLED:
            polygon(picture, frame, INK)
        else:
            for corner in (frame[0], frame[2]):
                quarter = np.array([corner, (at[0], corner[1]), at, (corner[0], at[1])])
                polygon(picture, quarter, INK)
        polygon(picture, frame, INK, 0.1 * size)


TERRAIN_COLORS: dict[str, Color] = {
    "wheat": (60, 200, 245),
    "forest": (40, 90, 30),
    "lake": (200, 110, 30),
    "grassland": (60, 190, 130),
    "swamp": (100, 135, 165),
    "mine": (40, 35, 35),
    "castle": (150, 150, 150),
    "empty": PAPER,
}
"""BGR, about as the tiles are printed."""

GOLD: Color = (40, 180, 235)
_CROWN = np.array(
    [(-0.5, 0.4), (-0.5, -0.35), (-0.22, 0.02), (0, -0.42), (0.22, 0.02), (0.5, -0.35), (0.5, 0.4)]
)
CROWN_STEP, CROWN_GAP = 0.95, 0.22
"""Distance between crowns and room before them, in sizes of the terrain's swatch."""


def square_width(crowns: int, size: float) -> float:
    """Width in pixels of what `draw_square` draws."""
    return size * (1 + (CROWN_GAP + CROWN_STEP * crowns if crowns else 0))


def draw_square(picture: Bgr, left_middle: Any, terrain: str, crowns: int, size: float) -> None:
    """A swatch of a terrain, `size` high, and its crowns to the right of it."""
    x, y = left_middle
    swatch = np.array([(0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)]) * size + (x, y)
    polygon(picture, swatch, TERRAIN_COLORS[terrain])
    polygon(picture, swatch, INK, 0.08 * size)
    for n in range(crowns):
        middle = np.array([x + size * (1 + CROWN_GAP + CROWN_STEP * (n + 0.5)), y])
        crown = middle + 0.8 * size * _CROWN
        polygon(picture, crown, GOLD)
        polygon(picture, crown, INK, 0.08 * size)
