"""Stage: photo → spellbooks in it, registered with their blank page.

At least two of the page's markers give its approximate place. Then patches of the blank page's
printed lines are matched in the rectified picture, and their displacements deform a smooth mesh
over the page, which follows curl and folds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from kdscan.detection.markers import detect_pages
from kdscan.detection.qr import read_printed
from kdscan.imaging.arrays import sigmoid
from kdscan.imaging.picture import Floats, Photo, lattice_to_photo, project, sample
from kdscan.inference.store import Models
from kdscan.marks.crops import planes
from kdscan.paper.book import BookLayout, books, load_book, marked_places
from kdscan.rules.duel.spellbook import BookPlace
from kdscan.sheets.spellbook.interpret import interpret
from kdscan.sheets.spellbook.model import BookMark, SpellbookEvidence, SpellbookReading

PX_PER_MM = 4.0
"""Resolution of the rectified page that is read."""

_NODE_MM = 20.0
"""Approximate spacing of the mesh's nodes."""
_STEPS = ((2.0, 36.0, 6.0), (2.0, 26.0, 4.0), (3.0, 20.0, 1.5))
"""For each iteration: pixels per mm, side of the patches, and their largest displacement, both in
mm. The latter is less than half the period with which the print repeats itself."""
_EXTRA_ROUNDS, _MIN_FIT = 2, 0.55
"""The iterations after the first are repeated at most `_EXTRA_ROUNDS` times, as long as a fifth of
the nodes have a correlation below `_MIN_FIT`."""
_STIFFNESS = 0.1
"""Weight of the mesh's second differences relative to the patches' displacements."""


class PlacedBook(NamedTuple):
    """A spellbook found in a photo.

    nodes_xy: (rows, cols, 2) float64, photo frame: the nodes of a regular mesh over the page.
    fit: (rows, cols) float64, correlation with the blank page around each node; where that has no
        print, the mean of the others.
    """

    layout: BookLayout
    nodes_xy: Floats
    fit: Floats

    def to_photo(self, page_mm: Floats) -> Floats:
        """Points (..., 2), mm on the page → photo frame."""
        last = np.array(self.nodes_xy.shape[1::-1]) - 1
        at = page_mm / np.array(self.layout.page_mm) * last
        # Not (N, 1, 2): cv2.remap allows at most 32,766 rows and columns.
        return lattice_to_photo(self.nodes_xy, at.reshape(-1, at.shape[-2], 2)).reshape(at.shape)

    @property
    def outline_xy(self) -> Floats:
        """(4, 2) the page's corners in the photo, from its top left one, clockwise."""
        w, h = self.layout.page_mm
        return self.to_photo(np.array([(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)]))


def find_books(photo: Photo) -> tuple[PlacedBook, ...]:
    """Find the spellbooks in a photo, of every built-in layout."""
    placed = []
    for name in books():
        layout = load_book(name)
        for mm, xy in detect_pages(photo, layout.markers, layout.page_mm):
            h: Any
            h, _ = cv2.findHomography(mm, xy, 0)
            if h is None:
                continue
            nodes = project(h, _nodes_mm(layout))
            if len(mm) >= 12:  # two markers are too few to extrapolate how the paper bends
                nodes = nodes + _smooth(layout, mm, xy - project(h, mm), np.ones(mm.shape), 0.003)
            placed.append(
                register_book(photo, PlacedBook(layout, nodes, np.zeros(nodes.shape[:2])))
            )
    return tuple(book for book in placed if book.fit.max() > 0)


def _nodes_mm(layout: BookLayout) -> Floats:
    """(rows, cols, 2) a regular mesh over the page, in mm, x before y."""
    cols, rows = (round(side / _NODE_MM) + 1 for side in layout.page_mm)
    x, y = np.linspace(0, layout.page_mm[0], cols), np.linspace(0, layout.page_mm[1], rows)
    return np.stack(np.meshgrid(x, y), -1)


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


def register_book(photo: Photo, book: PlacedBook) -> PlacedBook:
    """Deform the mesh iteratively until the printed lines match those of the blank page."""
    steps, extra = list(_STEPS), _EXTRA_ROUNDS
    nodes = _nodes_mm(book.layout)
    while steps:
        px_per_mm, patch_mm, reach_mm = steps.pop(0)
        blank = _lines(blank_page(book.layout, px_per_mm))
        picture = _lines(flatten_book(photo, book, px_per_mm))
        half, reach = round(patch_mm / 2 * px_per_mm), round(reach_mm * px_per_mm)
        wide = cv2.copyMakeBorder(picture, *(reach,) * 4, cv2.BORDER_REPLICATE)
        # At each node the displacement of the print in mm, its weights along x and y, 0 where
        # unknown, and the correlation of the best match.
        shift, weight = np.zeros(nodes.shape), np.zeros(nodes.shape)
        fit = np.full(nodes.shape[:2], np.nan)
        for at in np.ndindex(fit.shape):
            x, y = np.round(nodes[at] * px_per_mm - 0.5).astype(int)
            left, top = max(x - half, 0), max(y - half, 0)
            patch = blank[top : y + half, left : x + half]
            if float(patch.std()) < 0.004:
                continue
            h, w = patch.shape
            window = wide[top : top + h + 2 * reach, left : left + w + 2 * reach]
            score = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
            score = np.pad(np.asarray(score, np.float64), 1, mode="reflect")
            _, best, _, (x, y) = cv2.minMaxLoc(score[1:-1, 1:-1])
            fit[at] = max(best, 0.0)
            if best > 0.2:  # a parabola through the best match and those beside it, along each axis
                before = np.array([score[y + 1, x], score[y, x + 1]])
                after = np.array([score[y + 1, x + 2], score[y + 2, x + 1]])
                curvature = np.maximum(2 * best - before - after, 1e-3)
                shift[at] = ((after - before) / 2 / curvature + (x - reach, y - reach)) / px_per_mm
                weight[at] = curvature * best
        fit = np.where(np.isnan(fit), np.nanmean(fit), fit)  # the mean where nothing is printed
        matched = weight.any(-1)
        moved = _smooth(book.layout, nodes[matched], shift[matched], weight[matched])
        book = book._replace(nodes_xy=book.to_photo(nodes + moved), fit=fit)
        if not steps and extra and np.quantile(fit, 0.2) < _MIN_FIT:
            # Well registered nodes pull their neighbours along.
            steps, extra = list(_STEPS[1:]), extra - 1
    return book


def draw_blanks(layout: BookLayout) -> None:
    """Render the blank pages of a layout in advance, so that the first spellbook need not wait."""
    for px_per_mm in {PX_PER_MM, *(px for px, _, _ in _STEPS)}:
        blank_page(layout, px_per_mm)


@lru_cache(maxsize=8)
def blank_page(layout: BookLayout, px_per_mm: float) -> NDArray[np.uint8]:
    """The blank page without text, which may be in any language; (H, W, 3) uint8 BGR."""
    # Deferred: slow to import, and only photos with a spellbook need it.
    from kdscan.paper.printing import render_page

    bare = structs.replace(
        layout,
        title=None,
        notes=(),
        spells=tuple(structs.replace(spell, text="") for spell in layout.spells),
        blanks=tuple(structs.replace(blank, label="") for blank in layout.blanks),
    )
    return render_page(bare, px_per_mm)


def _lines(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(H, W) float32: thin dark lines, normalised for illumination and clipped in strength."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8
    wide = cv2.GaussianBlur(grey, (0, 0), 4.0)
    fine = cv2.GaussianBlur(grey, (0, 0), 0.7)
    return np.asarray(np.clip(1 - fine / wide, -0.02, 0.15), np.float32)


def _smooth(
    layout: BookLayout, at_mm: Floats, value: Floats, weight: Floats, stiffness: float = _STIFFNESS
) -> Floats:
    """Values (rows, cols, 2) of all nodes: a smooth surface through observations.

    at_mm: (K, 2) points on the page; value, weight: (K, 2) observed there. Minimises for each axis
    the weighted sum of squared errors, plus `stiffness` times the squared second differences
    between nodes, by iteratively reweighted least squares: outliers lose weight in each of three
    iterations.
    """
    rows, cols = _nodes_mm(layout).shape[:2]
    n = rows * cols
    each = np.eye(n).reshape(rows, cols, n)
    twisted = 1.4 * np.diff(np.diff(each, axis=0), axis=1)
    second = (np.diff(each, 2, axis=0), np.diff(each, 2, axis=1), twisted)
    differences = np.concatenate([nodes.reshape(-1, n) for nodes in second])
    bend = stiffness * differences.T @ differences + 1e-6 * np.eye(n)
    # Bilinear weights of the nodes at the points: a hat along each axis.
    at = at_mm / np.array(layout.page_mm) * (cols - 1, rows - 1)
    across, down = (
        np.maximum(1 - np.abs(xy[:, None] - np.arange(count)), 0)
        for xy, count in zip(at.T, (cols, rows), strict=True)
    )
    basis = (down[:, :, None] * across[:, None]).reshape(len(at), n)
    weight = current = weight / (weight.mean() or 1.0) if len(at) else weight
    solved = np.zeros((n, 2))
    for _ in range(3):
        for axis, (own, along) in enumerate(zip(current.T, value.T, strict=True)):
            weighted = (basis * own[:, None]).T
            solved[:, axis] = np.linalg.solve(weighted @ basis + bend, weighted @ along)
        residual = np.linalg.norm(basis @ solved - value, axis=1)
        typical = max(float(np.median(residual)), 0.1)
        current = weight / (1 + (residual / (3 * typical)) ** 2)[:, None]
    return solved.reshape(rows, cols, 2)


CROP_WH, CROP_REACH = (96, 32), 1.55
"""Width and height of a crop in pixels, and its half height relative to half the place's side. A
crop is three times as wide as it is high, because strokes run along lines."""

DOUBT_SHARE = 0.5
"""A place is marked for review if its probability of being wrong exceeds this share of the risk."""


def crops(flat_bgr: NDArray[np.uint8], layout: BookLayout) -> NDArray[np.float32]:
    """The network's input from a page flattened at `PX_PER_MM`: (N, 3, 32, 96) float32, a crop for
    each of `marked_places`.

    The planes are ink, the blank page's ink, and colour, as in `kdscan.marks.crops`.
    """
    ink, color = planes(flat_bgr)
    printed, _ = planes(blank_page(layout, PX_PER_MM))
    stack = np.dstack([ink, printed[: ink.shape[0], : ink.shape[1]], color])
    out = []
    for _, (x, y), half in marked_places(layout):
        high = max(CROP_WH[1], round(2 * CROP_REACH * half * PX_PER_MM))
        size = (high * CROP_WH[0] // CROP_WH[1], high)
        crop = cv2.getRectSubPix(stack, size, (x * PX_PER_MM - 0.5, y * PX_PER_MM - 0.5))
        small = cv2.resize(crop, CROP_WH, interpolation=cv2.INTER_AREA)
        out.append(small.transpose(2, 0, 1))
    return np.ascontiguousarray(out, np.float32)


def read_books(photo: Photo, models: Models, risk: float) -> tuple[SpellbookReading, ...]:
    """Read every spellbook with a built-in layout in a photo; see `read_book`."""
    return tuple(read_book(photo, book, models, risk) for book in find_books(photo))


def read_book(photo: Photo, book: PlacedBook, models: Models, risk: float) -> SpellbookReading:
    """Read one spellbook and its printed code.

    models.spellbook: `crops` → logits (N, 3): that a place is marked, that a stroke passes through
        it, that the crop shows the place at all.
    risk: accepted probability that a reading which is not marked for review is wrong.
    """
    upright = crops(flatten_book(photo, book, PX_PER_MM), book.layout)
    views = (upright, upright[..., ::-1], upright[:, :, ::-1])
    outs = [models.spellbook(np.ascontiguousarray(view))[0] for view in views]
    logits = np.asarray(np.mean(outs, axis=0), np.float64)
    places = list(marked_places(book.layout))
    visible = sigmoid(logits[:, 2])
    xy = book.to_photo(np.array([at for _, at, _ in places]))
    edge = book.to_photo(np.array([(x + half, y) for _, (x, y), half in places]))
    reach = np.linalg.norm(edge - xy, axis=1)
    marks, row = [], list[int]()
    for i, (place, _, _) in enumerate(places):
        if place.part == "square":
            row.append(i)
        marked, shows = float(logits[i, 0]), float(visible[i])
        marks.append(_mark(place, (xy[i],), reach[i], marked, shows, risk))
        if place.part == "used":  # a line's squares come before its circle
            ends = xy[row[0]], xy[row[-1]]
            marked, shows = models.struck_by.logit(logits[row, 1]), float(visible[row].min())
            struck = replace(place, part="struck")
            marks.append(_mark(struck, ends, reach[row[0]], marked, shows, risk))
            row = []
    code = read_book_code(photo, book)
    return interpret(SpellbookEvidence(book.layout.name, book.outline_xy, tuple(marks), code))


def read_book_code(photo: Photo, book: PlacedBook) -> str | None:
    """The text of a spellbook's printed code, or None if none can be read."""
    code = book.layout.code
    return None if code is None else read_printed(photo, code, book.to_photo)


def _mark(
    place: BookPlace,
    at_xy: tuple[Floats, ...],
    reach: float,
    logit: float,
    visible: float,
    risk: float,
) -> BookMark:
    p = float(sigmoid(abs(logit)))
    confidence = float(p * visible + (1 - visible) / 2)
    points = tuple((float(x), float(y)) for x, y in at_xy)
    review = confidence < 1 - risk * DOUBT_SHARE
    return BookMark(place, points, float(reach), logit > 0, confidence, review)
