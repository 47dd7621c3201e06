"""Stage: photo → lattices of tiles in it.

Small kingdoms are detected again in an enlarged window, oblique tables in a rectified view.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.pyramid import mapped
from kdscan.imaging.rectify import fit_homography, inside, inverse, lattice_points, project
from kdscan.sheets.kingdom.lattice import Centers, Lattice, grow_lattices, lies_on
from kdscan.sheets.kingdom.views import detect_rectified, rectify_lattice, zoom_in
from kdscan.sheets.kingdom.votes import (
    CLUSTER_RADIUS,
    SURE_LOGIT,
    component_boxes,
    find_regions,
    find_squares,
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


class KingdomSearch:
    """A search for lattices of tiles in a photo, and for alternatives if those are no kingdoms.

    network: see `predict_votes`.
    """

    def __init__(self, photo: Photo, network: Network) -> None:
        self._photo, self._network = photo, network
        self._far = predict_votes(photo, network)
        self._seen = [find_squares(self._far)]
        self._suppressed: list[Lattice] = []

    def lattices(self) -> tuple[Lattice, ...]:
        """The lattices in the photo and in enlarged windows, photo frame, the largest first."""
        found, squares = zoom_in(self._photo, self._far, self._seen[0], self._network)
        self._seen += squares
        kept, self._suppressed = _largest(found)
        above = self._seen_from_above(kept)
        return tuple(one for one in above if one.seen.sum() >= MIN_LATTICE) or above

    def suppressed(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """The largest lattices that `lattices` suppressed in favour of larger ones, except those
        inside these outlines (4, 2)."""
        apart = [
            one
            for one in self._suppressed
            if not inside(one.centers_xy[one.seen], outlines).mean() > 0.5
        ]
        return self._seen_from_above(apart[:MAX_RIVALS])

    def looks_bare(self, lattice: Lattice) -> bool:
        """Whether most squares of a lattice look like bare table in the whole photo, as on a table
        with a pattern of squares."""
        return bool(np.median(self._far.at(lattice.centers_xy[lattice.seen])) < BARE_LOGIT)

    def others(self, rejected: Floats) -> tuple[Lattice, ...]:
        """Lattices grown without squares that were classified as table, from the whole photo only.

        rejected: (N, 2), photo frame, their centres.
        """
        return self._kept(grow_lattices(_without(self._seen[0], rejected)))

    def rest(self, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """Lattices of the squares outside found kingdoms; adjacent kingdoms may have been merged.

        outlines: (4, 2) each, photo frame.
        """
        return self._grown([squares[~inside(squares.xy, outlines)] for squares in self._seen])

    def within(self, outline: Floats) -> tuple[Lattice, ...]:
        """Lattices of the squares inside an outline (4, 2), photo frame."""
        return self._grown([squares[inside(squares.xy, [outline])] for squares in self._seen])

    def _grown(self, some: list[Centers]) -> tuple[Lattice, ...]:
        return self._large([one for squares in some for one in grow_lattices(squares)])

    def many_left(self, outlines: Sequence[Floats], side: float = 0.0) -> bool:
        """Whether a component of sure patches outside these outlines, and entirely in the picture,
        is as large as a kingdom.

        side: photo pixels per square of found kingdoms, which sets that size: a few loose tiles
        nearby have as many patches as a distant kingdom.
        """
        many = max(
            MIN_PATCHES, MIN_RELATIVE_SIDE * MIN_LATTICE * (side * self._far.scale / STRIDE) ** 2
        )
        left = self._far.on_tile > SURE_LOGIT
        rows, cols = np.nonzero(left)
        at = self._far.to_photo(np.stack([cols, rows], 1).astype(np.float64))
        left[rows, cols] = ~inside(at, outlines)
        last = np.array(left.shape[::-1]) - 1
        some = component_boxes(left, many)
        return any((low > 0).all() and (high < last).all() for low, high in some)

    def beside(self, centers_xy: Floats, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """Lattices outside these outlines in a view of the table rectified by a kingdom on it.

        All kingdoms on the table are flat in that view, however oblique the photo. Skipped if no
        region is left, unless a kingdom could have been missed. centers_xy: (R, C, 2), photo frame.
        """
        middles = [(low + high) / 2 for low, high in find_regions(self._far)]
        known = inside(np.array(middles), outlines).all()
        if known and not self._hides_others(centers_xy):
            return ()
        plane = fit_homography(centers_xy)
        middle = np.array(centers_xy.shape[1::-1]) / 2 - 0.5
        for span in TABLE_SPANS:
            places = lattice_points(span, span) + np.round(middle - span / 2)
            depth = (places @ plane[2, :2] + plane[2, 2]) / (middle @ plane[2, :2] + plane[2, 2])
            if depth.min() > MIN_DEPTH:
                side = THUMB_PX // span
                seen, to_photo = detect_rectified(
                    self._photo, plane, places, side, 0, self._network
                )
                grown = grow_lattices(seen[~inside(to_photo(seen.xy), outlines)])
                found = self._large([Lattice(to_photo(g.centers_xy), g.seen) for g in grown])
                if found:
                    return found
        return ()

    def _hides_others(self, centers_xy: Floats) -> bool:
        """Whether squares (R, C, 2) are so small or oblique that others beside them may not be
        detected in the whole photo."""
        steps = [np.median(np.diff(centers_xy, axis=axis), axis=(0, 1)) for axis in (0, 1)]
        wide, narrow = np.linalg.svd(steps, compute_uv=False)
        return bool(narrow * self._far.scale < NARROW_PX or narrow < MAX_SLANT * wide)

    def slanted(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """Lattices outside these outlines in the photo compressed along several directions, which
        counteracts foreshortening; none if hardly any patch looks like tiles."""
        if (self._far.on_tile > 0).sum() < MIN_PATCHES:
            return ()
        found: list[Lattice] = []
        for direction in range(DIRECTIONS):
            angle = np.pi * direction / DIRECTIONS
            along = np.array([np.cos(angle), np.sin(angle)])
            squeezed = np.eye(2) - (1 - SQUEEZE_FACTOR) * np.outer(along, along)
            view, to_photo = mapped(self._photo, squeezed, SQUEEZED_PX)
            far = predict_votes(view, self._network)
            there = [project(inverse(to_photo), outline) for outline in outlines]
            seen, _ = zoom_in(view, far, find_squares(far), self._network, there)
            found += [Lattice(project(to_photo, one.centers_xy), one.seen) for one in seen]
        return self._large(found)

    def _large(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return self._kept([one for one in found if one.seen.sum() >= MIN_LATTICE])

    def _kept(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return self._seen_from_above(_largest(found)[0])

    def _seen_from_above(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return tuple(rectify_lattice(self._photo, one, self._network) for one in found)


def _largest(found: list[Lattice]) -> tuple[list[Lattice], list[Lattice]]:
    """Non-maximum suppression by number of squares: the lattices kept, and those suppressed, each
    the largest first."""
    kept: list[Lattice] = []
    passed: list[Lattice] = []
    for one in sorted(found, key=lambda one: -int(one.seen.sum())):
        (passed if lies_on(one, kept) else kept).append(one)
    return kept, passed


def _without(squares: Centers, rejected: Floats) -> Centers:
    """The squares away from rejected centres (N, 2)."""
    away = np.linalg.norm(squares.xy[:, None] - rejected[None], axis=-1)
    return squares[np.asarray((away > CLUSTER_RADIUS * squares.side[:, None]).all(1))]
