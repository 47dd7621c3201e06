"""A board shown to people: drawn over its photo, or as text in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import cv2
import numpy as np

from kdscan.i18n import ENGLISH, Words
from kdscan.i18n.problems import problem_line
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
from kdscan.imaging.picture import Bgr, cell_corners
from kdscan.rules import AnyDomain, Cell, cell_name, neighbours
from kdscan.rules.duel.board import GLYPHS, LETTERS, Coat, Shield, shown
from kdscan.sheets.common import (
    MAX_NAMED,
    BoardReading,
    Doubt,
    DoubtfulPlace,
    SheetReading,
    domain_colors,
    flagged_cells,
    percent,
)

# Drawn over its photo


class Canvas(NamedTuple):
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

UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
"""Corners of a square, clockwise from the top left."""

TILE_WH = (260, 340)
"""Width and height of a doubtful cell's tile, pixels."""


def label_wh(text: str, size: float) -> tuple[float, float]:
    """Width and height in pixels of what `label` draws."""
    return text_width(text, size, bold=True) + 0.6 * size, 1.4 * size


def label(
    picture: Bgr, text: str, corner: tuple[float, float], size: float, edge: Color = INK
) -> None:
    """A bold text in a panel; corner: top left. edge: colour of the panel's border."""
    width, height = label_wh(text, size)
    panel(picture, corner, (width, height), edge, 0.08 * size)
    draw_text(picture, text, (corner[0] + 0.3 * size, corner[1] + height / 2), size, bold=True)


class CellLook(NamedTuple):
    """How what a kind's cells hold is shown to people.

    heads: what a domain, its cells and what multiplies them are called, to be translated. domain:
    a domain's coat or terrain in a terminal. idle: says that so many domains are worth nothing.
    doubts: a reading's cells that a person should look at. name: in their language. sign: in a
    terminal. token: in the syntax of `--set`. draw: (picture, left middle, *content, size in
    pixels). width: pixels that `draw` takes, for (crosses or crowns, size). marked: whether it is
    drawn even if there is no doubt. retake: what takes the place of the total, a title and advice,
    if it does not count.
    """

    heads: tuple[str, str, str]
    domain: Callable[[Any, Any], str]
    idle: Callable[[Words, int], str]

    doubts: Callable[[Any], Sequence[Doubt]]
    name: Callable[..., str]
    sign: Callable[..., str]
    token: Callable[..., str]
    draw: Callable[..., None]
    width: Callable[[int, float], float]
    marked: Callable[[Any], bool]
    retake: Callable[[Any, Words], Sequence[str]] = lambda *_: ()

    def choices(
        self, doubt: Doubt, text: Callable[..., str], words: Words
    ) -> list[tuple[str, float]]:
        """What a doubtful cell may hold, as text, each with its probability; what was read says
        whether the cell seems to be covered."""
        (read, sure), *others = [(text(*content), p) for content, p, _ in doubt.options]
        covered = ", " + words.t("covered") if doubt.cell.covered else ""
        return [(read + covered, sure), *others]


def draw_board(
    look: CellLook, canvas: Canvas, board: BoardReading, others: Sequence[Points]
) -> list[Bgr]:
    """Draw a board over a photo; returns a tile for each doubtful cell.

    others: outlines (4, 2) of the picture's other sheets.
    """
    picture, centers = canvas.picture, canvas.scaled(board.rectified.centers_xy)
    corners = cell_corners(centers)
    steps = (np.linalg.norm(np.diff(centers, axis=axis), axis=2).mean() for axis in (0, 1))
    pitch = float(sum(steps)) / 2
    retake = look.retake(board, canvas.words)
    scoring = [domain for domain in board.score.domains if domain.points and not retake]
    colors = domain_colors([domain.cells for domain in scoring], len(DOMAIN_COLORS))
    marker = np.full_like(picture, 255)  # colours the paper, not the ink, like a highlighter
    for at, color in colors.items():
        polygon(marker, quad_of(corners, at), DOMAIN_COLORS[color])
    tinted = cv2.multiply(picture, marker, scale=1 / 255)
    picture[:] = cv2.addWeighted(picture, 0.4, tinted, 0.6, 0)
    border = np.concatenate([corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2:0:-1, 0]])
    polygon(picture, border, PAPER, 0.07 * pitch)
    polygon(picture, border, INK, 0.03 * pitch)
    for domain in scoring:
        for cell in domain.cells:
            b, g, r = (round(0.7 * part) for part in DOMAIN_COLORS[colors[cell]])
            quad = quad_of(corners, cell)
            # The sides above, right, below, left, as `quad_of` has them.
            for side, near in enumerate(neighbours(cell)[k] for k in (0, 2, 3, 1)):
                if near not in domain.cells:
                    # Inside its own cell, so that neighbours' borders lie side by side.
                    ends = 0.95 * quad[[side, (side + 1) % 4]] + 0.05 * quad.mean(0)
                    line(picture, ends[0], ends[1], (b, g, r), 0.05 * pitch)
    flagged = flagged_cells(board)
    for cell in board.cells:  # all rings before all badges, which reach into neighbouring cells
        if cell.at in flagged:  # a frame inside it, and `!` in its lower left corner
            quad, size = quad_of(corners, cell.at), 0.2 * pitch
            inside = 0.84 * quad + 0.16 * quad.mean(0)
            polygon(picture, inside, PAPER, 0.07 * pitch)
            polygon(picture, inside, PROBLEM_COLOR, 0.04 * pitch)
            x, y = quad.mean(0) + 0.66 * (quad[np.argmin(quad @ (1, -1))] - quad.mean(0))
            width, height = label_wh("!", size)
            label(picture, "!", (x - width / 2, y - height / 2), size, PROBLEM_COLOR)
        if cell.review:
            circle(picture, centers[cell.at], 0.42 * pitch, PAPER, 0.1 * pitch)
            circle(picture, centers[cell.at], 0.42 * pitch, REVIEW_COLOR, 0.055 * pitch)
    for cell in board.cells:
        if look.marked(cell.content) or cell.review:
            # Towards the lower right in the picture, whichever way the sheet is turned.
            centre, quad = centers[cell.at], quad_of(corners, cell.at)
            corner = quad[np.argmax(quad.sum(1))]
            at = centre + 0.66 * (corner - centre)
            # A panel with the cell's content, and `?` if it is doubtful.
            size, pad = 0.2 * pitch, 0.06 * pitch
            marks = look.width(cell.content[1], size)
            wide = marks + 2 * pad + (0.7 * size if cell.review else 0)
            high = size + 2 * pad
            left, top = _inside(picture, (at[0] - wide / 2, at[1] - high / 2), (wide, high), pad)
            edge = REVIEW_COLOR if cell.review else INK
            panel(picture, (left, top), (wide, high), edge, 0.015 * pitch)
            look.draw(picture, (left + pad, top + high / 2), *cell.content, size)
            if cell.review:
                after = left + pad + marks + 0.1 * size, top + high / 2
                draw_text(picture, "?", after, 1.2 * size, REVIEW_COLOR, bold=True)
    size = 0.15 * pitch
    for domain in scoring:  # at the upper left of its topmost cell in the picture
        count = len(domain.cells)
        text = f"{count}×{domain.points // count}={domain.points}"
        quads = [quad_of(corners, cell) for cell in domain.cells]
        quad = min(quads, key=lambda q: q.sum(1).min())
        at = quad[np.argmin(quad.sum(1))]
        x, y = at + 0.1 * (quad.mean(0) - at)
        wh = label_wh(text, size)
        label(picture, text, _inside(picture, (x, y - wh[1] / 2), wh, 0.3 * size), size)
    points = canvas.words.tn("{n} point", "{n} points", board.score.total) + " ?" * board.review
    text = canvas.numbered(retake[0] if retake else points)
    edge = REVIEW_COLOR if board.review else INK
    _label_sheet(picture, text, edge, corners, others, 0.5 * pitch)
    return [_tile(canvas, corners, doubt, look) for doubt in look.doubts(board)]


def quad_of(corners: Points, cell: Cell) -> Points:
    """(4, 2): a cell's corners, clockwise from the upper left. corners: see `cell_corners`."""
    r, c = cell
    return np.asarray(corners[[r, r, r + 1, r + 1], [c, c + 1, c + 1, c]])


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


def _label_sheet(
    picture: Bgr, text: str, edge: Color, corners: Points, others: Sequence[Points], size: float
) -> None:
    """A label above the sheet, else below, else where it covers least of the sheet. It avoids other
    sheets, because there it would be taken for theirs."""
    wide, high = label_wh(text, size)
    sheet = corners[[0, 0, -1, -1], [0, -1, -1, 0]]
    (left, top), (right, bottom) = sheet.min(0), sheet.max(0)
    room = np.maximum(np.array(picture.shape[1::-1]) - (wide, high), 0)
    xs = (left + right - wide) / 2, left - wide - size / 2, right + size / 2
    ys = top - high - size / 2, bottom + size / 2, 0, room[1]
    places = np.clip([(x, y) for y in ys for x in xs], 0, room)

    def covered(at: Points, other: Points) -> float:
        """Pixels of a sheet (4, 2) that the label covers."""
        box = at + UNIT * (wide, high)
        shape = box.astype(np.float32), other.astype(np.float32)
        return cv2.intersectConvexConvex(*shape)[0]

    def cost(at: Points) -> float:
        return covered(at, sheet) + OTHER_SHEET * sum(covered(at, other) for other in others)

    x, y = min(places, key=cost)
    label(picture, text, (x, y), size, edge)


def places_of(look: CellLook, board: BoardReading, words: Words) -> Iterator[DoubtfulPlace]:
    """A board's doubtful cells as places."""
    corners = cell_corners(board.rectified.centers_xy)
    for doubt in look.doubts(board):
        at, choices = doubt.cell.at, look.choices(doubt, partial(look.name, words), words)
        yield DoubtfulPlace(cell_name(at), tuple(choices), quad_of(corners, at))


def _tile(canvas: Canvas, corners: Points, doubt: Doubt, look: CellLook) -> Bgr:
    """A rectified crop of a doubtful cell above its alternatives, (340, 260, 3) uint8 BGR."""
    side, height = TILE_WH
    at = doubt.cell.at
    quad = quad_of(corners, at)
    source = 1.25 * quad + (1 - 1.25) * quad.mean(0)
    ends = source.astype(np.float32), (UNIT * (side - 1)).astype(np.float32)
    warp = cv2.getPerspectiveTransform(*ends)
    picture = np.full((height, side, 3), 255, np.uint8)
    crop = cv2.warpPerspective(canvas.clean, warp, (side, side), borderMode=cv2.BORDER_REPLICATE)
    picture[:side] = crop
    draw_text(picture, canvas.numbered(cell_name(at)), (2, side + 22), 26, bold=True)
    x = 2.0
    for content, p, _ in doubt.options[:2]:
        look.draw(picture, (x, side + 58), *content, 24)
        x += look.width(content[1], 24) + 8
        share = percent(p)
        draw_text(picture, share, (x, side + 58), 21, REVIEW_COLOR)
        x += text_width(share, 21) + 18
    return picture


# Text in a terminal

# Box drawing by the four strokes that meet in a corner: up 1, right 2, down 4, left 8.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_ASCII_CORNERS = " |-+||++-+-+++++"

# The colours of Okabe and Ito (2008), which colour-blind people can tell apart, approximated by the
# 256 colours of terminals; black text is readable on all of them.
COLORS = (214, 117, 36, 227, 32, 166, 175)


BOARD_COLUMNS = 73
"""Width of a map's board."""


@dataclass(frozen=True)
class Style:
    """A terminal's abilities. unicode: box drawing and symbols. color: ANSI colours. words: its
    language. address: how `--set` names the sheet, where a cell alone would mean another one.
    columns: the terminal's width.
    """

    unicode: bool = True
    color: bool = False
    words: Words = ENGLISH
    address: str = ""
    columns: int = 80

    @property
    def narrow(self) -> bool:
        """Whether a board has room for four characters a cell only, with digits for crosses."""
        return self.columns < BOARD_COLUMNS

    def coat(self, coat: Coat | None) -> str:
        """Two characters for a coat; without Unicode the letters of the boards' text form."""
        if coat is None:
            return "· " if self.unicode else ". "
        return f"{GLYPHS[coat]:2}" if self.unicode else f"{LETTERS[coat]:2}"

    @property
    def cross(self) -> str:
        return "×" if self.unicode else "+"

    @property
    def crown(self) -> str:
        return "♛" if self.unicode else "+"

    def marks(self, coat: Coat | None, crosses: int) -> str:
        return shown(coat, crosses) if self.unicode else token(coat, crosses)

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.color else text

    def filled(self, text: str, color: int | None) -> str:
        if not self.color or color is None:
            return text
        return f"\x1b[30;48;5;{COLORS[color]}m{text}\x1b[0m"


def draw_grid(content: Mapping[Cell, str], domains: Sequence[AnyDomain], style: Style) -> str:
    """A board with lettered columns and numbered rows; lines separate domains, and those that score
    are coloured. content: the text of each cell, all of one width."""
    rows, cols = (1 + max(axis) for axis in zip(*content, strict=True))
    width = len(content[0, 0])
    # Cells of one domain are one region, every other cell is its own.
    of = {cell: n for n, domain in enumerate(domains) for cell in domain.cells}
    regions = {cell: of.get(cell, cell) for cell in content}
    colors = domain_colors([domain.cells for domain in domains if domain.points], len(COLORS))
    filled = {cell: style.filled(text, colors.get(cell)) for cell, text in content.items()}
    header = "   " + "".join(f"{chr(ord('A') + col):^{width + 1}}" for col in range(cols))
    lines = [header.rstrip()]
    corners = _CORNERS if style.unicode else _ASCII_CORNERS
    for row in range(rows + 1):
        rule = line = ""
        for col in range(cols + 1):  # a stroke wherever two regions meet
            nw, ne, sw, se = (regions.get((r, c)) for r in (row - 1, row) for c in (col - 1, col))
            up, right, down, left = nw != ne, ne != se, sw != se, nw != sw
            rule += corners[up + 2 * right + 4 * down + 8 * left] + corners[10 * right] * width
            line += corners[5 * down] + filled.get((row, col), "")
        lines += ["  " + rule.rstrip(), f"{row + 1} {line}"]
    return "\n".join(lines[:-1])


def explain_board(
    board: BoardReading,
    look: CellLook,
    content: Mapping[Cell, str],
    more: Iterable[str],
    style: Style,
    between: str = "",
) -> str:
    """A board; its domains that score, the best first, each as cells × crosses or crowns = points,
    below the columns' heads; what else counts, the total, its confidence; and what to check.

    content: see `draw_grid`. more: what else counts, a line each. between: the range of the total.
    """
    t, narrow, times = style.words.t, style.narrow, "×" if style.unicode else "x"
    where, what, cells, marks, points = t("from"), *map(t, look.heads), t("points")
    scoring = [domain for domain in board.score.domains if domain.points]
    lines = [f"   {where:<5} {what:<17}{cells:>7}{marks:>10}{points:>8}"]
    if narrow:
        lines = [f" {where}, {what}: {cells} {times} {marks} = {points}"]
    for domain in sorted(scoring, key=lambda domain: -domain.points):
        first, name = cell_name(domain.cells[0]), look.domain(style, domain)
        size, total = len(domain.cells), domain.points
        each = total // size
        lines.append(
            f" {first} {name}: {size} {times} {each} = {total}"
            if narrow
            else f"   {first:<5} {name:<17}{size:>6}  {times}{each:>7}  ={total:>6}"
        )
    if not scoring:
        lines = []
    if idle := len(board.score.domains) - len(scoring):
        more = [look.idle(style.words, idle), *more]
    confidence = t("{sure} sure", sure=percent(board.confidence))
    check = f",{between} " + t("please check") if board.review else ""
    total_points = style.bold(t("total {points}", points=board.score.total))
    lines += [f"   {line}" for line in (*more, f"{total_points}  ({confidence}{check})")]
    drawn = draw_grid(content, board.score.domains, style)
    parts = drawn, "\n".join(lines), explain_doubts(board, look, style)
    return "\n\n".join(filter(None, parts))


def explain_problems(reading: SheetReading, style: Style) -> list[str]:
    """The problems of a sheet or kingdom, one a line."""
    lines = []
    for problem in reading.problems:
        named = problem.cells if len(problem.cells) <= MAX_NAMED else ()
        where = " ".join(cell_name(cell) for cell in named)
        what = problem_line(problem, style.words)
        lines.append(f" {what}" + (f" ({where})" if where else ""))
    return lines


def explain_doubts(board: BoardReading, look: CellLook, style: Style) -> str:
    """Problems of a board, then its doubtful cells with their alternatives."""
    dash, t = "–" if style.unicode else "-", style.words.t
    either, lines, doubts = t("or"), explain_problems(board, style), look.doubts(board)
    if not doubts:
        return "\n".join(lines)
    lines.append(" " + t("Look at:"))
    for doubt in doubts:
        choices = look.choices(doubt, partial(look.sign, style), style.words)
        first, *others = [f"{text} ({percent(p)})" for text, p in choices]
        rest = f" {dash} {either} {', '.join(others)}" if others else ""
        lines.append(f"   {cell_name(doubt.cell.at)}  {first}{rest}")
    doubt = next((doubt for doubt in doubts if doubt.options[1:]), doubts[0])
    content, *_ = doubt.options[:2][-1]  # what was read needs no correction
    example = f"{style.address}{cell_name(doubt.cell.at)}={look.token(*content)}"
    lines.append(" " + t("If one is wrong, say what it is:") + f" --set {example}")
    return "\n".join(lines)


def token(coat: Coat | None, crosses: int) -> str:
    """A shield in the text form of boards, which is the syntax of `--set`."""
    return "." if coat is None else str(Shield(coat, crosses))
