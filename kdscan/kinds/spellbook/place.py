"""Stage: photo → spellbooks in it, laid flat.

The page's markers say roughly where it lies; two of them are enough. Then the printed
lines of the blank page are looked for, patch by patch, in the flattened picture: what
each patch is off by bends a mesh over the page, which follows curl and folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.markers import detect_pages
from kdscan.imaging.rectify import project, sample
from kdscan.records import Photo
from kdscan.records.arrays import Floats
from kdscan.sheet.book import BookLayout, books, load_book

PX_PER_MM = 4
"""Resolution of a flattened page."""

_NODE_MM = 20.0
"""Pitch of the mesh, about."""
_STEPS = ((2.0, 36.0, 6.0), (2.0, 26.0, 4.0), (3.0, 20.0, 1.5))
"""Of each look: pixels a mm; side of the patches compared with the blank page, and how far
off they may be, both in mm: less than half of what the print repeats itself by."""
_MORE, _MET = 2, 0.55
"""So many more rounds are spent while the print is met worse than this at a fifth of the nodes."""
_STIFF = 0.1
"""How much a bend of the mesh costs, against what patches say."""


@dataclass(frozen=True, eq=False)
class PlacedBook:
    """A spellbook found in a photo.

    nodes_xy: (rows, cols, 2) float64, photo frame: where the nodes of a regular mesh
        over the page lie.
    fit: (rows, cols) float64, how well the print around each node is met: correlation with
        the blank page; their mean where that is bare.
    """

    layout: BookLayout
    nodes_xy: Floats
    fit: Floats

    def fit_at(self, page_mm: Floats) -> Floats:
        """How well the print is met around (K, 2) places of the page, (K,)."""
        return _weights(self.layout, page_mm) @ self.fit.ravel()

    def to_photo(self, page_mm: Floats) -> Floats:
        """(..., 2) mm on the page to (..., 2) photo pixels."""
        nodes = _nodes_mm(self.layout)
        h = _homography(nodes, self.nodes_xy)
        residual = (self.nodes_xy - project(h, nodes)).astype(np.float32)
        last = np.array(residual.shape[1::-1]) - 1
        at = (page_mm / np.array(self.layout.page_mm) * last).astype(np.float32)
        flat = at.reshape(-1, at.shape[-2], 2)  # OpenCV maps no row or column beyond 32,766
        bend = cv2.remap(
            residual, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(project(h, page_mm) + bend.reshape(page_mm.shape), np.float64)

    @property
    def outline_xy(self) -> Floats:
        """(4, 2) the page's corners in the photo, from its top left one, clockwise."""
        w, h = self.layout.page_mm
        return self.to_photo(np.array([(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)]))


def find_books(photo: Photo) -> tuple[PlacedBook, ...]:
    """Find the spellbooks in a photo, of every built-in layout."""
    found = []
    for name in books():
        layout = load_book(name)
        for mm, xy in detect_pages(photo, layout.markers, layout.page_mm):
            nodes = _spread(layout, mm, xy)
            found.append(settle(photo, PlacedBook(layout, nodes, np.zeros(nodes.shape[:2]))))
    return tuple(book for book in found if book.fit.max() > 0)


def _spread(layout: BookLayout, mm: Floats, xy: Floats) -> Floats:
    """Nodes of a page on which (K, 2) places in mm were seen at (K, 2) pixels.

    How markers are turned and squeezed against each other tells how the paper bends between
    them: beyond the homography, the smoothest mesh through their corners is taken.
    """
    h = _homography(mm, xy)
    nodes = _nodes_mm(layout)
    if len(mm) < 12:  # two markers: a bend that they seem to tell of goes too far
        return project(h, nodes)
    trust = np.broadcast_to(np.eye(2), (len(mm), 2, 2))
    return project(h, nodes) + _smooth(layout, mm, xy - project(h, mm), trust, 0.003)


def _nodes_mm(layout: BookLayout) -> Floats:
    """(rows, cols, 2) a regular mesh over the page, in mm, x before y."""
    cols, rows = (round(side / _NODE_MM) + 1 for side in layout.page_mm)
    x, y = np.linspace(0, layout.page_mm[0], cols), np.linspace(0, layout.page_mm[1], rows)
    return np.stack(np.meshgrid(x, y), -1)


def _homography(source: Floats, target: Floats) -> Floats:
    h, _ = cv2.findHomography(source.reshape(-1, 2), target.reshape(-1, 2), 0)
    return np.asarray(np.eye(3) if h is None else h, np.float64)  # type: ignore[redundant-expr]


def flatten_book(photo: Photo, book: PlacedBook, px_per_mm: float) -> NDArray[np.uint8]:
    """Sample the photo through the mesh: (H, W, 3) uint8, the page at `px_per_mm`.

    The point at x mm lies at pixel x * px_per_mm - 0.5.
    """
    w, h = (round(side * px_per_mm) for side in book.layout.page_mm)
    step = 8
    xy = np.stack(np.meshgrid(np.arange(0, w + step, step), np.arange(0, h + step, step)), -1)
    coarse = book.to_photo(np.asarray((xy + 0.5) / px_per_mm, np.float64))
    across = np.linalg.norm(np.diff(coarse, axis=1), axis=-1)
    return sample(photo, coarse, step, (w, h), float(np.median(across)) / step)


def settle(photo: Photo, book: PlacedBook) -> PlacedBook:
    """Bend the mesh until the printed lines lie on those of the blank page."""
    steps = list(_STEPS)
    again = _MORE
    while steps:
        px_per_mm, patch, reach = steps.pop(0)
        blank = _lines(blank_page(book.layout, px_per_mm))
        seen = _lines(flatten_book(photo, book, px_per_mm))
        shift, trust, fit = _offsets(blank, seen, book.layout, px_per_mm, patch, reach)
        nodes = _nodes_mm(book.layout)
        known = trust.any((2, 3))
        moved = _smooth(book.layout, nodes[known], shift[known], trust[known])
        there = book.to_photo(nodes + moved)
        book = replace(book, nodes_xy=there, fit=fit)
        if (
            not steps and again and np.quantile(fit, 0.2) < _MET
        ):  # what lies right pulls its neighbours in
            steps, again = list(_STEPS[1:]), again - 1
    return book


def draw_blanks(layout: BookLayout) -> None:
    """Draw what every spellbook of a layout is compared with; else the first one waits for it."""
    for px_per_mm in {float(PX_PER_MM), *(px for px, _, _ in _STEPS)}:
        blank_page(layout, px_per_mm)


@lru_cache(maxsize=8)
def blank_page(layout: BookLayout, px_per_mm: float) -> NDArray[np.uint8]:
    """The blank page without its words, which may be in any language; (H, W, 3) uint8 BGR."""
    # What prints is heavy to import, and only photos with a spellbook need it.
    from kdscan.sheet.raster import render_page

    bare = replace(
        layout,
        title=None,
        notes=(),
        spells=tuple(replace(spell, text="") for spell in layout.spells),
        blanks=tuple(replace(blank, label="") for blank in layout.blanks),
    )
    return render_page(bare, px_per_mm)


def _lines(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Thin dark lines alone, whatever light and shade: (H, W) float32, even in strength."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8
    wide = cv2.GaussianBlur(grey, (0, 0), 4.0)
    fine = cv2.GaussianBlur(grey, (0, 0), 0.7)
    return np.asarray(np.clip(1 - fine / wide, -0.02, 0.15), np.float32)


def _offsets(
    blank: NDArray[np.float32],
    seen: NDArray[np.float32],
    layout: BookLayout,
    px_per_mm: float,
    patch_mm: float,
    reach_mm: float,
) -> tuple[Floats, Floats, Floats]:
    """How far what is printed at each node lies from where it should, in mm.

    Returns (rows, cols, 2) offsets, (rows, cols, 2, 2) how firmly each is known in which
    direction, and (rows, cols) how well the best match fits: the mean where nothing is printed.
    """
    nodes = _nodes_mm(layout)
    half, reach = round(patch_mm / 2 * px_per_mm), round(reach_mm * px_per_mm)
    shift, trust = np.zeros(nodes.shape), np.zeros((*nodes.shape, 2))
    fits = np.full(nodes.shape[:2], np.nan)
    h, w = blank.shape
    for at in np.ndindex(nodes.shape[:2]):
        x, y = np.round(nodes[at] * px_per_mm - 0.5).astype(int)
        x0, x1, y0, y1 = max(x - half, 0), min(x + half, w), max(y - half, 0), min(y + half, h)
        patch = blank[y0:y1, x0:x1]
        if float(patch.std()) < 0.004:
            continue
        left, top = max(x0 - reach, 0), max(y0 - reach, 0)
        window = seen[top : min(y1 + reach, h), left : min(x1 + reach, w)]
        score = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
        best, peak, firm = _peak(np.asarray(score, np.float32))
        fits[at] = max(best, 0.0)
        if best > 0.2:
            shift[at] = (np.array(peak) + (left - x0, top - y0)) / px_per_mm
            trust[at] = firm * best
    return shift, trust, np.where(np.isnan(fits), np.nanmean(fits), fits)


def _peak(score: NDArray[np.float32]) -> tuple[float, tuple[float, float], Floats]:
    """The best match: its height, its place to a part of a pixel, and its curvature (2, 2)."""
    score = np.pad(score, 1, mode="reflect")
    _, best, _, (x, y) = cv2.minMaxLoc(score[1:-1, 1:-1])
    a = score[y : y + 3, x : x + 3].astype(np.float64)
    gx, gy = (a[1, 2] - a[1, 0]) / 2, (a[2, 1] - a[0, 1]) / 2
    xx, yy = a[1, 2] - 2 * a[1, 1] + a[1, 0], a[2, 1] - 2 * a[1, 1] + a[0, 1]
    xy = (a[2, 2] - a[2, 0] - a[0, 2] + a[0, 0]) / 4
    bend = -np.array([[xx, xy], [xy, yy]])
    value, vector = np.linalg.eigh(bend)
    firm = vector @ np.diag(np.clip(value, 0, None)) @ vector.T
    step = np.linalg.solve(firm + 1e-3 * np.eye(2), (gx, gy))
    dx, dy = np.clip(step, -0.7, 0.7)
    return float(best), (x + float(dx), y + float(dy)), firm


def _smooth(
    layout: BookLayout, at_mm: Floats, value: Floats, trust: Floats, stiff: float = _STIFF
) -> Floats:
    """Values (rows, cols, 2) of all nodes: near what is known, and bending little.

    at_mm: (K, 2) places on the page; value: (K, 2) what is known there; trust: (K, 2, 2) how
    firmly, in which direction. Least squares: the sum of (v - value)' trust (v - value), plus
    `stiff` times the squared second differences between nodes. What lies far from the others'
    surface counts less at each of three rounds.
    """
    bends, weights = _bends(layout), _weights(layout, at_mm)
    n = bends.shape[1]
    smooth = np.kron(stiff * bends.T @ bends + 1e-6 * np.eye(n), np.eye(2))
    scale = float(np.mean(np.trace(trust, axis1=1, axis2=2))) / 2 or 1.0
    firm = trust / scale
    solved = np.zeros((n, 2))
    for _ in range(3):
        # sum over observations of (w_a w_b) * firm, for every pair of nodes a, b
        left = np.einsum("ka,kb,kij->aibj", weights, weights, firm, optimize=True)
        right = np.einsum("ka,kij,kj->ai", weights, firm, value, optimize=True)
        system = smooth + left.reshape(2 * n, 2 * n)
        solved = np.linalg.solve(system, right.ravel()).reshape(n, 2)
        miss = np.linalg.norm(weights @ solved - value, axis=1)
        near = max(float(np.median(miss)), 0.1)
        firm = trust / scale / (1 + (miss / (3 * near)) ** 2)[:, None, None]
    return solved.reshape(*_nodes_mm(layout).shape)


@lru_cache(maxsize=4)
def _bends(layout: BookLayout) -> Floats:
    """(B, N) second differences of node values along rows, columns and across."""
    rows, cols = _nodes_mm(layout).shape[:2]
    index = np.arange(rows * cols).reshape(rows, cols)
    stencils = [
        (np.stack([index[:-2], index[1:-1], index[2:]], -1), (1, -2, 1)),
        (np.stack([index[:, :-2], index[:, 1:-1], index[:, 2:]], -1), (1, -2, 1)),
        (
            np.stack([index[:-1, :-1], index[1:, :-1], index[:-1, 1:], index[1:, 1:]], -1),
            (1.4, -1.4, -1.4, 1.4),
        ),
    ]
    lines = []
    for nodes, factors in stencils:
        for these in nodes.reshape(-1, nodes.shape[-1]):
            line = np.zeros(rows * cols)
            line[these] = factors
            lines.append(line)
    return np.array(lines)


def _weights(layout: BookLayout, at_mm: Floats) -> Floats:
    """(K, N) bilinear weights of the nodes at places on the page."""
    rows, cols = _nodes_mm(layout).shape[:2]
    at = at_mm / np.array(layout.page_mm) * (cols - 1, rows - 1)
    low = np.clip(np.floor(at).astype(int), 0, (cols - 2, rows - 2))
    f = at - low
    out = np.zeros((len(at), rows, cols))
    k = np.arange(len(at))
    for dy in (0, 1):
        for dx in (0, 1):
            share = np.abs(1 - dx - f[:, 0]) * np.abs(1 - dy - f[:, 1])
            out[k, low[:, 1] + dy, low[:, 0] + dx] = share
    return out.reshape(len(at), -1)
