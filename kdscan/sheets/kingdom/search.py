"""Stage: photo → lattices of tiles in it.

Small kingdoms are detected again in an enlarged window, oblique tables in a rectified view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.pyramid import finest_decoded, mapped, window
from kdscan.imaging.rectify import (
    fit_homography,
    flatten,
    inside,
    inverse,
    lattice_points,
    project,
)
from kdscan.sheets.kingdom.lattice import (
    CLUSTER_RADIUS,
    SURE_LOGIT,
    Centers,
    Lattice,
    VoteMap,
    component_boxes,
    find_regions,
    find_squares,
    grow_lattices,
    lies_on,
    predict_votes,
)

DIRECTIONS, SQUEEZE_FACTOR, SQUEEZED_PX = 4, 0.5, 768
"""Number of directions in which the photo is compressed, the factor, and the pixels on its longer
side before."""
MIN_PATCHES = 30
"""Patches on tiles that a whole kingdom has. With fewer likely patches the photo is not compressed;
sure patches may be few on an oblique table."""
BARE_LOGIT = -2.0
"""Logit below which a patch looks like bare table. Of 68 kingdoms in hard photos, two small and
distant ones looked like that on most of their squares."""
MIN_RELATIVE_SIDE = 0.5
"""Least size of a kingdom's squares relative to those of another in the photo."""
NARROW_PX, MAX_SLANT = 14, 0.85
"""If a kingdom's squares are narrower than this many thumbnail pixels, or than this share of their
width, other kingdoms on the table may not be detected as tiles."""
TABLE_SPANS, MIN_DEPTH = (24, 32, 16), 0.25
"""Spans, in squares, of the table around a kingdom that are rectified in turn until another kingdom
is found; and the least depth relative to the kingdom, as the homography's denominator."""
MIN_LATTICE = 9
"""Least squares of a further lattice; fewer are loose dominoes."""
MAX_RIVALS = 4
"""Most suppressed lattices that are tried in place of larger ones that are hardly kingdoms."""
MAX_WINDOW = 0.8
"""A window is only worth another pass if it is smaller than this share of the last one."""
ZOOM_MARGIN, ZOOM_MARGIN_PATCHES = 0.3, 2.5
"""Margin of an enlarged window, as a share of the region's size, and its minimum in patches of the
first pass: only the middle of a distant kingdom is detected with confidence."""
RECTIFIED_PX, RECTIFIED_MARGIN = 40, 0.5
"""Pixels per square of a rectified lattice, and its margin in squares."""
MIN_MATCHED, MATCH_RADIUS = 0.75, 0.45
"""A detection in the rectified view replaces the earlier one if it contains this share of the
squares detected before, each within this distance in sides."""


class KingdomSearch:
    """A search for lattices of tiles in a photo, and for alternatives if those are no kingdoms.

    Lattices are in the photo's frame, the largest first, and each was detected again in a view
    rectified by its own plane, where it is upright and all squares have one size.
    network: see `predict_votes`.
    """

    def __init__(self, photo: Photo, network: Network) -> None:
        self._photo, self._network = photo, network
        self._votes = predict_votes(photo, network)
        self._squares = [find_squares(self._votes)]
        self._suppressed: list[Lattice] = []

    def lattices(self) -> tuple[Lattice, ...]:
        """The lattices in the photo and in enlarged windows."""
        lattices, squares = _zoom_in(self._photo, self._votes, self._squares[0], self._network)
        self._squares += squares
        largest, self._suppressed = _suppress_overlaps(lattices)
        refined = self._rectified(largest)
        return tuple(lattice for lattice in refined if lattice.squares >= MIN_LATTICE) or refined

    def suppressed(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """The largest lattices that `lattices` suppressed in favour of larger ones, except those
        inside these outlines (4, 2)."""
        apart = [
            lattice
            for lattice in self._suppressed
            if not inside(lattice.squares_xy, outlines).mean() > 0.5
        ]
        return self._rectified(apart[:MAX_RIVALS])

    def looks_bare(self, lattice: Lattice) -> bool:
        """Whether most squares of a lattice look like bare table in the whole photo, as on a table
        with a pattern of squares."""
        return bool(np.median(self._votes.at(lattice.squares_xy)) < BARE_LOGIT)

    def without(self, rejected: Floats) -> tuple[Lattice, ...]:
        """Lattices grown in the whole photo without squares at these centres (N, 2), which were
        classified as table."""
        squares = self._squares[0]
        away = np.linalg.norm(squares.xy[:, None] - rejected[None], axis=-1)
        left = squares[np.asarray((away > CLUSTER_RADIUS * squares.side[:, None]).all(1))]
        return self._largest(grow_lattices(left), 0)

    def outside(self, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """Lattices of the squares outside kingdoms (4, 2 each), which may have been merged with
        them."""
        parts = [squares[~inside(squares.xy, outlines)] for squares in self._squares]
        return self._largest(lattice for part in parts for lattice in grow_lattices(part))

    def within(self, outline: Floats) -> tuple[Lattice, ...]:
        """Lattices of the squares inside an outline (4, 2)."""
        parts = [squares[inside(squares.xy, [outline])] for squares in self._squares]
        return self._largest(lattice for part in parts for lattice in grow_lattices(part))

    def many_left(self, outlines: Sequence[Floats], side: float = 0.0) -> bool:
        """Whether a component of sure patches outside these outlines, and entirely in the picture,
        is as large as a kingdom.

        side: photo pixels per square of other kingdoms, which sets that size: a few loose tiles
        nearby have as many patches as a distant kingdom.
        """
        side_patches = side * self._votes.scale / STRIDE
        many = max(MIN_PATCHES, MIN_RELATIVE_SIDE * MIN_LATTICE * side_patches**2)
        left = self._votes.on_tile > SURE_LOGIT
        rows, cols = np.nonzero(left)
        at = self._votes.to_photo(np.stack([cols, rows], 1).astype(np.float64))
        left[rows, cols] = ~inside(at, outlines)
        last = np.array(left.shape[::-1]) - 1
        boxes = component_boxes(left, many)
        return any((low > 0).all() and (high < last).all() for low, high in boxes)

    def beside(self, centers_xy: Floats, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """Lattices outside these outlines in a view of the table rectified by a kingdom on it.

        All kingdoms on the table are flat in that view, however oblique the photo. Skipped if no
        region is left, unless the kingdom's squares are so small or oblique that others beside them
        may be missed in the whole photo. centers_xy: (R, C, 2), photo frame.
        """
        middles = [(low + high) / 2 for low, high in find_regions(self._votes)]
        steps = [np.median(np.diff(centers_xy, axis=axis), axis=(0, 1)) for axis in (0, 1)]
        wide, narrow = np.linalg.svd(steps, compute_uv=False)
        hides_others = narrow * self._votes.scale < NARROW_PX or narrow < MAX_SLANT * wide
        if inside(np.array(middles), outlines).all() and not hides_others:
            return ()
        plane = fit_homography(centers_xy)
        middle = np.array(centers_xy.shape[1::-1]) / 2 - 0.5
        for span in TABLE_SPANS:
            places = lattice_points(span, span) + np.round(middle - span / 2)
            depth = (places @ plane[2, :2] + plane[2, 2]) / (middle @ plane[2, :2] + plane[2, 2])
            if depth.min() > MIN_DEPTH:
                squares, to_photo = self._flattened(plane, places, THUMB_PX // span, 0)
                grown = grow_lattices(squares[~inside(to_photo(squares.xy), outlines)])
                if largest := self._largest(_mapped(grown, to_photo)):
                    return largest
        return ()

    def slanted(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """Lattices outside these outlines in the photo compressed along several directions, which
        counteracts foreshortening; none if hardly any patch looks like tiles."""
        if (self._votes.on_tile > 0).sum() < MIN_PATCHES:
            return ()
        lattices: list[Lattice] = []
        for direction in range(DIRECTIONS):
            angle = np.pi * direction / DIRECTIONS
            along = np.array([np.cos(angle), np.sin(angle)])
            squeezed = np.eye(2) - (1 - SQUEEZE_FACTOR) * np.outer(along, along)
            view, to_photo = mapped(self._photo, squeezed, SQUEEZED_PX)
            votes = predict_votes(view, self._network)
            excluded = [project(inverse(to_photo), outline) for outline in outlines]
            in_view, _ = _zoom_in(view, votes, find_squares(votes), self._network, excluded)
            lattices += _mapped(in_view, partial(project, to_photo))
        return self._largest(lattices)

    def _largest(
        self, lattices: Iterable[Lattice], least: int = MIN_LATTICE
    ) -> tuple[Lattice, ...]:
        large = [lattice for lattice in lattices if lattice.squares >= least]
        return self._rectified(_suppress_overlaps(large)[0])

    def _rectified(self, lattices: Iterable[Lattice]) -> tuple[Lattice, ...]:
        return tuple(map(self._rectify, lattices))

    def _rectify(self, lattice: Lattice) -> Lattice:
        """Detect a lattice again in a view rectified by its own plane; unchanged if that finds
        nothing better."""
        for _ in range(2):
            plane, places = (
                fit_homography(lattice.centers_xy),
                lattice_points(*lattice.detected.shape),
            )
            squares, to_photo = self._flattened(plane, places, RECTIFIED_PX, RECTIFIED_MARGIN)
            grown = grow_lattices(squares)
            if not grown:
                break
            (above,) = _mapped(grown[:1], to_photo)
            fewer = above.squares < MIN_MATCHED * lattice.squares
            if fewer or above.share_of(lattice, MATCH_RADIUS) < MIN_MATCHED:
                break
            before, lattice = lattice, above
            if lattice.squares <= before.squares:
                break
        return lattice

    def _flattened(
        self, plane: Floats, places: Floats, px: int, margin: float
    ) -> tuple[Centers, Callable[[Floats], Floats]]:
        """Detect squares in a rectified view of places (R, C, 2) of a plane, (3, 3) homography to
        the photo, at `px` pixels per square with a margin in squares. Returns the squares in the
        view's frame, and the function from there to the photo."""
        finest = finest_decoded(self._photo)
        flat = flatten(self._photo, project(plane, places), px, margin, finest)

        def to_photo(at: Floats) -> Floats:
            return project(plane, (at + 0.5) / px - 0.5 - margin + places[0, 0])

        return find_squares(predict_votes(Photo(flat), self._network)), to_photo


def _zoom_in(
    photo: Photo,
    votes: VoteMap,
    squares: Centers,
    network: Network,
    excluded: Sequence[Floats] = (),
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in a photo, those from enlarged windows first, and the squares of each window.

    Every region is enlarged; then every lattice that was only detected in the whole photo, such as
    one in a region too wide to enlarge. excluded: outlines (4, 2).
    """
    lattices: list[Lattice] = []
    passes: list[Centers] = []

    def enlarge(low: Floats, high: Floats) -> None:
        """Add what an enlarged region shows, if it can be enlarged. The first window contains the
        whole region; the second, if that was much too wide, the largest lattice in the first."""
        longer = max(photo.width, photo.height)
        least = ZOOM_MARGIN_PATCHES * STRIDE * longer / THUMB_PX
        margin = max(ZOOM_MARGIN * float(max(high - low)), least)
        enlarged: list[Lattice] = []
        for _ in range(2):
            part, corner, shrink = window(photo, low - margin, high + margin, THUMB_PX)
            size = shrink * max(part.width, part.height)
            if size > MAX_WINDOW * longer:
                break
            longer = size
            passes.append(find_squares(predict_votes(part, network, corner, shrink)))
            grown = grow_lattices(passes[-1])
            if not grown:
                break
            enlarged = grown + [lattice for lattice in enlarged if not lies_on(lattice, grown)]
            low, high = _bounds(enlarged[0])
            margin = ZOOM_MARGIN * float(max(high - low))
        lattices.extend(enlarged)

    for low, high in find_regions(votes):
        if not inside(((low + high) / 2)[None], excluded).any():
            enlarge(low, high)
    in_whole = grow_lattices(squares[~inside(squares.xy, excluded)])
    for lattice in in_whole:
        if not lies_on(lattice, lattices):
            enlarge(*_bounds(lattice))
    return lattices + in_whole, passes


def _mapped(lattices: Iterable[Lattice], to_photo: Callable[[Floats], Floats]) -> list[Lattice]:
    return [Lattice(to_photo(lattice.centers_xy), lattice.detected) for lattice in lattices]


def _bounds(lattice: Lattice) -> tuple[Floats, Floats]:
    """Bounding box (low and high corner) of a lattice's detected squares, one square wider."""
    return lattice.squares_xy.min(0) - lattice.side, lattice.squares_xy.max(0) + lattice.side


def _suppress_overlaps(lattices: Iterable[Lattice]) -> tuple[list[Lattice], list[Lattice]]:
    """Non-maximum suppression by number of squares: the lattices that remain, and those suppressed,
    each the largest first."""
    largest: list[Lattice] = []
    suppressed: list[Lattice] = []
    for lattice in sorted(lattices, key=lambda lattice: -lattice.squares):
        (suppressed if lies_on(lattice, largest) else largest).append(lattice)
    return largest, suppressed
