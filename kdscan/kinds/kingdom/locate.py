"""Stage: photo → lattices of tiles in it.

Small kingdoms are looked at twice, slanted tables as if seen from above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.pyramid import mapped
from kdscan.imaging.rectify import fit_homography, inside, inverse, project
from kdscan.imaging.rectify import lattice as squares_lattice
from kdscan.kinds.kingdom.lattice import Centers, Lattice, grow_lattices, share
from kdscan.kinds.kingdom.looking import (
    MEET,
    SURELY_ON,
    look_at,
    patches_of,
    regions_of,
    squares_of,
)
from kdscan.kinds.kingdom.views import from_above, look_nearer, seen_flat
from kdscan.records import Photo
from kdscan.records.arrays import Floats, Network

DIRECTIONS, SQUEEZE, SQUEEZED_PX = 4, 0.5, 768
"""A photo is squeezed in so many directions, to so much of its extent, with so many pixels on its
longer side."""
MANY = 30
"""So many patches lie on squares where there is a whole kingdom; with fewer likely ones, a photo is
not squeezed: sure ones may be few where the table is seen at a slant."""
BARE = -2.0
"""Logit of a patch that looks like bare table. Of 68 kingdoms in hard photos two, small and far
away, did so on most of their squares."""
FARTHER = 0.5
"""A kingdom beside another may look so much smaller."""
NARROW_PX, SLANTED = 14, 0.85
"""Where squares of a kingdom are narrower than so many pixels of the thumbnail, or than so much of
how wide they are, others beside it may hardly look like tiles."""
TABLE, NEAREST = (24, 32, 16), 0.25
"""Squares of the table around a kingdom that are laid flat: as many of these as show another, and
so that none lies farther away than the kingdom by more than the inverse of this."""
LEAST_REST = 9
"""Fewer squares beside a kingdom that was found are loose dominoes."""
RIVALS = 4
"""So many lattices that lie where a larger one does are tried where that is hardly a kingdom."""


class KingdomSearch:
    """Looks for lattices of tiles in a photo, and for others where those were none.

    network: see `look_at`.
    """

    def __init__(self, photo: Photo, network: Network) -> None:
        self._photo, self._network = photo, network
        self._far = look_at(photo, network)
        self._seen = [squares_of(self._far)]
        self._passed: list[Lattice] = []

    def lattices(self) -> tuple[Lattice, ...]:
        """What is seen from afar and from nearer, the largest first, in the photo's frame."""
        found, squares = look_nearer(self._photo, self._far, self._seen[0], self._network)
        self._seen += squares
        kept, self._passed = _largest(found)
        above = self._seen_from_above(kept)
        return tuple(one for one in above if one.seen.sum() >= LEAST_REST) or above

    def passed(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """The largest of those that `lattices` has left out, because a larger one lies there; none
        that lies in these outlines."""
        apart = [one for one in self._passed if not _mostly_inside(one, outlines)]
        return self._seen_from_above(apart[:RIVALS])

    def looks_bare(self, lattice: Lattice) -> bool:
        """Whether most squares seen on a lattice look like bare table from afar, as those of a
        table ruled in squares do."""
        return bool(np.median(self._far.at(lattice.centers_xy[lattice.seen])) < BARE)

    def others(self, refused: Floats) -> tuple[Lattice, ...]:
        """The same without squares of which another look says that they are no tiles.

        refused: (N, 2), their centres in the photo's frame. The photo is not looked at from
        nearer, where the same would be seen.
        """
        return self._kept(grow_lattices(_without(self._seen[0], refused)))

    def rest(self, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """What was seen outside kingdoms that were found: one beside another may have been taken
        for a part of it.

        outlines: (4, 2) each, photo frame.
        """
        return self._grown([squares[~inside(squares.xy, outlines)] for squares in self._seen])

    def within(self, outline: Floats) -> tuple[Lattice, ...]:
        """What was seen inside an outline (4, 2), photo frame, by itself."""
        return self._grown([squares[inside(squares.xy, [outline])] for squares in self._seen])

    def _grown(self, some: list[Centers]) -> tuple[Lattice, ...]:
        return self._large([one for squares in some for one in grow_lattices(squares)])

    def many_left(self, outlines: Sequence[Floats], side: float = 0.0) -> bool:
        """Whether as many patches as a kingdom has surely lie on tiles in one place outside these
        outlines, wholly in the picture.

        side: of the squares of those that were found, in the photo; a few that lie loose have as
        many patches as a whole kingdom far away.
        """
        many = max(MANY, FARTHER * LEAST_REST * (side * self._far.scale / STRIDE) ** 2)
        left = self._far.on > SURELY_ON
        rows, cols = np.nonzero(left)
        at = self._far.to_photo(np.stack([cols, rows], 1).astype(np.float64))
        left[rows, cols] = ~inside(at, outlines)
        last = np.array(left.shape[::-1]) - 1
        some = patches_of(left, many)
        return any((low > 0).all() and (high < last).all() for low, high in some)

    def beside(self, centers_xy: Floats, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """What is seen outside these outlines when the table is laid flat as a kingdom on it lies:
        others then lie flat too, however steeply they were seen. Nothing where no region is left
        that may be one, unless one could not be seen.

        centers_xy: (R, C, 2), photo frame.
        """
        middles = [(low + high) / 2 for low, high in regions_of(self._far)]
        known = inside(np.array(middles), outlines).all()
        if known and not self._hides_others(centers_xy):
            return ()
        plane = fit_homography(centers_xy)
        middle = np.array(centers_xy.shape[1::-1]) / 2 - 0.5
        for span in TABLE:
            places = squares_lattice(span, span) + np.round(middle - span / 2)
            depth = (places @ plane[2, :2] + plane[2, 2]) / (middle @ plane[2, :2] + plane[2, 2])
            if depth.min() > NEAREST:
                side = THUMB_PX // span
                seen, to_photo = seen_flat(self._photo, plane, places, side, 0, self._network)
                grown = grow_lattices(seen[~inside(to_photo(seen.xy), outlines)])
                found = self._large([Lattice(to_photo(g.centers_xy), g.seen) for g in grown])
                if found:
                    return found
        return ()

    def _hides_others(self, centers_xy: Floats) -> bool:
        """Whether squares (R, C, 2) lie so far away, or so steep, that others beside them may not
        look like tiles from afar."""
        steps = [np.median(np.diff(centers_xy, axis=axis), axis=(0, 1)) for axis in (0, 1)]
        wide, narrow = np.linalg.svd(steps, compute_uv=False)
        return bool(narrow * self._far.scale < NARROW_PX or narrow < SLANTED * wide)

    def slanted(self, outlines: Sequence[Floats] = ()) -> tuple[Lattice, ...]:
        """What is seen outside these outlines when the photo is squeezed in one direction or
        another, as a table that is seen at a slant is; nothing where hardly any patch looks like
        tiles."""
        if (self._far.on > 0).sum() < MANY:
            return ()
        found: list[Lattice] = []
        for direction in range(DIRECTIONS):
            angle = np.pi * direction / DIRECTIONS
            along = np.array([np.cos(angle), np.sin(angle)])
            squeezed = np.eye(2) - (1 - SQUEEZE) * np.outer(along, along)
            view, to_photo = mapped(self._photo, squeezed, SQUEEZED_PX)
            far = look_at(view, self._network)
            there = [project(inverse(to_photo), outline) for outline in outlines]
            seen, _ = look_nearer(view, far, squares_of(far), self._network, there)
            found += [Lattice(project(to_photo, one.centers_xy), one.seen) for one in seen]
        return self._large(found)

    def _large(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return self._kept([one for one in found if one.seen.sum() >= LEAST_REST])

    def _kept(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return self._seen_from_above(_largest(found)[0])

    def _seen_from_above(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return tuple(from_above(self._photo, one, self._network) for one in found)


def _largest(found: list[Lattice]) -> tuple[list[Lattice], list[Lattice]]:
    """Of two views of a kingdom the larger one, of equal ones the first; and the others by size."""
    kept: list[Lattice] = []
    passed: list[Lattice] = []
    for one in sorted(found, key=lambda one: -int(one.seen.sum())):
        hidden = any(share(one, other, 1.0) > 0.5 for other in kept)
        (passed if hidden else kept).append(one)
    return kept, passed


def _without(squares: Centers, refused: Floats) -> Centers:
    """The squares that do not lie at a refused place."""
    away = np.linalg.norm(squares.xy[:, None] - refused[None], axis=-1)
    return squares[np.asarray((away > MEET * squares.side[:, None]).all(1))]


def _mostly_inside(lattice: Lattice, outlines: Sequence[Floats]) -> bool:
    """Whether more than half of what was seen of a lattice lies in any of the outlines."""
    return bool(inside(lattice.centers_xy[lattice.seen], outlines).mean() > 0.5)
