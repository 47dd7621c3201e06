"""The picture that an overlay is drawn on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

import cv2
import numpy as np

from kdscan.i18n import Words
from kdscan.imaging.pens import (
    INK,
    PAPER,
    Color,
    Points,
    circle,
    draw_text,
    line,
    panel,
    polygon,
    text_width,
)
from kdscan.imaging.picture import Bgr
from kdscan.imaging.rectify import cell_corners
from kdscan.rules.grid import Cell, cell_name
from kdscan.sheets.common import C, Doubt, DoubtfulPlace, domain_colors, flagged_cells, percent
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.kingdom.model import KingdomReading


@dataclass(frozen=True, eq=False)
class Canvas:
    """A photo to draw a sheet over, in place.

    clean: the same without anything drawn. scale: pixels of both per photo pixel. words: the
    language of texts. number: distinguishes the sheet from others of its kind in the photo, "" if
    there are none.
    """

    picture: Bgr
    clean: Bgr
    scale: float
    words: Words
    number: str = ""

    def numbered(self, text: str) -> str:
        """A text about the sheet, which says which one is meant."""
        return f"{self.number}: {text}" if self.number else text

    def scaled(self, photo_xy: Points) -> Points:
        """Points of the photo in the picture. Pixel centres have integer coordinates, so scaling
        shifts the origin by half a pixel."""
        return np.asarray((photo_xy + 0.5) * self.scale - 0.5)


BoardReading = MapReading | KingdomReading

DOMAIN_COLORS: tuple[Color, ...] = (
    (0, 159, 230),
    (233, 180, 86),
    (115, 158, 0),
    (66, 228, 240),
    (178, 114, 0),
    (0, 94, 213),
    (167, 121, 204),
)
ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = DOMAIN_COLORS
"""BGR, of Okabe and Ito (2008)."""

REVIEW_COLOR: Color = (200, 0, 255)

PROBLEM_COLOR: Color = (0, 0, 190)

OTHER_SHEET = 10
"""Cost of covering part of another sheet with the total, relative to its own sheet."""

TILE_WH = (260, 340)
"""Width and height of a doubtful cell's tile, pixels."""


@dataclass(frozen=True)
class CellDrawing(Generic[C]):
    """How a kind draws a cell's content.

    draw: (picture, left middle, cell, size in pixels). width: pixels that `draw` takes, for (cell,
    size). marked: whether a cell has content.
    """

    draw: Callable[[Bgr, tuple[float, float], C, float], None]
    width: Callable[[C, float], float]
    marked: Callable[[C], bool]


def draw_board(
    canvas: Canvas,
    board: BoardReading,
    cells: Sequence[C],
    doubts: Sequence[Doubt[C]],
    others: Sequence[Points],
    drawing: CellDrawing[C],
) -> list[Bgr]:
    """Draw a board over a photo; returns a tile for each doubtful cell.

    others: outlines (4, 2) of the picture's other sheets.
    """
    picture, centers = canvas.picture, canvas.scaled(board.rectified.centers_xy)
    corners = cell_corners(centers)
    pitch = _pitch(centers)
    scoring = [domain.cells for domain in board.score.domains if domain.points]
    colors = domain_colors(scoring, len(DOMAIN_COLORS))
    _tint(picture, corners, colors)
    _outline(picture, corners, pitch)
    _domain_borders(picture, board, corners, colors, pitch)
    flagged = flagged_cells(board)
    for cell in cells:  # all rings before all badges, which reach into neighbouring cells
        if cell.at in flagged:
            _draw_problem(picture, quad_of(corners, cell.at), pitch)
        if cell.review:
            circle(picture, centers[cell.at], 0.42 * pitch, PAPER, 0.1 * pitch)
            circle(picture, centers[cell.at], 0.42 * pitch, REVIEW_COLOR, 0.055 * pitch)
    for cell in cells:
        if drawing.marked(cell) or cell.review:
            # Towards the lower right in the picture, whichever way the sheet is turned.
            at, quad = centers[cell.at], quad_of(corners, cell.at)
            corner = quad[np.argmax(quad.sum(1))]
            _badge(picture, at + 0.66 * (corner - at), cell, drawing, pitch)
    _points(picture, board, corners, pitch)
    _total(canvas, board, corners, others, pitch)
    return [_tile(canvas, corners, doubt, drawing) for doubt in doubts]


def _pitch(centers: Points) -> float:
    """Mean distance between neighbouring centres, pixels."""
    across = np.linalg.norm(np.diff(centers, axis=1), axis=2).mean()
    down = np.linalg.norm(np.diff(centers, axis=0), axis=2).mean()
    return float((across + down) / 2)


def quad_of(corners: Points, cell: Cell) -> Points:
    """(4, 2): a cell's corners, clockwise from the upper left. corners: see `cell_corners`."""
    r, c = cell
    return np.asarray(corners[[r, r, r + 1, r + 1], [c, c + 1, c + 1, c]])


def _tint(picture: Bgr, corners: Points, colors: dict[Cell, int]) -> None:
    """Colour the paper, not the ink, by multiplication, like a highlighter."""
    marker = np.full_like(picture, 255)
    for cell, color in colors.items():
        polygon(marker, quad_of(corners, cell), DOMAIN_COLORS[color])
    tinted = cv2.multiply(picture, marker, scale=1 / 255)
    picture[:] = cv2.addWeighted(picture, 0.4, tinted, 0.6, 0)


def _outline(picture: Bgr, corners: Points, pitch: float) -> None:
    border = np.concatenate([corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2:0:-1, 0]])
    polygon(picture, border, PAPER, 0.07 * pitch)
    polygon(picture, border, INK, 0.03 * pitch)


def _domain_borders(
    picture: Bgr, board: BoardReading, corners: Points, colors: dict[Cell, int], pitch: float
) -> None:
    sides = ((-1, 0), (0, 1), (1, 0), (0, -1))
    for domain in board.score.domains:
        for cell in domain.cells if domain.points else ():
            b, g, r = DOMAIN_COLORS[colors[cell]]
            darker = (round(0.7 * b), round(0.7 * g), round(0.7 * r))
            quad = quad_of(corners, cell)
            for side, (dr, dc) in enumerate(sides):
                if (cell[0] + dr, cell[1] + dc) not in domain.cells:
                    # Inside its own cell, so that neighbours' borders lie side by side.
                    ends = 0.95 * quad[[side, (side + 1) % 4]] + 0.05 * quad.mean(0)
                    line(picture, ends[0], ends[1], darker, 0.05 * pitch)


def _badge(picture: Bgr, at: Points, cell: C, drawing: CellDrawing[C], pitch: float) -> None:
    """A panel centred at `at` with the cell's content, and `?` if it is doubtful."""
    size, pad = 0.2 * pitch, 0.06 * pitch
    marks = drawing.width(cell, size)
    width = marks + 2 * pad + (0.7 * size if cell.review else 0)
    high = size + 2 * pad
    left, top = _inside(picture, (at[0] - width / 2, at[1] - high / 2), (width, high), pad)
    edge = REVIEW_COLOR if cell.review else INK
    panel(picture, (left, top), (width, high), edge, 0.015 * pitch)
    drawing.draw(picture, (left + pad, top + high / 2), cell, size)
    if cell.review:
        draw_text(
            picture,
            "?",
            (left + pad + marks + 0.1 * size, top + high / 2),
            1.2 * size,
            REVIEW_COLOR,
            bold=True,
        )


def _inside(
    picture: Bgr, corner: tuple[float, float], panel_wh: tuple[float, float], gap: float
) -> tuple[float, float]:
    """A panel's upper left corner, moved so that the picture's edge does not cut the panel; one
    that lies wholly outside stays there, with its cell."""
    at, picture_wh = np.array(corner), np.array(picture.shape[1::-1])
    if (at <= -np.array(panel_wh)).any() or (at >= picture_wh).any():
        return corner
    left, top = np.clip(at, gap, np.maximum(picture_wh - panel_wh - gap, gap))
    return float(left), float(top)


def _draw_problem(picture: Bgr, quad: Points, pitch: float) -> None:
    """A frame inside a cell that a problem names, and `!` in its lower left corner."""
    inside = 0.84 * quad + 0.16 * quad.mean(0)
    polygon(picture, inside, PAPER, 0.07 * pitch)
    polygon(picture, inside, PROBLEM_COLOR, 0.04 * pitch)
    size = 0.2 * pitch
    centre = quad.mean(0)
    x, y = centre + 0.66 * (quad[np.argmin(quad @ (1, -1))] - centre)
    width = text_width("!", size, bold=True)
    panel(picture, (x - size / 2, y - 0.6 * size), (size, 1.2 * size), PROBLEM_COLOR, 0.015 * pitch)
    draw_text(picture, "!", (x - width / 2, y), size, PROBLEM_COLOR, bold=True)


def _points(picture: Bgr, board: BoardReading, corners: Points, pitch: float) -> None:
    """Each domain's score, at the upper left of its topmost cell in the picture."""
    size, pad = 0.15 * pitch, 0.04 * pitch
    for domain in board.score.domains:
        if domain.points:
            count = len(domain.cells)
            text = f"{count}×{domain.points // count}={domain.points}"
            quads = [quad_of(corners, cell) for cell in domain.cells]
            quad = min(quads, key=lambda q: float(q.sum(1).min()))
            at = quad[np.argmin(quad.sum(1))]
            x, y = at + 0.1 * (quad.mean(0) - at)
            wide, high = text_width(text, size, bold=True) + 2 * pad, size + pad
            left, top = _inside(picture, (x, y - high / 2), (wide, high), pad)
            panel(picture, (left, top), (wide, high), INK, 0.012 * pitch)
            draw_text(picture, text, (left + pad, top + high / 2), size, bold=True)


def _total(
    canvas: Canvas, board: BoardReading, corners: Points, others: Sequence[Points], pitch: float
) -> None:
    """The total in a panel above the sheet, else below, else where it covers least of the sheet. It
    avoids other sheets, because there it would be taken for theirs."""
    picture, size, review = canvas.picture, 0.5 * pitch, board.review
    points = canvas.words.tn("{n} point", "{n} points", board.score.total)
    text = canvas.numbered(points) + " ?" * review
    panel_wh = text_width(text, size, bold=True) + size, 1.6 * size
    sheet = corners[[0, 0, -1, -1], [0, -1, -1, 0]]
    places = _panel_places(picture.shape[1::-1], panel_wh, sheet, 0.5 * size)

    def cost(at: tuple[float, float]) -> float:
        elsewhere = sum(_overlap(at, panel_wh, other) for other in others)
        return _overlap(at, panel_wh, sheet) + OTHER_SHEET * elsewhere

    left, top = min(places, key=cost)
    panel(picture, (left, top), panel_wh, REVIEW_COLOR if review else INK, 0.04 * pitch)
    draw_text(picture, text, (left + size / 2, top + panel_wh[1] / 2), size, bold=True)


def _panel_places(
    picture_wh: Sequence[int], panel_wh: tuple[float, float], sheet: Points, gap: float
) -> list[tuple[float, float]]:
    """Upper left corners that a panel may have in a picture, best first: above and below a sheet
    (4, 2), and at the picture's upper and lower edges over the sheet's middle and beside it."""
    right, bottom = (max(0.0, all_ - part) for all_, part in zip(picture_wh, panel_wh, strict=True))
    middle = min(max(float(sheet[:, 0].mean()) - panel_wh[0] / 2, 0.0), right)
    above, below = float(sheet[:, 1].min()) - panel_wh[1] - gap, float(sheet[:, 1].max()) + gap
    beside = [(middle, y) for y in (above, below) if 0 <= y <= bottom]
    edge = 0.2 * gap
    to_left = max(float(sheet[:, 0].min()) - panel_wh[0] - gap, edge)
    to_right = min(float(sheet[:, 0].max()) + gap, right - edge)
    return beside + [(x, y) for y in (edge, bottom - edge) for x in (middle, to_left, to_right)]


def _overlap(at: tuple[float, float], panel_wh: tuple[float, float], sheet: Points) -> float:
    """Pixels of a sheet (4, 2) that a panel covers."""
    box = np.array(at) + np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * panel_wh
    return float(cv2.intersectConvexConvex(box.astype(np.float32), sheet.astype(np.float32))[0])


def places_of(
    board: BoardReading, doubts: Sequence[Doubt[C]], name: Callable[[C], str]
) -> Iterator[DoubtfulPlace]:
    """A board's doubtful cells as places; name: text for a cell's content."""
    corners = cell_corners(board.rectified.centers_xy)
    for doubt in doubts:
        at = doubt.cell.at
        choices = tuple((name(c), c.confidence) for c in (doubt.cell, *doubt.others))
        yield DoubtfulPlace(cell_name(at), choices, quad_of(corners, at))


def _tile(canvas: Canvas, corners: Points, doubt: Doubt[C], drawing: CellDrawing[C]) -> Bgr:
    """A rectified crop of a doubtful cell above its alternatives, (340, 260, 3) uint8 BGR."""
    side, height = TILE_WH
    cell = doubt.cell
    quad = quad_of(corners, cell.at)
    source = 1.25 * quad + (1 - 1.25) * quad.mean(0)
    target = np.array([(0, 0), (side - 1, 0), (side - 1, side - 1), (0, side - 1)])
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32))
    picture = np.full((height, side, 3), 255, np.uint8)
    crop = cv2.warpPerspective(canvas.clean, warp, (side, side), borderMode=cv2.BORDER_REPLICATE)
    picture[:side] = crop
    draw_text(picture, canvas.numbered(cell_name(cell.at)), (2, side + 22), 26, bold=True)
    x = 2.0
    for choice in (cell, *doubt.others[:1]):
        drawing.draw(picture, (x, side + 58), choice, 24)
        x += drawing.width(choice, 24) + 8
        share = percent(choice.confidence)
        draw_text(picture, share, (x, side + 58), 21, REVIEW_COLOR)
        x += text_width(share, 21) + 18
    return picture
