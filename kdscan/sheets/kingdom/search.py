"""Stage: photo → lattices of tiles in it.

Small kingdoms are detected again in an enlarged window, oblique tables in a rectified view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

    def regrown(self, outlines: Sequence[Floats], *, within: bool) -> tuple[Lattice, ...]:
        """Lattices of the squares inside outlines (4, 2 each), or of those outside, which may have
        been merged with them."""
        parts = [squares[inside(squares.xy, outlines) == within] for squares in self._squares]
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
            lattices += [
                Lattice(project(to_photo, lattice.centers_xy), lattice.detected)
                for lattice in in_view
            ]
        return self._largest(lattices)

    def _largest(
        self, lattices: Iterable[Lattice], least: int = MIN_LATTICE
    ) -> tuple[Lattice, ...]:
        large = [lattice for lattice in lattices if lattice.squares >= least]
        return self._rectified(_suppress_overlaps(large)[0])

    def _rectified(self, lattices: Iterable[Lattice]) -> tuple[Lattice, ...]:
        return tuple(map(self._rectify, lattices))

    def _rectify(self, lattice: Lattice) -> Lattice:
        """Detect a lattice again in a view rectified by its own plane, where all squares have one
        size; unchanged if that finds nothing better."""
        for _ in range(2):
            plane = fit_homography(lattice.centers_xy)
            places = project(plane, lattice_points(*lattice.detected.shape))
            finest = finest_decoded(self._photo)
            flat = flatten(self._photo, places, RECTIFIED_PX, RECTIFIED_MARGIN, finest)
            grown = grow_lattices(find_squares(predict_votes(Photo(flat), self._network)))
            if not grown:
                break
            at = (grown[0].centers_xy + 0.5) / RECTIFIED_PX - 0.5 - RECTIFIED_MARGIN
            above = Lattice(project(plane, at), grown[0].detected)
            fewer = above.squares < MIN_MATCHED * lattice.squares
            if fewer or above.share_of(lattice, MATCH_RADIUS) < MIN_MATCHED:
                break
            before, lattice = lattice, above
            if lattice.squares <= before.squares:
                break
        return lattice


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
