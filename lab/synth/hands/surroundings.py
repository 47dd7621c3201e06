"""What gets onto a sheet around the shields: writing, sums, shaded lines, slips of the pen, coffee.

Lengths in mm on the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from math import pi

import cv2
import numpy as np

from kdscan.paper.layout import Layout
from kdscan.rules import Cell
from kdscan.rules.duel.board import COLS, ROWS, Board, Coat, find_domains
from lab.synth.fields import SQUARE, U8, Rng, any_of, f32, fill, gaussian, toward, u8
from lab.synth.hands.dots_and_crosses import COVERING
from lab.synth.hands.habits import WRITERS
from lab.synth.hands.ink import Stroke, Strokes, box_on, lay_ink, multiply, noise_patch
from lab.synth.hands.preferences import StrokeBank
from lab.synth.hands.sketch import Sketch, beside, edge_room
from lab.synth.hands.strokes import Path, Pen, hatch, line, random_pen, ring, rounded, turned


def number(text: str, at: Path, height: float, rng: Rng) -> Strokes:
    """Return the strokes of digits and signs; other characters are blank. at: top left corner."""
    strokes = []
    slant = rng.normal(0.1, 0.15)
    width = height * rng.uniform(0.5, 0.7)
    for i, sign in enumerate(text):
        for corners in WRITERS["digits"].get(sign, ()):
            path = np.array(corners) + rng.normal(0, 0.05, (len(corners), 2))
            path = rounded(rounded(path)) * (width, height)
            path[:, 0] += slant * (height - path[:, 1]) + i * width * 1.25
            strokes.append(Stroke(at + path))
    return strokes


def word(at: Path, height: float, letters: int, rng: Rng) -> Strokes:
    """Return meaningless joined-up writing: loops, humps, some high or low letters."""
    pen_lifts = 0.25 if rng.random() < 0.5 else 0.75
    slant = rng.normal(0.2, 0.25)
    x = 0.0
    paths: list[list[tuple[float, float]]] = [[]]
    for _ in range(letters):
        wide = rng.uniform(0.6, 1.1)
        top = -0.9 if rng.random() < 0.22 else 0.0
        low = 1.75 if rng.random() < 0.12 else 1.0
        k = int(rng.integers(2, 4))
        for j in range(k):
            y = (top if j % 2 == 0 else low) + rng.normal(0, 0.12)
            paths[-1].append((x + wide * (j + rng.uniform(-0.4, 0.4)) / k, y))
        if rng.random() < 0.4:
            paths[-1] += [(x + wide * 0.1, 0.5), (x + wide, 0.9)]
        x += wide
        if rng.random() < pen_lifts:
            paths.append([])
    strokes = []
    for points in paths:
        if len(points) > 1:
            path = rounded(rounded(np.array(points))) * height * 0.55
            path[:, 0] += slant * (height - path[:, 1])
            strokes.append(Stroke(at + path))
    return strokes


def total(rng: Rng) -> str:
    """Return a sum, as players jot it down."""
    terms = [str(int(rng.integers(1, 40))) for _ in range(rng.integers(1, 7))]
    if rng.random() < 0.3:
        terms = [f"{rng.integers(2, 9)}x{rng.integers(1, 6)}" for _ in terms[:4]]
    end = f"={rng.integers(20, 99)}" if rng.random() < 0.6 else ""
    return "+".join(terms) + end


def writing(at: Path, room: float, height: float, rng: Rng, bank: StrokeBank | None) -> Strokes:
    """Return one line of writing: words, a sum or real letters, at most `room` mm wide."""
    lot = rng.random()
    if lot < 0.35:
        text = total(rng)
        strokes = number(text[: max(1, int(room / (0.8 * height)))], at, height, rng)
    elif bank is not None and lot < 0.5:
        strokes, x, who = [], 0.0, rng.random()
        while x < min(room, 12 * height) - height and len(strokes) < 14:
            mark = bank.pick("glyph", who, rng)
            if mark is None:
                break
            strokes += [Stroke(at + (p + 1) * height / 2 + (x, 0)) for p in mark]
            x += height * rng.uniform(0.7, 1.1)
    else:
        most = max(2, int(room / (0.5 * height)))
        strokes = word(at, height, min(most, int(rng.integers(3, 14))), rng)
    tilt = rng.normal(0, 0.05)
    return [Stroke(at + turned(s.path - at, tilt), s.width, s.pressure) for s in strokes]


def stray(at: Path, size: float, rng: Rng) -> Strokes:
    """Return a meaningless mark: a speck, a slip or a small squiggle."""
    lot = rng.random()
    if lot < 0.5:
        return [Stroke(line(at, at + rng.normal(0, 0.1 * size, 2), rng))]
    if lot < 0.85:
        return [Stroke(line(at, at + rng.normal(0, size, 2), rng, bow=rng.normal(0, 0.15)))]
    return [Stroke(ring(at, 0.4 * size, rng, turns=rng.uniform(0.25, 0.65), wobble=0.3))]


def smudge(page: U8, at: Path, size: float, rng: Rng, px_per_mm: float) -> None:
    """Rub a soft grey patch about `size` mm wide onto the page, in place."""
    half = size * rng.uniform(0.4, 1.0, 2)
    turn = rng.uniform(0, pi)
    box = _box(page, at, half.max() * 1.6, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    yy, xx = f32(np.mgrid[y0:y1, x0:x1])
    local = np.stack((xx / px_per_mm - at[0], yy / px_per_mm - at[1]), -1).reshape(-1, 2)
    local = turned(local.astype(np.float64), -turn) / half
    fall = f32(np.exp(-1.5 * (local**2).sum(1)).reshape(xx.shape))
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    alpha = fall * (0.3 + 0.7 * cloud) * rng.uniform(0.03, 0.16)
    multiply(page, (x0, y0), f32(alpha), (0.3, 0.3, 0.3))


def smear(page: U8, blank: U8, at: Path, reach: float, rng: Rng, px_per_mm: float) -> None:
    """Smear the ink within about `reach` mm of a point, in place; the print is not affected. blank:
    the page before anybody drew on it."""
    box = _box(page, at, 2 * reach, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    paper = f32(np.maximum(blank[y0:y1, x0:x1], 1))
    through = page[y0:y1, x0:x1] / paper
    long = max(3, round(reach * rng.uniform(0.2, 0.7) * px_per_mm)) | 1
    kernel = np.zeros((long, long), np.float32)
    end = toward(rng.uniform(0, pi)) * (long // 2)
    ends = [tuple(round(float(long // 2 + way * v)) for v in end) for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    drawn = f32(cv2.filter2D(through, -1, kernel / kernel.sum()))
    yy, xx = np.mgrid[y0:y1, x0:x1] / px_per_mm
    away = ((xx - at[0]) ** 2 + (yy - at[1]) ** 2) / reach**2
    weight = f32(np.exp(-(away**2)) * rng.uniform(0.25, 0.75))[..., None]
    mixed = through * (1 - weight) + drawn * weight
    page[y0:y1, x0:x1] = u8(np.clip(mixed * paper + 0.5, 0, 255))


def coffee_ring(page: U8, at: Path, radius: float, rng: Rng, px_per_mm: float) -> None:
    """Leave the ring of a cup on the page, in place: thin and brown, dark at its rim."""
    box = _box(page, at, radius * 1.15, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    alpha = np.zeros((y1 - y0, x1 - x0), np.float32)
    middle = (round(at[0] * px_per_mm - x0), round(at[1] * px_per_mm - y0))
    start = rng.uniform(0, 360)
    sweep = rng.uniform(150, 360)
    for share, strength in ((1.0, 0.8), (0.97, 0.5)):
        axes = (int(radius * share * px_per_mm), int(radius * share * px_per_mm * 0.98))
        thick = max(1, int(rng.uniform(0.4, 1.8) * px_per_mm))
        cv2.ellipse(alpha, middle, axes, 0, start, start + sweep, strength, thick, cv2.LINE_AA)
    soft = gaussian(alpha, 0.3 * px_per_mm)
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    soft *= (0.2 + 0.8 * cloud) * rng.uniform(0.15, 0.5)
    multiply(page, (x0, y0), soft, (0.25, 0.42, 0.6))


def fluid(page: U8, outline: Path, rng: Rng, px_per_mm: float) -> None:
    """Paint correction fluid over an outline (mm), in place: nearly opaque, not quite white."""
    low, high = outline.min(0) * px_per_mm - 2, outline.max(0) * px_per_mm + 2
    box = box_on(page, low, high)
    if box is None:
        return
    x0, y0, x1, y1 = box
    alpha = fill((y1 - y0, x1 - x0), outline * px_per_mm - (x0, y0) - 0.5)
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    cover = f32(alpha) / 255 * (rng.uniform(0.9, 0.97) + 0.03 * cloud)
    white = rng.uniform(225, 252) + rng.normal(0, 2, 3)
    patch = page[y0:y1, x0:x1]
    for channel in range(3):
        mixed = patch[..., channel] * (1 - cover) + np.float32(white[channel]) * cover
        patch[..., channel] = u8(np.clip(mixed + 0.5, 0, 255))


def _box(page: U8, at: Path, reach: float, px_per_mm: float) -> tuple[int, int, int, int] | None:
    """Return x0, y0, x1, y1 in pixels of a square about a point, or None off the page."""
    return box_on(page, (at - reach) * px_per_mm, (at + reach) * px_per_mm, 4)


def draw_borders(sheet: Sketch, board: Board) -> None:
    """Shade lines between cells with different coats, if this hand does so."""
    hand = sheet.hand
    if not hand.borders and not hand.rims:
        return
    wrong = 0.03 * sheet.messiness
    coats = {at: shield.coat for at, shield in board.items()}
    marks: Strokes = []
    for cell, beyond, inner, (start, end) in _grid_lines(sheet.layout):
        often = hand.borders if inner else hand.rims
        often *= (1 - wrong) * (coats.get(cell) != coats.get(beyond))
        if inner and hand.borders:
            often += wrong
        if sheet.rng.random() < often:
            marks += _border(sheet, start, end)
    for i in range(0, len(marks), 6):
        sheet.ink(marks[i : i + 6], hand.border_pen)


def _grid_lines(layout: Layout) -> Iterator[tuple[Cell, Cell, bool, Path]]:
    """Each side of a cell once: the cell, the place beyond it, whether that is a cell too, and the
    side's ends (2, 2) in mm."""
    for row, col in np.ndindex(ROWS, COLS):
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            beyond = row + down, col + right
            inner = 0 <= beyond[0] < ROWS and 0 <= beyond[1] < COLS
            if inner and min(down, right) < 0:  # the other cell's right or lower side
                continue
            start = np.array((col + max(right, 0), row + max(down, 0)))
            ends = np.stack((start, start + (abs(down), abs(right))))
            yield (row, col), beyond, inner, layout.grid_mm + ends * layout.cell_mm


STRAYING = {"stray": COVERING, "jagged": COVERING - {"slash", "fill", "dot"}}
"""Borders that run over circles too, and the crosses for which they would be mistaken there."""


def _border(sheet: Sketch, a: Path, b: Path) -> Strokes:
    """Return one shaded line between the corners of a cell."""
    rng, hand = sheet.rng, sheet.hand
    size = math.hypot(*(b - a))
    room = edge_room(sheet.layout) + hand.overruns * sheet.layout.circle_radius_mm
    jagged, cross = hand.border_line == "jagged", hand.traits.habits["cross"]
    stray = hand.border_line in STRAYING and cross not in STRAYING[hand.border_line]
    if stray:  # it runs through circles too, and is known by going on beyond them
        room = max(room, 0.2 * size)
    loose = (0.008 + 0.02 * hand.traits.slop) * (1 + 2 * hand.overruns) * size
    loose = min(loose, 0.4 * room)
    ends = np.stack((a, b)) + rng.normal(0, loose, (2, 2))
    ends = ends + (b - a) * rng.normal(0, 0.03 + 0.05 * hand.traits.slop, (2, 1))
    wobble = hand.traits.tremor + (0.012 * size if hand.border_line == "wobbly" else 0.0)
    wobble = rng.uniform(0.02, 0.05) * size if stray else min(wobble, 0.02 * size, 0.4 * room)
    path = line(ends[0], ends[1], rng, wobble=wobble, bow=hand.traits.bow * 0.3)
    if jagged:
        # a zigzag between two points, in places nearly straight
        height = min(rng.uniform(0.03, 0.11) * size, 0.5 * room)
        teeth, run = 2 * int(rng.integers(4, 11)), ends[1] - ends[0]
        swing = height * np.where(np.arange(teeth) % 2, 1, -1) * rng.beta(2, 1, teeth)
        across = np.outer(swing, (-run[1], run[0])) / max(math.hypot(*run), 1e-9)
        path = np.asarray(ends[0] + np.linspace(0, 1, teeth)[:, None] * run + across)
    if hand.border_line == "double":
        shift = rng.normal(0, min(0.02 * size, 0.5 * room), 2)
        return [Stroke(path), Stroke(path[::-1] + shift)]
    return [Stroke(path, width=2.0 if hand.border_line == "thick" else 1.0)]


def soil(
    page: U8, page_mm: tuple[float, float], rng: Rng, px_per_mm: float, messiness: float
) -> None:
    """Add smudges and coffee rings all over the page, in place, before the marks are drawn."""
    size = np.array(page_mm)
    for _ in range(rng.poisson(1.2 * messiness)):
        smudge(page, rng.uniform(0, 1, 2) * size, 14.0, rng, px_per_mm)
    if rng.random() < 0.1 * messiness:
        # add faint show-through of writing on the back, in place
        pen, fade, blur = random_pen(rng), rng.uniform(0.03, 0.12), rng.uniform(0.15, 0.5)
        for _ in range(rng.integers(6, 40)):
            at, height = rng.uniform(0.05, 0.95, 2) * size, rng.uniform(2.5, 7.0)
            lot = rng.random()
            if lot < 0.4:
                marks = writing(at, 0.25 * size[0], height, rng, None)
            elif lot < 0.7:
                marks = [Stroke(line(at, at + rng.normal(0, 1.5, 2) * height, rng))]
            else:
                corners = np.array(((0, 0), (1, 0), (1, 1), (0, 1.0)))
                paths = hatch(at + corners * height, rng.uniform(0, 3), 2 * pen.width, rng)
                marks = [Stroke(path) for path in paths]
            mirrored = [Stroke(s.path * (-1, 1) + (2 * at[0], 0), s.width) for s in marks]
            lay_ink(page, mirrored, pen, rng, px_per_mm=px_per_mm, fade=fade, blur_mm=blur)
    if rng.random() < 0.04 * messiness:
        at = rng.uniform(-0.1, 1.1, 2) * size
        coffee_ring(page, at, rng.uniform(28, 45), rng, px_per_mm)


def scribble_around(sheet: Sketch, board: Board) -> None:
    """Writing in the margins, slips of the pen between cells, scores of domains."""
    rng, layout, messiness = sheet.rng, sheet.layout, sheet.messiness
    low = np.array(layout.grid_mm)
    pitch = np.array(layout.cell_mm)
    high = low + pitch * (COLS, ROWS)
    page = np.array(layout.page_mm)
    pens = (sheet.hand.pen, sheet.hand.cross_pen, random_pen(rng))
    lines = 3.0 * messiness + (5.0 if sheet.adds == "sums" else 0.0)
    for _ in range(rng.poisson(lines)):
        height = rng.uniform(2.2, 7.0)
        band = int(rng.integers(4))
        lot = rng.uniform(0, 1, 2)
        at = lot * page
        if band < 2:
            depth = low[1] if band == 0 else page[1] - high[1]
            height = min(height, 0.6 * depth)
            at[1] = lot[1] * (depth - 1.5 * height) + (0 if band == 0 else high[1] + 0.5 * height)
            room = page[0] - at[0] - 2
        else:
            depth = low[0] if band == 2 else page[0] - high[0]
            height = min(height, 0.35 * depth)
            at[0] = lot[0] * 0.3 * depth + (0 if band == 2 else high[0] + 0.3 * height)
            room = (low[0] if band == 2 else page[0]) - at[0]
        if height < 1.2 or room < 2 * height:
            continue
        pen = any_of(rng, pens).between(0, 0.2 * height)
        sheet.ink(writing(at, float(room), height, rng, sheet.bank), pen)
    _strays(sheet)
    if sheet.adds in ("scores", "ringed_scores") or rng.random() < 0.1 * messiness:
        # write small numbers into free corners of some cells
        cells = list(board)
        height = 0.13 * min(sheet.layout.cell_mm)
        for i in rng.permutation(len(cells))[: rng.integers(2, 8)]:
            shield = sheet.shield_of(cells[i])
            at = beside(sheet, shield, [*shield.circles])
            contour = np.round(shield.polygon * 64).astype(np.int32)
            away = cv2.pointPolygonTest(contour, (at[0] * 64, at[1] * 64), True)
            gaps = np.hypot(*(shield.circles - at).T) if len(shield.circles) else np.array((9e9,))
            if away < -64 * 0.5 * height and gaps.min() > 2.0 * shield.circle + 0.5 * height:
                text = str(int(rng.integers(1, 30)))
                marks = number(text, at - 0.5 * height, height, rng)
                if sheet.adds == "ringed_scores":
                    marks.append(Stroke(ring(at, 1.1 * height, rng, squash=0.85)))
                sheet.ink(marks, sheet.hand.pen.between(0, 0.16 * height))


def _strays(sheet: Sketch) -> None:
    """Slips of the pen along the lines between cells and outside the map, off the circles."""
    rng, layout = sheet.rng, sheet.layout
    pitch = np.array(layout.cell_mm)
    cells = np.ndindex(ROWS, COLS)
    circles = np.concatenate([sheet.shield_of(cell).circles for cell in cells])
    for _ in range(rng.poisson(3.0 * sheet.messiness)):
        place = rng.uniform(0, 1, 2) * (COLS, ROWS)
        place[rng.integers(2)] = rng.integers(0, ROWS + 1)
        at = np.array(layout.grid_mm) + place * pitch
        marks = stray(at, 0.05 * pitch.min(), rng)
        points = np.concatenate([mark.path for mark in marks])
        off = np.linalg.norm(points[:, None] - circles, axis=-1)
        if off.size and off.min() < 1.2 * layout.circle_radius_mm:
            continue
        sheet.ink(marks, sheet.hand.pen.between(0, 0.03 * pitch.min()))


def add_extras(sheet: Sketch, board: Board) -> None:
    """Tint domains or draw loops around them, if this player does so."""
    rng, layout, cell = sheet.rng, sheet.layout, np.array(sheet.layout.cell_mm)
    if sheet.adds == "tints":
        # shade all or some cells in pale colours, one per coat or one per domain
        share, by_coat = rng.uniform(0.3, 1.3), rng.random() < 0.5
        wide = rng.uniform(0.04, 0.12) * cell.min()
        strength, grain = rng.uniform(0.12, 0.4), rng.uniform(0.1, 0.8)
        shades = {coat: _tint_pen(rng, wide, strength, grain) for coat in Coat}
        angle, corners = rng.uniform(0, math.pi), SQUARE / 2
        for domain in find_domains(board):
            pen = shades[domain.coat] if by_coat else _tint_pen(rng, wide, strength, grain)
            if rng.random() > share:
                continue
            for at in domain.cells:
                box = sheet.at(at) + corners * cell * rng.uniform(0.82, 1.0)
                gap = wide * rng.uniform(0.8, 1.3)
                slop = sheet.hand.traits.slop
                paths = hatch(box, angle + rng.normal(0, 0.1), gap, rng, slop=slop, joined=True)
                sheet.ink([Stroke(p) for p in paths], pen)
    elif sheet.adds == "loops":
        # draw a loop around each domain of two or more cells
        px = 12
        for cells in (domain.cells for domain in find_domains(board)):
            if len(cells) < 2:
                continue
            mask = np.zeros((ROWS * px + 2, COLS * px + 2), np.uint8)
            for r, c in cells:
                mask[r * px + 1 : (r + 1) * px + 1, c * px + 1 : (c + 1) * px + 1] = 1
            inner = cv2.erode(mask, np.ones((3, 3), np.uint8))
            edge = cv2.findContours(inner, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0][0][:, 0]
            path = np.array(layout.grid_mm) + (np.concatenate((edge, edge[:1])) - 0.5) / px * cell
            path = path[:: 3 if len(path) > 12 else 1]
            path = path + rng.normal(0, 0.015, path.shape) * cell
            sheet.ink([Stroke(rounded(rounded(path)))], sheet.hand.border_pen)


def _tint_pen(rng: Rng, wide: float, strength: float, grain: float) -> Pen:
    """A coloured pencil or a pale felt for shading."""
    pen = random_pen(rng, "coloured")
    high = max(pen.bgr)
    b, g, r = (min(1.0, c / high * 0.95) for c in pen.bgr)
    return replace(pen, bgr=(b, g, r), width=wide, opacity=strength, grain=grain, overlap=False)
