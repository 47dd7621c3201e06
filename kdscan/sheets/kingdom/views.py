"""Repeated detection in parts of a photo: enlarged, or rectified."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kdscan.detection.locate import STRIDE, THUMB_PX
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.pyramid import finest_decoded, window
from kdscan.imaging.rectify import fit_homography, flatten, inside, lattice_points, project
from kdscan.sheets.kingdom.lattice import Centers, Lattice, grow_lattices, lies_on, overlap_share
from kdscan.sheets.kingdom.votes import VoteMap, find_regions, find_squares, predict_votes

MAX_WINDOW = 0.8
"""A window is only worth another pass if it is smaller than this share of the last one."""
RECTIFIED_PX, RECTIFIED_MARGIN = 40, 0.5
"""Pixels per square of a rectified lattice, and its margin in squares."""
MIN_KEPT, MATCH_RADIUS = 0.75, 0.45
"""A detection in the rectified view replaces the earlier one if it contains this share of the
squares known before, each within this distance in sides."""
ZOOM_MARGIN, ZOOM_MARGIN_PATCHES = 0.3, 2.5
"""Margin of an enlarged window, as a share of the region's size, and its minimum in patches of the
first pass: only the middle of a distant kingdom is detected with confidence."""


def zoom_in(
    photo: Photo, far: VoteMap, squares: Centers, network: Network, known: Sequence[Floats] = ()
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in a photo, those from enlarged windows first, and the squares of each window.

    Every region is enlarged; then every lattice that was only detected in the whole photo, such as
    one in a region too wide to enlarge. known: outlines (4, 2) that are excluded.
    """
    found: list[Lattice] = []
    seen: list[Centers] = []
    for low, high in find_regions(far):
        if not inside(((low + high) / 2)[None], known).any():
            lattices, looks = _zoom_region(photo, low, high, network)
            found, seen = found + lattices, seen + looks
    afar = grow_lattices(squares[~inside(squares.xy, known)])
    for one in afar:
        if not lies_on(one, found):
            lattices, looks = _zoom_region(photo, *_bounds(one), network)
            found, seen = found + lattices, seen + looks
    return found + afar, seen


def _bounds(lattice: Lattice) -> tuple[Floats, Floats]:
    """Bounding box (low and high corner) of a lattice's detected squares, one square wider."""
    seen = lattice.centers_xy[lattice.seen]
    return seen.min(0) - lattice.side, seen.max(0) + lattice.side


def _zoom_region(
    photo: Photo, low: Floats, high: Floats, network: Network
) -> tuple[list[Lattice], list[Centers]]:
    """The lattices in an enlarged region, and the squares detected in each window; nothing if the
    region cannot be enlarged.

    The first window contains the whole region; the second one, if that was much too wide, the
    largest lattice in the first.
    """
    longer = max(photo.width, photo.height)
    margin = max(
        ZOOM_MARGIN * float(max(high - low)), ZOOM_MARGIN_PATCHES * STRIDE * longer / THUMB_PX
    )
    lattices: list[Lattice] = []
    passes: list[Centers] = []
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
        lattices = grown + [one for one in lattices if not lies_on(one, grown)]
        low, high = _bounds(lattices[0])
        margin = ZOOM_MARGIN * float(max(high - low))
    return lattices, passes


def detect_rectified(
    photo: Photo, plane: Floats, places: Floats, px: int, margin: float, network: Network
) -> tuple[Centers, Callable[[Floats], Floats]]:
    """Detect squares in a rectified view of places (R, C, 2) of a plane, (3, 3) homography to the
    photo, at `px` pixels per square with a margin in squares. Returns the squares in the view's
    frame, and the function from there to the photo."""
    flat = flatten(photo, project(plane, places), px, margin, finest_decoded(photo))

    def to_photo(at: Floats) -> Floats:
        return project(plane, (at + 0.5) / px - 0.5 - margin + places[0, 0])

    return find_squares(predict_votes(Photo(flat), network)), to_photo


def rectify_lattice(photo: Photo, lattice: Lattice, network: Network) -> Lattice:
    """Detect a lattice again in a view rectified by its own plane, where it is upright and all
    squares have one size; unchanged if that finds nothing better."""
    for _ in range(2):
        plane = fit_homography(lattice.centers_xy)
        places = lattice_points(*lattice.seen.shape)
        seen, to_photo = detect_rectified(
            photo, plane, places, RECTIFIED_PX, RECTIFIED_MARGIN, network
        )
        grown = grow_lattices(seen)
        if not grown:
            break
        above = Lattice(to_photo(grown[0].centers_xy), grown[0].seen)
        fewer = above.seen.sum() < MIN_KEPT * lattice.seen.sum()
        if fewer or overlap_share(lattice, above, MATCH_RADIUS) < MIN_KEPT:
            break
        before, lattice = lattice, above
        if lattice.seen.sum() <= before.seen.sum():
            break
    return lattice
