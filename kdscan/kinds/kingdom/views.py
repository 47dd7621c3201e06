"""Looks at a part of a photo again: from nearer, or as if from straight above."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.pyramid import finest_decoded, window
from kdscan.imaging.rectify import fit_homography, flatten, inside, project
from kdscan.imaging.rectify import lattice as squares_lattice
from kdscan.kinds.kingdom.lattice import Centers, Lattice, grow_lattices, share
from kdscan.kinds.kingdom.looking import Look, look_at, regions_of, squares_of
from kdscan.records import Photo
from kdscan.records.arrays import Floats, Network

NEARER = 0.8
"""A window that is not smaller than this, by the last one's longer side, shows no more."""
ABOVE_PX, ABOVE_MARGIN = 40, 0.5
"""Pixels a square of a lattice that is looked at from above, and squares around it."""
ABOVE_KEEPS, ABOVE_NEAR = 0.75, 0.45
"""What is seen from above counts if it holds such a share of the squares known before, no
farther off than so many sides."""
CLOSER, CLOSER_PATCHES = 0.3, 2.5
"""So much of a region's size around it is in the second look too, or so many patches of the first:
of a kingdom far away only the middle is surely one."""


def look_nearer(
    photo: Photo, far: Look, squares: Centers, network: Network, known: Sequence[Floats] = ()
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in a look, those seen from nearer first, and the squares seen from nearer.

    Each region is looked at; then each lattice seen from afar alone, as in a region that is too
    wide to come nearer. known: outlines (4, 2) in which nothing is looked for.
    """
    found: list[Lattice] = []
    seen: list[Centers] = []
    for low, high in regions_of(far):
        if not inside(((low + high) / 2)[None], known).any():
            lattices, looks = _from_near(photo, low, high, network)
            found, seen = found + lattices, seen + looks
    afar = grow_lattices(squares[~inside(squares.xy, known)])
    for one in afar:
        if not any(share(one, other, 1.0) > 0.5 for other in found):
            lattices, looks = _from_near(photo, *_reach(one), network)
            found, seen = found + lattices, seen + looks
    return found + afar, seen


def _reach(lattice: Lattice) -> tuple[Floats, Floats]:
    """Corners, low and high, of what was seen of a lattice, with a square around."""
    seen = lattice.centers_xy[lattice.seen]
    return seen.min(0) - lattice.side, seen.max(0) + lattice.side


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
        looks.append(squares_of(look_at(part, network, corner, shrink)))
        grown = grow_lattices(looks[-1])
        if not grown:
            break
        lattices = grown + [
            one for one in lattices if all(share(one, other, 1.0) <= 0.5 for other in grown)
        ]
        low, high = _reach(lattices[0])
        room = CLOSER * float(max(high - low))
    return lattices, looks


def seen_flat(
    photo: Photo, plane: Floats, places: Floats, px: int, margin: float, network: Network
) -> tuple[Centers, Callable[[Floats], Floats]]:
    """The squares seen when places (R, C, 2) of a plane are laid flat, so many pixels and with so
    many squares around, and what takes points from there to the photo."""
    flat = flatten(photo, project(plane, places), px, margin, finest_decoded(photo))

    def to_photo(at: Floats) -> Floats:
        return project(plane, (at + 0.5) / px - 0.5 - margin + places[0, 0])

    return squares_of(look_at(Photo(flat), network)), to_photo


def from_above(photo: Photo, lattice: Lattice, network: Network) -> Lattice:
    """The same lattice, laid flat by its own plane and looked at once more, as it is upright
    and all squares are of one size; as it was if nothing better is seen so."""
    for _ in range(2):
        plane = fit_homography(lattice.centers_xy)
        places = squares_lattice(*lattice.seen.shape)
        seen, to_photo = seen_flat(photo, plane, places, ABOVE_PX, ABOVE_MARGIN, network)
        grown = grow_lattices(seen)
        if not grown:
            break
        above = Lattice(to_photo(grown[0].centers_xy), grown[0].seen)
        fewer = above.seen.sum() < ABOVE_KEEPS * lattice.seen.sum()
        if fewer or share(lattice, above, ABOVE_NEAR) < ABOVE_KEEPS:
            break
        before, lattice = lattice, above
        if lattice.seen.sum() <= before.seen.sum():
            break
    return lattice
