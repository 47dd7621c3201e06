"""From votes to squares and lattices, with a network that knows the true places."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo, lattice_points, project
from kdscan.sheets.kingdom.lattice import Centers, Lattice, grow_lattices
from kdscan.sheets.kingdom.read import KingdomSearch
from lab.training.kingdoms import vote_targets

FULL = [(c, r) for r in range(5) for c in range(5)]


def centers_of(
    places: list[tuple[int, int]],
    *,
    angle: float = 0.0,
    side: float = 40.0,
    jitter: float = 0.0,
    tilt: float = 0.0,
    at: tuple[float, float] = (300.0, 300.0),
    seed: int = 0,
) -> Centers:
    """Centres of squares at these columns and rows as a camera sees them."""
    rng = np.random.default_rng(seed)
    plane = np.array(
        [
            [side * np.cos(angle), -side * np.sin(angle), at[0]],
            [side * np.sin(angle), side * np.cos(angle), at[1]],
            [tilt, 0, 1],
        ]
    )
    flat = np.array(places, np.float64)
    xy = project(plane, flat)
    right = project(plane, flat + (0.01, 0)) - xy
    down = project(plane, flat + (0, 0.01)) - xy
    length = 100 * np.sqrt(np.linalg.norm(right, axis=1) * np.linalg.norm(down, axis=1))
    turn = np.arctan2(right[:, 1], right[:, 0]) + rng.integers(0, 4, len(xy)) * np.pi / 2
    return Centers(xy + rng.normal(0, jitter * side, xy.shape), length, turn, np.ones(len(xy)))


def together(*parts: Centers) -> Centers:
    names = ("xy", "side", "angle", "weight")
    return Centers(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@pytest.mark.parametrize("angle", np.linspace(0, 6.2, 9))
@pytest.mark.parametrize("tilt", [0.0, 0.03])
def test_a_kingdom_at_any_angle_is_one_lattice(angle: float, tilt: float) -> None:
    centers = centers_of(FULL, angle=angle, tilt=tilt, jitter=0.03)
    (found,) = grow_lattices(centers)
    assert found.detected.shape == (7, 7)
    assert found.detected[1:-1, 1:-1].all()
    assert found.detected.sum() == 25
    across = found.centers_xy[3, 4] - found.centers_xy[3, 3]
    # Seen at a slant, a kingdom at 45 degrees leans more where it is near: either way will do.
    assert across[0] >= 0.8 * abs(across[1]), "columns run to the right in the photo"
    down = found.centers_xy[4, 3] - found.centers_xy[3, 3]
    assert across[0] * down[1] - across[1] * down[0] > 0, "and nothing is mirrored"


def test_gaps_and_squares_that_nobody_saw_do_not_part_a_kingdom() -> None:
    places = [p for p in FULL if p not in {(1, 1), (3, 2), (2, 4)}]
    (found,) = grow_lattices(centers_of(places, angle=0.3, jitter=0.04))
    assert found.detected.sum() == 22
    assert found.detected.shape == (7, 7)


def test_two_kingdoms_and_a_loose_domino() -> None:
    one = centers_of(FULL, at=(200, 200))
    two = centers_of(FULL[:15], at=(600, 250), angle=0.7, seed=1)
    loose = centers_of([(0, 0), (1, 0)], at=(100, 700), angle=0.2)
    found = grow_lattices(together(one, two, loose))
    assert [int(f.detected.sum()) for f in found] == [25, 15]


@pytest.mark.parametrize("places", [[], FULL[:1], FULL[:3]])
def test_too_few_squares_are_no_kingdom(places: list[tuple[int, int]]) -> None:
    if not places:
        none = np.zeros(0)
        assert grow_lattices(Centers(none.reshape(0, 2), none, none, none)) == []
    else:
        assert grow_lattices(centers_of(places)) == []


WH = (2016, 1512)


UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def table(
    side: float, angle: float, at: tuple[float, float], cells: int = 5
) -> NDArray[np.float64]:
    """Corners (N, 4, 2) of a kingdom's squares in a photo."""
    c, s = np.cos(angle), np.sin(angle)
    places = lattice_points(cells, cells).reshape(-1, 1, 2) - (cells - 1) / 2 + UNIT
    return np.asarray(side * places @ np.array([[c, s], [-s, c]]) + np.array(at))


def searched(
    corners: NDArray[np.float64], wh: tuple[int, int], narrowest: float = 0.0, sure: float = 5.0
) -> KingdomSearch:
    """A search with votes that are right, whichever part of the photo is looked at.

    narrowest: pixels of what is looked at; squares that are narrower there are not seen.
    sure: logit of a patch that is on a square.

    The picture says where it is: blue grows with x, green with y, red is full. However it is
    turned and scaled, that tells how.
    """
    x, y = np.meshgrid(np.linspace(0, 255, wh[0]), np.linspace(0, 255, wh[1]))
    picture = np.dstack([x, y, np.full_like(x, 255)]).round().astype(np.uint8)

    def network(thumb: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        blue, green, red = thumb[0].astype(np.float64)
        inside = (red > 0.5) & (np.abs(blue - 0.5) < 0.49) & (np.abs(green - 0.5) < 0.49)
        rows, cols = np.nonzero(inside)
        pixels = np.stack([cols, rows, np.ones_like(rows)], 1)
        photo_xy = np.stack([blue[inside], green[inside]], 1) * (wh[0] - 1, wh[1] - 1)
        to_photo = np.linalg.lstsq(pixels, photo_xy, rcond=None)[0]
        from_photo = np.linalg.inv(to_photo[:2])
        shown = (corners - to_photo[2]) @ from_photo
        steps = np.stack([shown[:, 1] - shown[:, 0], shown[:, 3] - shown[:, 0]], 1)
        wide_enough = np.linalg.norm(steps, -2, axis=(1, 2)) >= narrowest
        votes = vote_targets(shown[wide_enough], thumb.shape[2:])
        on = np.where(votes[:1] > 0, sure, -5).astype(np.float32)
        return on[None], votes[None, 1:3], np.full_like(on, -3)[None], votes[None, 3:]

    return KingdomSearch(Photo(picture), network)


def located(corners: NDArray[np.float64], wh: tuple[int, int]) -> tuple[Lattice, ...]:
    """What is found first."""
    return searched(corners, wh).lattices()


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.3])
@pytest.mark.parametrize("cells", [5, 7])
def test_votes_meet_in_the_centres(angle: float, cells: int) -> None:
    corners = table(620 / cells, angle, (600, 450), cells)
    (found,) = located(corners, (1200, 900))
    assert found.detected.sum() == cells**2
    centers = corners.mean(1)
    for point in found.squares_xy:
        assert np.linalg.norm(centers - point, axis=1).min() < 0.03 * 620 / cells
