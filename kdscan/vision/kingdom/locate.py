"""Stage: photo → lattices of tiles in it.

A network looks at the thumbnail and says for every patch whether it lies on a square of a
tile, where that square's centre is, how uncertain that is, and how the square is turned and
how large it is. Votes of one square meet in one point. Small kingdoms are looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import Photo
from kdscan.vision.kingdom.lattice import Centers, Lattice, grow_lattices
from kdscan.vision.locate import STRIDE, THUMB_PX, thumbnail
from kdscan.vision.pyramid import mapped, window
from kdscan.vision.rectify import Floats, Network, fit_homography, flatten, lies_in, project
from kdscan.vision.rectify import lattice as squares_lattice

FINE = 4
"""Places a patch along each side, on which votes are gathered."""
MEET = 0.32
"""Votes so near to each other, in sides, stand for one square."""
LEAST = 1.2
"""Votes that a square needs, each by its certainty."""
LEAST_PATCHES, MANY_PATCHES = 3, 8
"""A region of fewer patches that surely, or likely, lie on squares is not looked at."""
DIRECTIONS, SQUEEZE, SQUEEZED_PX = 4, 0.5, 768
"""A photo is squeezed in so many directions, to so much of its extent, with so many pixels on its
longer side;"""
MANY_SURE = 30
"""that is done only where so many patches surely lie on squares, as those of a kingdom do."""
JOINED = 3
"""Patches that surely lie on squares and are so near to each other are one region's."""
SURELY_ON = 1.5
"""Logit of a patch that a region is made of."""
BARE = -2.0
"""Logit of a patch that looks like bare table. Of 68 kingdoms in hard photos two, small and far
away, did so on most of their squares."""
TABLE, NEAREST = (32, 24, 16), 0.25
"""Squares of the table around a kingdom that are laid flat, the most of these so that none lies
farther away than the kingdom by more than the inverse of this."""
NEARER = 0.8
"""A window that is not smaller than this, by the last one's longer side, shows no more."""
ABOVE_PX, ABOVE_MARGIN = 40, 0.5
"""Pixels a square of a lattice that is looked at from above, and squares around it."""
ABOVE_KEEPS, ABOVE_NEAR = 0.75, 0.45
"""What is seen from above counts if it holds such a share of the squares known before, no
farther off than so many sides."""
LEAST_REST = 9
"""Fewer squares beside a kingdom that was found are loose dominoes."""
RIVALS = 4
"""So many lattices that lie where a larger one does are tried where that is hardly a kingdom."""
CLOSER, CLOSER_PATCHES = 0.3, 2.5
"""So much of a region's size around it is in the second look too, or so many patches of the first:
of a kingdom far away only the middle is surely one."""


class KingdomSearch:
    """Looks for lattices of tiles in a photo, and for others where those were none.

    network: `thumbnail` → on-square logit (1, 1, h, w), centre x, y in patches (1, 2, h, w),
        log of its expected error (1, 1, h, w), cosine and sine of four times the angle and log
        of the side in patches (1, 3, h, w).
    """

    def __init__(self, photo: Photo, network: Network) -> None:
        self._photo, self._network = photo, network
        self._far = _look(photo, network)
        self._seen = [_squares(self._far)]
        self._passed: list[Lattice] = []

    def lattices(self) -> tuple[Lattice, ...]:
        """What is seen from afar and from nearer, the largest first, in the photo's frame."""
        found, squares = _nearer(self._photo, self._far, self._seen[0], self._network)
        self._seen += squares
        kept, self._passed = _largest(found)
        above = self._seen_from_above(kept)
        return tuple(one for one in above if one.seen.sum() >= LEAST_REST) or above

    def passed(self) -> tuple[Lattice, ...]:
        """The largest of those that `lattices` has left out, because a larger one lies there."""
        return self._seen_from_above(self._passed[:RIVALS])

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
        return self._grown([squares[~_inside(squares.xy, outlines)] for squares in self._seen])

    def within(self, outline: Floats) -> tuple[Lattice, ...]:
        """What was seen inside an outline (4, 2), photo frame, by itself."""
        return self._grown([squares[_inside(squares.xy, [outline])] for squares in self._seen])

    def _grown(self, some: list[Centers]) -> tuple[Lattice, ...]:
        grown = [one for squares in some for one in grow_lattices(squares)]
        return self._kept([one for one in grown if one.seen.sum() >= LEAST_REST])

    def many_left(self, outlines: Sequence[Floats]) -> bool:
        """Whether as many patches as a kingdom has surely lie on tiles in one place outside these
        outlines, wholly in the picture."""
        left = self._far.on > SURELY_ON
        rows, cols = np.nonzero(left)
        at = self._far.to_photo(np.stack([cols, rows], 1).astype(np.float64))
        left[rows, cols] = ~_inside(at, outlines)
        _, _, stats, _ = cv2.connectedComponentsWithStats(left.astype(np.uint8))
        low, high = stats[1:, :2], stats[1:, :2] + stats[1:, 2:4]
        whole = (low > 0).all(1) & (high < left.shape[::-1]).all(1)
        return bool((whole & (stats[1:, 4] >= MANY_SURE)).any())

    def beside(self, centers_xy: Floats, outlines: Sequence[Floats]) -> tuple[Lattice, ...]:
        """What is seen outside these outlines when the table is laid flat as a kingdom on it lies:
        others then lie flat too, however steeply they were seen. Nothing where no region is left
        that may be one.

        centers_xy: (R, C, 2), photo frame.
        """
        middles = [(low + high) / 2 for low, high in _regions(self._far)]
        if not middles or _inside(np.array(middles), outlines).all():
            return ()
        plane = fit_homography(centers_xy)
        middle = np.array(centers_xy.shape[1::-1]) / 2 - 0.5
        for span in TABLE:
            places = squares_lattice(span, span) + np.round(middle - span / 2)
            depth = (places @ plane[2, :2] + plane[2, 2]) / (middle @ plane[2, :2] + plane[2, 2])
            if depth.min() > NEAREST:
                found = self._flat(plane, places, outlines)
                return self._kept([one for one in found if one.seen.sum() >= LEAST_REST])
        return ()

    def _flat(self, plane: Floats, places: Floats, outlines: Sequence[Floats]) -> Iterator[Lattice]:
        """What is seen outside outlines when places (S, S, 2) of a plane are laid flat."""
        side = THUMB_PX // len(places)

        def to_photo(at: Floats) -> Floats:
            return project(plane, (at + 0.5) / side - 0.5 + places[0, 0])

        flat = flatten(self._photo, project(plane, places), side, 0)
        squares = _squares(_look(Photo(flat), self._network))
        for one in grow_lattices(squares[~_inside(to_photo(squares.xy), outlines)]):
            yield Lattice(to_photo(one.centers_xy), one.seen)

    def slanted(self) -> tuple[Lattice, ...]:
        """What is seen when the photo is squeezed in one direction or another, as a table that is
        seen at a slant is; nothing where hardly any patch is surely on a tile."""
        if (self._far.on > SURELY_ON).sum() < MANY_SURE:
            return ()
        found: list[Lattice] = []
        for direction in range(DIRECTIONS):
            angle = np.pi * direction / DIRECTIONS
            along = np.array([np.cos(angle), np.sin(angle)])
            squeezed = np.eye(2) - (1 - SQUEEZE) * np.outer(along, along)
            view, to_photo = mapped(self._photo, squeezed, SQUEEZED_PX)
            far = _look(view, self._network)
            seen, _ = _nearer(view, far, _squares(far), self._network)
            found += [Lattice(project(to_photo, one.centers_xy), one.seen) for one in seen]
        return self._kept(found)

    def _kept(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return self._seen_from_above(_largest(found)[0])

    def _seen_from_above(self, found: list[Lattice]) -> tuple[Lattice, ...]:
        return tuple(_from_above(self._photo, one, self._network) for one in found)


def _largest(found: list[Lattice]) -> tuple[list[Lattice], list[Lattice]]:
    """Of two views of a kingdom the larger one, of equal ones the first; and the others by size."""
    kept: list[Lattice] = []
    passed: list[Lattice] = []
    for one in sorted(found, key=lambda one: -int(one.seen.sum())):
        hidden = any(_share(one, other, 1.0) > 0.5 for other in kept)
        (passed if hidden else kept).append(one)
    return kept, passed


@dataclass(frozen=True, eq=False)
class _Look:
    """What the network says of a picture cut from the photo at `corner`.

    on: (h, w) logits. place, doubt, laid: as the network gives them, (C, h, w).
    scale: thumbnail pixels a photo pixel.
    """

    on: Floats
    place: Floats
    doubt: Floats
    laid: Floats
    scale: float
    corner: tuple[int, int] = (0, 0)

    def to_photo(self, patches: Floats) -> Floats:
        """Points in patches → the photo's frame."""
        return np.asarray((patches + 0.5) * STRIDE / self.scale - 0.5 + np.array(self.corner))

    def at(self, xy: Floats) -> Floats:
        """(N,) logits of the patches nearest to points (N, 2) of the photo."""
        patches = (xy - np.array(self.corner) + 0.5) * self.scale / STRIDE - 0.5
        last = np.array(self.on.shape[::-1]) - 1
        cols, rows = np.clip(np.round(patches).astype(int), 0, last).T
        return np.asarray(self.on[rows, cols])


def _look(
    photo: Photo, network: Network, corner: tuple[int, int] = (0, 0), shrink: int = 1
) -> _Look:
    thumb, scale = thumbnail(photo)
    on, place, doubt, laid = (out[0].astype(np.float64) for out in network(thumb))
    return _Look(on[0], place, doubt, laid, scale / shrink, corner)


def _regions(look: _Look) -> list[tuple[Floats, Floats]]:
    """Corners, low and high, in the photo, of patches of table with squares on them: surely so,
    or many that are only likely and have no sure ones by them."""
    sure = (look.on > SURELY_ON).astype(np.uint8)
    found = _patches(look, sure, LEAST_PATCHES, JOINED)
    for low, high in _patches(look, (look.on > 0).astype(np.uint8), MANY_PATCHES, 1):
        middle = (low + high) / 2
        if not any(((middle > a) & (middle < b)).all() for a, b in found):
            found.append((low, high))
    return found


def _patches(
    look: _Look, marked: NDArray[np.uint8], least: int, joined: int
) -> list[tuple[Floats, Floats]]:
    """Corners of what hangs together of (h, w) patches that are 1, where these are so many.

    joined: patches that are no farther apart than this hang together.
    """
    count, label = cv2.connectedComponents(cv2.dilate(marked, np.ones((joined, joined), np.uint8)))
    found = []
    for i in range(1, count):
        rows, cols = np.nonzero((label == i) & (marked > 0))
        if len(rows) >= least:
            low = look.to_photo(np.array([cols.min(), rows.min()]) - 0.5)
            found.append((low, look.to_photo(np.array([cols.max(), rows.max()]) + 0.5)))
    return found


def _nearer(
    photo: Photo, far: _Look, squares: Centers, network: Network
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in a look, those seen from nearer first, and the squares seen from nearer.

    Each region is looked at; then each lattice seen from afar alone, as in a region that is too
    wide to come nearer.
    """
    found: list[Lattice] = []
    seen: list[Centers] = []
    for low, high in _regions(far):
        lattices, looks = _from_near(photo, low, high, network)
        found, seen = found + lattices, seen + looks
    afar = grow_lattices(squares)
    for one in afar:
        if not any(_share(one, other, 1.0) > 0.5 for other in found):
            lattices, looks = _from_near(photo, *_reach(one), network)
            found, seen = found + lattices, seen + looks
    return found + afar, seen


def _reach(lattice: Lattice) -> tuple[Floats, Floats]:
    """Corners, low and high, of what was seen of a lattice, with a square around."""
    seen = lattice.centers_xy[lattice.seen]
    side = float(np.median(np.linalg.norm(np.diff(lattice.centers_xy, axis=1), axis=-1)))
    return seen.min(0) - side, seen.max(0) + side


def _from_near(
    photo: Photo, low: Floats, high: Floats, network: Network
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in a region, looked at from as near as it fills the view, and the squares that
    each look saw; none where that is no nearer.

    The first window holds the whole region; the second one, if that was much too wide, the
    largest lattice that the first has shown.
    """
    longer = max(photo.width, photo.height)
    room = max(CLOSER * float(max(high - low)), CLOSER_PATCHES * STRIDE * longer / THUMB_PX)
    lattices: list[Lattice] = []
    looks: list[Centers] = []
    for _ in range(2):
        part, corner, shrink = window(photo, low - room, high + room, THUMB_PX)
        size = shrink * max(part.width, part.height)
        if size > NEARER * longer:
            break
        longer = size
        looks.append(_squares(_look(part, network, corner, shrink)))
        nearer = grow_lattices(looks[-1])
        if not nearer:
            break
        lattices = nearer + [
            one for one in lattices if all(_share(one, other, 1.0) <= 0.5 for other in nearer)
        ]
        low, high = _reach(lattices[0])
        room = CLOSER * float(max(high - low))
    return lattices, looks


def _from_above(photo: Photo, lattice: Lattice, network: Network) -> Lattice:
    """The same lattice, laid flat by its own plane and looked at once more, as it is upright
    and all squares are of one size; as it was if nothing better is seen so."""
    for _ in range(2):
        plane = fit_homography(lattice.centers_xy)
        places = squares_lattice(*lattice.seen.shape)
        flat = flatten(photo, project(plane, places), ABOVE_PX, ABOVE_MARGIN)
        grown = grow_lattices(_squares(_look(Photo(flat), network)))
        if not grown:
            break
        at = (grown[0].centers_xy + 0.5) / ABOVE_PX - 0.5 - ABOVE_MARGIN
        above = Lattice(project(plane, at), grown[0].seen)
        fewer = above.seen.sum() < ABOVE_KEEPS * lattice.seen.sum()
        if fewer or _share(lattice, above, ABOVE_NEAR) < ABOVE_KEEPS:
            break
        before, lattice = lattice, above
        if lattice.seen.sum() <= before.seen.sum():
            break
    return lattice


def _without(squares: Centers, refused: Floats) -> Centers:
    """The squares that do not lie at a refused place."""
    away = np.linalg.norm(squares.xy[:, None] - refused[None], axis=-1)
    return squares[np.asarray((away > MEET * squares.side[:, None]).all(1))]


def _inside(points_xy: Floats, outlines: Sequence[Floats]) -> NDArray[np.bool_]:
    """(N,), which of the points (N, 2) lie in any of the outlines."""
    inside = [any(lies_in(xy, outline) for outline in outlines) for xy in points_xy]
    return np.array(inside, bool)


def _share(other: Lattice, lattice: Lattice, near: float) -> float:
    """Share of the other lattice's squares that lie, but for so many sides, where one of this
    lattice's does."""
    mine, its = lattice.centers_xy[lattice.seen], other.centers_xy[other.seen]
    side = float(np.median(np.linalg.norm(np.diff(lattice.centers_xy, axis=1), axis=-1)))
    away = np.linalg.norm(its[:, None] - mine[None], axis=-1).min(1)
    return float((away < near * side).mean())


def _squares(look: _Look) -> Centers:
    """Where votes meet, in the photo's frame."""
    rows, cols = np.nonzero(look.on > 0)
    votes = np.stack([cols, rows], 1) + look.place[:, rows, cols].T
    weight = 1 / (1 + np.exp(look.doubt[0, rows, cols]))
    side = np.exp(np.clip(look.laid[2, rows, cols], -1, 4))
    turn = look.laid[0, rows, cols] + 1j * look.laid[1, rows, cols]
    gathered = []
    for peak in _peaks(votes, weight, look.on.shape, float(np.median(side)) if len(side) else 1.0):
        away = np.linalg.norm(votes - peak, axis=1)
        mine = away < MEET * side[int(np.argmin(away))]
        if weight[mine].sum() >= LEAST * 0.5 and mine.sum() >= 2:
            share = weight[mine] / weight[mine].sum()
            gathered.append(
                (
                    *(share @ votes[mine]),
                    np.exp(share @ np.log(side[mine])),
                    np.angle(share @ turn[mine]) / 4,
                    weight[mine].sum(),
                )
            )
    table = np.array(gathered, np.float64).reshape(-1, 5)
    sides = table[:, 2] * STRIDE / look.scale
    return Centers(look.to_photo(table[:, :2]), sides, table[:, 3], table[:, 4])


def _peaks(votes: Floats, weight: Floats, shape: tuple[int, ...], side: float) -> Floats:
    """Points (N, 2), in patches, where votes are densest; none closer than half a side."""
    h, w = shape[0] * FINE, shape[1] * FINE
    density = np.zeros((h, w), np.float32)
    at = np.round((votes + 0.5) * FINE - 0.5).astype(int)
    inside = ((at >= 0) & (at < (w, h))).all(1)
    np.add.at(density, (at[inside, 1], at[inside, 0]), weight[inside])
    soft = np.asarray(cv2.GaussianBlur(density, (0, 0), max(0.6, 0.1 * side * FINE)))
    reach = 2 * max(1, round(0.35 * side * FINE)) + 1
    top = cv2.dilate(soft, np.ones((reach, reach), np.uint8))
    rows, cols = np.nonzero((soft == top) & (soft > 1e-3))
    order = np.argsort(-soft[rows, cols])
    points = (np.stack([cols, rows], 1)[order] + 0.5) / FINE - 0.5
    away = np.linalg.norm(points[:, None] - points[None], axis=-1)
    kept: list[int] = []
    for i in range(len(points)):
        if (away[i, kept] > 0.5 * side).all():
            kept.append(i)
    return points[kept]
