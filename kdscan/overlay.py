"""What was read, drawn over the photo: for people, documentation, debugging.

Domains that score are tinted (colours of Okabe and Ito, told apart by colour-blind
people), each shield carries a badge with its coat and crosses, each square of a kingdom
that has crowns one with its terrain and crowns, each doubt a ring and a tile below the
photo. Sizes follow the pitch of the cells, so that a sheet looks alike in a small photo
and a large one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from kdscan.drawing import (
    INK,
    PAPER,
    Bgr,
    Color,
    Points,
    circle,
    draw_marks,
    draw_square,
    line,
    marks_width,
    plate,
    polygon,
    square_width,
    text_width,
    write,
)
from kdscan.game.duel.scoring import Domain
from kdscan.game.grid import Cell, cell_name
from kdscan.game.kingdomino.scoring import Domain as Land
from kdscan.locale import ENGLISH, Words
from kdscan.overlay_spellbook import draw_spellbook
from kdscan.records import (
    AnyReading,
    CellReading,
    KingdomReading,
    Photo,
    SheetReading,
    SpellbookReading,
    SquareReading,
)
from kdscan.report import Doubt, blamed_cells, domain_colors, doubts
from kdscan.report_kingdom import SquareDoubt, square_doubts
from kdscan.vision.pyramid import at_most

LONGEST_PX = 2400
"""Longest side of the photo in the picture: sharp on a screen, small enough to send."""

DOMAIN_COLORS: tuple[Color, ...] = (
    (0, 159, 230),
    (233, 180, 86),
    (115, 158, 0),
    (66, 228, 240),
    (178, 114, 0),
    (0, 94, 213),
    (167, 121, 204),
)
"""BGR: orange, sky, green, yellow, blue, vermilion, purple of Okabe and Ito (2008)."""

Board = SheetReading | KingdomReading
"""What lies in a grid of cells."""

DOUBT: Color = (200, 0, 255)

BLAME: Color = (0, 0, 190)

TILE_WH, GAP = (260, 340), 16
"""Width and height of a doubtful shield's tile, and room around it, pixels."""


def draw_overlay(photo: Photo, sheets: Sequence[AnyReading], words: Words = ENGLISH) -> Bgr:
    """Return the photo, at most `LONGEST_PX` long, with every sheet drawn over it.

    photo, sheets: as `kdscan.pipeline.read_photo` takes and gives them. words: the language of
    the total.
    Returns (H, W, 3) uint8 BGR; higher than the photo when there are doubts to show.
    """
    clean, scale = at_most(photo, LONGEST_PX)
    picture = clean.copy()
    tiles: list[Bgr] = []
    for sheet in sheets:
        if isinstance(sheet, SpellbookReading):
            draw_spellbook(picture, sheet, scale, DOUBT)
            continue
        # Centres of pixels lie at whole numbers, so scaling moves the origin by half a pixel.
        centers = (sheet.rectified.centers_xy + 0.5) * scale - 0.5
        _draw_sheet(picture, sheet, centers, words)
        unsure = square_doubts(sheet) if isinstance(sheet, KingdomReading) else doubts(sheet)
        tiles += [_tile(clean, centers, doubt) for doubt in unsure]
    return np.vstack([picture, *_rows(tiles, picture.shape[1])])


def _draw_sheet(picture: Bgr, sheet: Board, centers: Points, words: Words) -> None:
    corners = cell_corners(centers)
    pitch = _pitch(centers)
    colors = domain_colors(sheet.score, len(DOMAIN_COLORS))
    _tint(picture, corners, colors)
    _outline(picture, corners, pitch)
    _domain_borders(picture, sheet, corners, colors, pitch)
    blamed = blamed_cells(sheet)
    for cell in _cells(sheet):
        at = centers[cell.row, cell.col]
        if (cell.row, cell.col) in blamed:
            _blame(picture, _quad(corners, (cell.row, cell.col)), pitch)
        if cell.review:
            circle(picture, at, 0.42 * pitch, PAPER, 0.1 * pitch)
            circle(picture, at, 0.42 * pitch, DOUBT, 0.055 * pitch)
        if _is_marked(cell) or cell.review:
            # In the corner that is right and below in the picture, whichever way the sheet lies.
            quad = _quad(corners, (cell.row, cell.col))
            corner = quad[np.argmax(quad.sum(1))]
            _badge(picture, at + 0.66 * (corner - at), cell, pitch)
    _points(picture, sheet, corners, pitch)
    _total(picture, sheet, corners, pitch, words)


def _cells(sheet: Board) -> Sequence[CellReading | SquareReading]:
    return sheet.squares if isinstance(sheet, KingdomReading) else sheet.reading.cells


def _is_marked(cell: CellReading | SquareReading) -> bool:
    """Whether somebody drew there, or a crown is printed there."""
    return cell.crowns > 0 if isinstance(cell, SquareReading) else cell.coat is not None


def cell_corners(centers: Points) -> Points:
    """Corners of the cells, (6, 8, 2), from their centres, (5, 7, 2): means, continued outwards."""
    wide = np.pad(centers, ((1, 1), (1, 1), (0, 0)), mode="reflect", reflect_type="odd")
    return np.asarray((wide[:-1, :-1] + wide[1:, :-1] + wide[:-1, 1:] + wide[1:, 1:]) / 4)


def _pitch(centers: Points) -> float:
    """Mean distance between neighbouring centres, pixels."""
    across = np.linalg.norm(np.diff(centers, axis=1), axis=2).mean()
    down = np.linalg.norm(np.diff(centers, axis=0), axis=2).mean()
    return float((across + down) / 2)


def _quad(corners: Points, cell: Cell) -> Points:
    r, c = cell
    return np.asarray(corners[[r, r, r + 1, r + 1], [c, c + 1, c + 1, c]])


def _tint(picture: Bgr, corners: Points, colors: dict[Cell, int]) -> None:
    """Colour the paper, not the ink: multiply, as a marker pen does."""
    marker = np.full_like(picture, 255)
    for cell, color in colors.items():
        polygon(marker, _quad(corners, cell), DOMAIN_COLORS[color])
    tinted = cv2.multiply(picture, marker, scale=1 / 255)
    picture[:] = cv2.addWeighted(picture, 0.4, tinted, 0.6, 0)


def _outline(picture: Bgr, corners: Points, pitch: float) -> None:
    border = np.concatenate([corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2:0:-1, 0]])
    polygon(picture, border, PAPER, 0.07 * pitch)
    polygon(picture, border, INK, 0.03 * pitch)


def _domain_borders(
    picture: Bgr, sheet: Board, corners: Points, colors: dict[Cell, int], pitch: float
) -> None:
    sides = ((-1, 0), (0, 1), (1, 0), (0, -1))
    for domain in sheet.score.domains:
        for cell in domain.cells if domain.points else ():
            b, g, r = DOMAIN_COLORS[colors[cell]]
            darker = (round(0.7 * b), round(0.7 * g), round(0.7 * r))
            quad = _quad(corners, cell)
            for side, (dr, dc) in enumerate(sides):
                if (cell[0] + dr, cell[1] + dc) not in domain.cells:
                    # Inside its own cell, so that neighbours' borders lie side by side.
                    ends = 0.95 * quad[[side, (side + 1) % 4]] + 0.05 * quad.mean(0)
                    line(picture, ends[0], ends[1], darker, 0.05 * pitch)


def _badge(picture: Bgr, at: Points, cell: CellReading | SquareReading, pitch: float) -> None:
    """A plate around `at` with what the shield holds, and `?` when that is doubtful."""
    size, pad = 0.2 * pitch, 0.06 * pitch
    marks = _width(cell, size)
    width = marks + 2 * pad + (0.7 * size if cell.review else 0)
    left = at[0] - width / 2
    edge = DOUBT if cell.review else INK
    plate(picture, (left, at[1] - 0.5 * size - pad), (width, size + 2 * pad), edge, 0.015 * pitch)
    _draw(picture, (left + pad, at[1]), cell, size)
    if cell.review:
        write(picture, "?", (left + pad + marks + 0.1 * size, at[1]), 1.2 * size, DOUBT, bold=True)


def _blame(picture: Bgr, quad: Points, pitch: float) -> None:
    """A frame inside a cell that the rules forbid, and `!` in its lower left corner."""
    inside = 0.84 * quad + 0.16 * quad.mean(0)
    polygon(picture, inside, PAPER, 0.07 * pitch)
    polygon(picture, inside, BLAME, 0.04 * pitch)
    size = 0.2 * pitch
    centre = quad.mean(0)
    x, y = centre + 0.66 * (quad[np.argmin(quad @ (1, -1))] - centre)
    width = text_width("!", size, bold=True)
    plate(picture, (x - size / 2, y - 0.6 * size), (size, 1.2 * size), BLAME, 0.015 * pitch)
    write(picture, "!", (x - width / 2, y), size, BLAME, bold=True)


def _width(cell: CellReading | SquareReading, size: float) -> float:
    """Width in pixels of what `_draw` draws."""
    if isinstance(cell, SquareReading):
        return square_width(cell.crowns, size)
    return marks_width(cell.crosses, size)


def _draw(
    picture: Bgr, left_middle: tuple[float, float], cell: CellReading | SquareReading, size: float
) -> None:
    """What a shield or square holds, as signs."""
    if isinstance(cell, SquareReading):
        draw_square(picture, left_middle, cell.terrain, cell.crowns, size)
    else:
        draw_marks(picture, left_middle, cell.coat, cell.crosses, size)


def _marks(domain: Domain | Land) -> int:
    return domain.crowns if isinstance(domain, Land) else domain.crosses


def _points(picture: Bgr, sheet: Board, corners: Points, pitch: float) -> None:
    """Each domain's sum, on the edge of its first cell as the picture shows it."""
    size, pad = 0.15 * pitch, 0.04 * pitch
    for domain in sheet.score.domains:
        if domain.points:
            text = f"{len(domain.cells)}×{_marks(domain)}={domain.points}"
            quads = [_quad(corners, cell) for cell in domain.cells]
            quad = min(quads, key=lambda q: float(q.sum(1).min()))
            at = quad[np.argmin(quad.sum(1))]
            x, y = at + 0.1 * (quad.mean(0) - at)
            wide, high = text_width(text, size, bold=True) + 2 * pad, size + pad
            plate(picture, (x, y - high / 2), (wide, high), INK, 0.012 * pitch)
            write(picture, text, (x + pad, y), size, bold=True)


def _total(picture: Bgr, sheet: Board, corners: Points, pitch: float, words: Words) -> None:
    """The total on a plate above the sheet, else below, else at the top of the picture."""
    size = 0.5 * pitch
    review = sheet.review
    text = words.tn("{n} point", "{n} points", sheet.score.total) + " ?" * review
    width, height = text_width(text, size, bold=True) + size, 1.6 * size
    left = min(max(corners[..., 0].mean() - width / 2, 0), max(0, picture.shape[1] - width))
    top = corners[..., 1].min() - height - 0.5 * size
    below = corners[..., 1].max() + 0.5 * size
    if top < 0:
        top = below if below + height < picture.shape[0] else 0.1 * size
    corner = (float(left), float(top))
    plate(picture, corner, (width, height), DOUBT if review else INK, 0.04 * pitch)
    write(picture, text, (left + size / 2, top + height / 2), size, bold=True)


def _choices(doubt: Doubt | SquareDoubt) -> Sequence[CellReading | SquareReading]:
    """What a doubtful cell was read as, then what else it may be, each with its probability."""
    if isinstance(doubt, SquareDoubt):
        return [doubt.square] + [
            replace(doubt.square, terrain=terrain, crowns=crowns, confidence=p)
            for (terrain, crowns), p in doubt.alternatives
        ]
    return [doubt.cell] + [
        replace(doubt.cell, coat=coat, crosses=crosses, confidence=p)
        for (coat, crosses), p in doubt.alternatives
    ]


def _tile(clean: Bgr, centers: Points, doubt: Doubt | SquareDoubt) -> Bgr:
    """A doubtful cell as it is in the photo, upright, above what it may be; `TILE_WH` large."""
    side, height = TILE_WH
    choices = _choices(doubt)
    cell = choices[0]
    quad = _quad(cell_corners(centers), (cell.row, cell.col))
    seen = 1.25 * quad + (1 - 1.25) * quad.mean(0)
    whole = np.array([(0, 0), (side - 1, 0), (side - 1, side - 1), (0, side - 1)])
    warp = cv2.getPerspectiveTransform(seen.astype(np.float32), whole.astype(np.float32))
    tile = np.full((height, side, 3), 255, np.uint8)
    tile[:side] = cv2.warpPerspective(clean, warp, (side, side), borderMode=cv2.BORDER_REPLICATE)
    write(tile, cell_name((cell.row, cell.col)), (2, side + 22), 26, bold=True)
    x = 2.0
    for choice in choices[:2]:
        _draw(tile, (x, side + 58), choice, 24)
        x += _width(choice, 24) + 8
        share = f"{choice.confidence:.0%}"
        write(tile, share, (x, side + 58), 21, DOUBT)
        x += text_width(share, 21) + 18
    return tile


def _rows(tiles: Sequence[Bgr], width: int) -> list[Bgr]:
    """Tiles in rows as wide as the picture, on white."""
    fit = max(1, width // (TILE_WH[0] + GAP))
    rows = []
    for start in range(0, len(tiles), fit):
        spaced = [np.pad(t, ((GAP, 0), (GAP, 0), (0, 0)), constant_values=255) for t in tiles]
        row = np.hstack(spaced[start : start + fit])[:, :width]
        rest = width - row.shape[1]
        rows.append(np.pad(row, ((0, 0), (0, rest), (0, 0)), constant_values=255))
    return rows
