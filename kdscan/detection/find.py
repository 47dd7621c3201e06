"""Stages: photo → every map in it, with every cell's centre, following curl and folds.

An outline located on a thumbnail can be wrong. So each is registered iteratively: a small network
sees a coarse rectified view of the grid and predicts each cell's offset from its place; the view is
resampled and the step repeated. A homography is fitted until it converges, then the offsets are
applied cell by cell. The network notices a wrong outline, because the grid then does not converge.
As long as a candidate is doubtful, or something that seems to be a map has no grid, the photo is
searched again, rotated by multiples of 45°. Of several candidates for one map the most confident is
kept (non-maximum suppression).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import (
    Located,
    SheetOutline,
    cut_sides,
    legible_cells,
    locate,
    locate_beside,
    locate_turned,
)
from kdscan.detection.markers import detect_pages, rule_out
from kdscan.imaging.arrays import median, quantile, sigmoid
from kdscan.imaging.picture import (
    CENTERS,
    FLAT_MARGIN,
    FLAT_PX,
    GRID_CORNERS,
    Floats,
    Network,
    Photo,
    RectifiedSheet,
    finest_decoded,
    fit_homography,
    flatten,
    lattice_to_photo_homography,
    lies_in,
    outline_of,
    overlap,
    project,
    resolution,
    shift_cells,
)
from kdscan.paper.layout import own_layouts
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, ROWS

# One outline → every cell's centre

VIEW_PX = 32
"""Pixels per cell in the refining network's view: its stride."""
VIEW_MARGIN = 1.0
"""Cells of margin around the grid in the refining network's view."""

SURELY_PLACED = 0.9
"""A grid registered with less confidence is registered again from another start."""
MIN_RESTART = 0.05
"""From this confidence on, the plane on which most cells agree is used as another start. Of 1,000
photos 26 had a wrong grid, ten of them with low confidence; six of those converged correctly from
that plane. It is not used for cells smaller than `VIEW_PX`: a printed marker would then pass for a
map."""
MIN_LEGIBLE = 18
"""Least number of cells of a map, castle included, that the picture must show: half of it. Of 65
grids of cut-off maps that were right where visible, 55 instead of 32 are confident; of 28 wrong
ones one is, as before; of 76 cut-off grids in photos without a sheet none is."""
MAX_BENDS, BEND_TOLERANCE = 2, 0.08
"""If cells of a confident grid are still off by the second, in cells, offsets are applied again, at
most as often as the first says."""
PLANE_OUTLIER = 0.25
"""Cells: RANSAC's inlier threshold for the plane through the centres."""

MIN_UPRIGHT_LOGIT = 3.5
"""Below this logit the grid is also assessed turned by 180°: of 157 photos of upright maps 156 had
a larger logit, and the two that were upside down had 2.9 and 3.0."""
TOP_EDGE_PX = 4
"""Pixels, of `VIEW_PX`, along a cell's edges that are ignored: lines between cells lie there."""
FLAT_TOP = 0.3
"""Least log ratio between the strongest horizontal edges of the shields' two halves that identifies
their flat top: of 93 photos of heraldic shields 59 exceed it, and none is below -0.1."""

MAX_STEPS = 4
"""Most registration steps."""
CONVERGED = 0.03
"""Cells: a plane that moved by less has converged. On 149 photos this took 3.1 steps instead of 4
and placed as many shields; with 0.1 it took 2.2 steps, but 0.6% fewer photos were registered
confidently."""


def turned(centers_xy: Floats) -> Floats:
    """The same cells' centres, (5, 7, 2), with the lattice turned by 180°."""
    return np.ascontiguousarray(centers_xy[::-1, ::-1])


def register(photo: Photo, outline: SheetOutline, network: Network) -> tuple[Floats, float]:
    """Every cell's centre, (5, 7, 2), photo frame, which way is up, and the probability that all
    cells are in place: the best from one start after the other, until one is confident.

    The outline may be off by a cell, upside down or turned by 90°; and a row may have been mistaken
    for its neighbour although most cells are right.
    network: the view from above (1, 3, 224, 288), BGR 0..1 → offsets (1, 2, 5, 7) in cells (x, y:
        true place minus guess), logits (1, 1, 5, 7) that a cell is in its place, logit (1, 1) that
        the view is upright.
    """
    best: list[tuple[Floats, float]] = []
    for corners in (outline.corners_xy, np.roll(outline.corners_xy, 1, axis=0)):
        best.append(_align(photo, corners, network))
        centers, confidence = best[-1]
        if MIN_RESTART <= confidence < SURELY_PLACED and resolution(centers) >= VIEW_PX:
            best.append(_align(photo, project(_plane(centers), GRID_CORNERS), network))
        if best[-1][1] >= SURELY_PLACED:
            break
    return max(best, key=lambda aligned: aligned[1])


def _align(photo: Photo, corners_xy: Floats, network: Network) -> tuple[Floats, float]:
    """Centres (5, 7, 2), photo frame, and the probability that all of them are in place."""
    centers = project(lattice_to_photo_homography(corners_xy), CENTERS)
    for more in reversed(range(MAX_STEPS)):
        offset, _, upright = _predict(photo, centers, network)
        bent = shift_cells(centers, offset)
        plane = project(_plane(bent), CENTERS)
        step = float(np.linalg.norm(plane - centers, axis=-1).max()) / resolution(centers)
        if more == 0 or (upright >= 0 and step < CONVERGED):
            # the plane has converged: follow the paper as far as the picture shows it
            centers = np.where(
                legible_cells(photo, bent, resolution(centers))[..., None], bent, plane
            )
            break
        centers = plane if upright >= 0 else turned(plane)
    placed, offset, upright = _assess(photo, centers, network)
    if upright < MIN_UPRIGHT_LOGIT:
        other_placed, other_offset, other_upright = _assess(photo, turned(centers), network)
        top = flat_top(photo, centers)
        upside_down = top < 0 if abs(top) > FLAT_TOP else other_upright > upright
        if upside_down:
            centers, placed, offset = turned(centers), other_placed, other_offset
        upright = max(upright, other_upright)
    facing = float(sigmoid(upright))
    for _ in range(MAX_BENDS):
        if placed * facing < SURELY_PLACED or np.abs(offset).max() < BEND_TOLERANCE:
            break
        bent = shift_cells(centers, offset)
        better, offset, _ = _assess(photo, bent, network)
        if better * facing < SURELY_PLACED:
            break
        centers, placed = bent, better
    return centers, placed * facing


def flat_top(photo: Photo, centers: Floats) -> float:
    """Natural log ratio of the strongest horizontal edge in the upper half of the median shield to
    that in the lower half. Heraldic shields are flat on top and pointed or round below.

    centers: (5, 7, 2) photo frame.
    """
    flat = flatten(photo, centers, VIEW_PX, 0.0, finest_decoded(photo))
    cells = flat.reshape(ROWS, VIEW_PX, COLS, VIEW_PX, 3).swapaxes(1, 2)
    shared = median(np.stack([cells[at] for at in CELLS])).astype(np.float32)
    edges = np.abs(cv2.Sobel(shared, cv2.CV_32F, 0, 1)).max(-1)
    rows = edges[TOP_EDGE_PX:-TOP_EDGE_PX, TOP_EDGE_PX:-TOP_EDGE_PX].sum(1)
    upper, lower = np.split(rows, 2)
    return float(np.log((upper.max() + 1) / (lower.max() + 1)))


def follow_paper(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, float]:
    """Register a sheet that no plane approximates, starting from rough centres (5, 7, 2): offsets
    are applied cell by cell in every step. Returns centres and the probability that all are in
    place."""
    for _ in range(MAX_STEPS):
        offset, _, upright = _predict(photo, centers, network)
        centers = turned(centers) if upright < 0 else shift_cells(centers, offset)
    placed, _, upright = _assess(photo, centers, network)
    return centers, placed * float(sigmoid(upright))


def _predict(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, Floats, float]:
    """Offsets (5, 7, 2) in cells, logits (35,) that each cell is in place, and the logit that the
    view is upright."""
    view = flatten(photo, centers, VIEW_PX, VIEW_MARGIN, finest_decoded(photo))
    pixels = np.ascontiguousarray(view.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    offsets, in_place, upright = network(pixels)
    offset = offsets[0].transpose(1, 2, 0).astype(np.float64)
    return offset, in_place.ravel().astype(np.float64), float(upright[0, 0])


def _assess(photo: Photo, centers: Floats, network: Network) -> tuple[float, Floats, float]:
    """Probability that all cells are in place, remaining offsets (5, 7, 2) in cells, and the logit
    that the view is upright. Cells cut off by the picture's edge do not look like cells: if enough
    others are left to recognise a map, only those count."""
    offset, in_place, upright = _predict(photo, centers, network)
    legible = legible_cells(photo, centers, resolution(centers))
    if legible[CASTLE] and legible.sum() >= MIN_LEGIBLE:
        in_place, offset = in_place[legible.ravel()], offset * legible[..., None]
    return float(sigmoid(in_place.min())), offset, upright


def _plane(centers_xy: Floats) -> Floats:
    """(3, 3) homography from lattice to photo on which most centres agree (RANSAC).

    A row or column at the edge is sometimes mistaken for its neighbour; the others outvote it.
    """
    source, target = CENTERS.reshape(-1, 2), centers_xy.reshape(-1, 2)
    limit = PLANE_OUTLIER * max(resolution(centers_xy), 1.0)
    _, agree = cv2.findHomography(source, target, cv2.RANSAC, limit)
    inliers = np.ravel(agree).astype(bool)
    if inliers.sum() < len(source) / 2:
        return fit_homography(centers_xy)
    refined, _ = cv2.findHomography(source[inliers], target[inliers], 0)
    return np.asarray(refined, np.float64)


# Every map of a photo

LIKELY, POSSIBLE = 0.8, 0.6
"""Probability that all cells are in place. Above the first a candidate is a map; above the second
it is reported as doubtful if the photo has nothing better. In 30 photos of tables and 100 of our
sheet, maps had 0.998 or more and other things at most 0.75; one of 1,000 pages of text had 0.85.
None of 222 photos of painted, engraved and pale maps had less than 0.89; of 68 photos of other
games, forms and puzzles, thirteen had between 0.05 and 0.54."""

LIKELY_OUTLINE = 0.9
"""If no outline has at least this confidence, the photo is searched for kingdoms of tiles first. Of
112 photos of maps three had no such outline."""

SEVERAL = 3
"""From so many maps on, more are looked for beside them. Of the maps in twelve pictures of four
test photos each, and of six, 48 of 48 and 60 of 72 are found, 40 and 37 without this. Beside two
maps a third is rare, and in 24 photos of tables two more would be found, where there is none."""

TURNS = tuple(np.pi / 4 * eighths for eighths in (0, 1, 3, 5, 7, 2, 4, 6))
"""Radians. Rotations of the photo that are tried in turn as long as a candidate is doubtful: the
network works best on upright sheets. With multiples of 90° alone 10 of 1,000 grids stayed doubtful,
and 5 maps were not found."""
MAX_FOLLOWED = 4
"""If every rotation leaves doubts, `follow_paper` starts from this many of the most confident
candidates."""


@dataclass(frozen=True, eq=False)
class PlacedGrid:
    """A possible map: cell centres, (5, 7, 2) photo frame, and the probability that all are in
    place."""

    centers_xy: Floats
    confidence: float

    @property
    def confident(self) -> bool:
        return self.confidence >= SURELY_PLACED

    @cached_property
    def outline_xy(self) -> Floats:
        return outline_of(self.centers_xy)


def locate_all(photo: Photo, locating: Network) -> Located:
    """What may be maps, those beside several others included; see `locate`."""
    located = locate(photo, locating)
    several = len(located.outlines) >= SEVERAL
    return locate_beside(photo, locating, located) if several else located


def any_likely(located: Located) -> bool:
    """Whether some outline is likely to be a map's."""
    return any(outline.confidence >= LIKELY_OUTLINE for outline in located.outlines)


def find_maps(
    photo: Photo,
    locating: Network,
    refining: Network,
    located: Located | None = None,
    *,
    expected: int = 1,
    others: Sequence[Floats] = (),
) -> tuple[tuple[PlacedGrid, ...], tuple[SheetOutline, ...]]:
    """The maps in a photo, the largest first; and the outlines of possible maps that
    were not read because the picture cuts them off.

    Outlines are registered in one rotation of the photo after another until `expected` confident
    maps are found and nothing else seems to be one. (Of 172 photos of two or three maps, 26 used to
    miss one. In 12 of these something else seems to be a map, and continuing the search finds it.
    In 169 photos of one map nothing else does.) Failing that, the paper is followed from the best.

    located: result of `locate_all`. others: outlines (4, 2) of other sheets in the photo.
    """
    located = located or locate_all(photo, locating)
    candidates: list[PlacedGrid] = []
    tried: list[PlacedGrid] = []

    def is_known(at: Floats) -> bool:
        """Whether a point (2,) of the photo lies in a confident map, or in another sheet."""
        maps = (map_.outline_xy for map_ in candidates if map_.confident)
        return any(lies_in(at, outline) for outline in (*maps, *others))

    for turn in TURNS:
        if turn:
            outlines = locate_turned(photo, locating, turn)
        else:
            outlines = (*by_markers(photo), *located.outlines)
        for outline in outlines:
            if not is_known(outline.corners_xy.mean(0)):
                tried.append(PlacedGrid(*register(photo, outline, refining)))
                candidates = _suppress_overlaps(candidates, tried[-1])
        enough = sum(candidate.confident for candidate in candidates) >= expected
        if enough and all(map(is_known, located.middles)):
            break
    else:
        tried.sort(key=lambda candidate: -candidate.confidence)
        for start in tried[:MAX_FOLLOWED]:
            sure = [map_.outline_xy for map_ in candidates if map_.confident]
            if not any(overlap(outline_xy, start.outline_xy) for outline_xy in sure):
                followed = PlacedGrid(*follow_paper(photo, start.centers_xy, refining))
                if followed.confident or not sure:  # beside a confident map clutter can reach 0.82
                    candidates = _suppress_overlaps(candidates, followed)
    best = max((candidate.confidence for candidate in candidates), default=0.0)
    threshold = LIKELY if best >= LIKELY else max(best, POSSIBLE)
    maps = [candidate for candidate in candidates if candidate.confidence >= threshold]
    maps.sort(key=lambda map_: -cv2.contourArea(map_.outline_xy.astype(np.float32)))
    cut = tuple(
        outline
        for outline in located.outlines
        if cut_sides(photo, outline)
        and not any(lies_in(outline.corners_xy.mean(0), map_.outline_xy) for map_ in maps)
    )
    return tuple(maps), cut


def rule_out_markers(photo: Photo, located: Located) -> None:
    """Look for markers of the scale of the smallest located map first: all sheets are on one table.
    Not if no map is likely, or if that one would extend far beyond the picture, because then it is
    mostly no map."""
    if any_likely(located):
        corners = np.stack([outline.corners_xy for outline in located.outlines])
        sides = np.linalg.norm(np.roll(corners, -1, 1) - corners, axis=2)
        wide = float((sides[:, 0] + sides[:, 2]).min()) / 2  # the mean of top and bottom
        if wide <= max(photo.width, photo.height):
            own = (m.size_mm / page.cell_mm[0] for page, m in own_layouts())
            rule_out(photo, wide / COLS * min(own))


def by_markers(photo: Photo) -> tuple[SheetOutline, ...]:
    """Outlines of maps with built-in layouts, computed from the markers around their grids."""
    outlines = []
    for layout, markers in own_layouts():
        for mm, xy in detect_pages(photo, markers, layout.page_mm):
            h, _ = cv2.findHomography(mm, xy, 0)
            grid = (GRID_CORNERS + 0.5) * layout.cell_mm + layout.grid_mm
            if h is not None:
                outlines.append(SheetOutline(project(np.asarray(h, np.float64), grid), 1.0))
    return tuple(outlines)


def _suppress_overlaps(grids: list[PlacedGrid], new: PlacedGrid) -> list[PlacedGrid]:
    """Candidates that do not overlap. A new one is among them unless it overlaps one that is at
    least as confident. (It may span two maps: then neither of them yields to the other.)"""
    same = [grid for grid in grids if overlap(grid.outline_xy, new.outline_xy)]
    if any(grid.confidence >= new.confidence for grid in same):
        return grids
    return [grid for grid in grids if grid not in same] + [new]


# Whether a grid has a castle. Other printed grids, such as score pads and bingo cards, have equal
# fields too, but there the middle one is like the others.

CELL_PX = 32
"""Pixels per cell at which cells are compared."""
EDGE_PX = 3
"""Pixels along a cell's edges that are left out: players draw thick lines around domains there,
which would make the castle look like a shield."""
HIGH_PASS = 0.35
"""Sigma, in cells, of the high-pass filter that removes backgrounds and uneven light."""
MAX_CASTLE_RANK = 0.8
"""If the middle cell resembles the median cell more than this share of the shields do, it is no
castle. In 234 photos of maps (painted ones, blanks and thick lines around domains included) the
castle reached at most 0.53, on 500 flat sheets of random designs 0.44; two score pads reached 0.91
and 0.94."""


def correlation_with_median(flat_bgr: NDArray[np.uint8]) -> Floats:
    """(5, 7) float64, -1..1: correlation of each cell's inside with the median of all shields,
    after the logarithm and a high-pass filter.

    flat_bgr: (5 p, 7 p, 3) uint8, the grid without margin, p pixels per cell.
    """
    flat = cv2.resize(flat_bgr, (COLS * CELL_PX, ROWS * CELL_PX), interpolation=cv2.INTER_AREA)
    tone = np.log(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8)
    tone -= cv2.GaussianBlur(tone, (0, 0), HIGH_PASS * CELL_PX)
    dark, light = quantile(tone, 0.02, 0.98)
    tone = np.clip(tone, dark, light)
    whole = tone.reshape(ROWS, CELL_PX, COLS, CELL_PX).swapaxes(1, 2)
    cells = whole[:, :, EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX].reshape(ROWS * COLS, -1)
    cells = cells - cells.mean(axis=1, keepdims=True)
    common = median(np.delete(cells, CASTLE[0] * COLS + CASTLE[1], axis=0))
    common -= common.mean()
    norms = np.linalg.norm(cells, axis=1) * np.linalg.norm(common)
    return np.asarray(cells @ common / np.maximum(norms, 1e-6), np.float64).reshape(ROWS, COLS)


def has_castle(sheet: RectifiedSheet) -> bool:
    """Whether the middle cell differs from the shields around it, as on every map."""
    edge = round(FLAT_MARGIN * FLAT_PX)
    inner = sheet.bgr[edge : edge + ROWS * FLAT_PX, edge : edge + COLS * FLAT_PX]
    like = correlation_with_median(inner)
    others = np.delete(like.ravel(), CASTLE[0] * COLS + CASTLE[1])
    return float(np.mean(others < like[CASTLE])) < MAX_CASTLE_RANK
