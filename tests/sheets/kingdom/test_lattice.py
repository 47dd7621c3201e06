"""Which centres are neighbours, and on which plane."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.rectify import project
from kdscan.sheets.kingdom.lattice import Centers, grow_lattices

FULL = [(c, r) for r in range(5) for c in range(5)]


def seen(
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


def held(centers: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(centers - point, axis=-1).min())


@pytest.mark.parametrize("angle", np.linspace(0, 6.2, 9))
@pytest.mark.parametrize("tilt", [0.0, 0.03])
def test_a_kingdom_at_any_angle_is_one_lattice(angle: float, tilt: float) -> None:
    centers = seen(FULL, angle=angle, tilt=tilt, jitter=0.03)
    (found,) = grow_lattices(centers)
    assert found.seen.shape == (7, 7)
    assert found.seen[1:-1, 1:-1].all()
    assert found.seen.sum() == 25
    across = found.centers_xy[3, 4] - found.centers_xy[3, 3]
    # Seen at a slant, a kingdom at 45 degrees leans more where it is near: either way will do.
    assert across[0] >= 0.8 * abs(across[1]), "columns run to the right in the photo"
    down = found.centers_xy[4, 3] - found.centers_xy[3, 3]
    assert across[0] * down[1] - across[1] * down[0] > 0, "and nothing is mirrored"


@pytest.mark.parametrize("angle", np.linspace(0, 1.5, 7))
def test_neighbours_tell_the_steps_where_the_network_is_wrong_about_them(angle: float) -> None:
    """It said 0 or 45 degrees of whatever lay between, and sides a fifth too short."""
    for seed in range(4):
        true = seen(FULL, angle=angle, jitter=0.07, tilt=0.02, seed=seed)
        certainty = np.pi / 4 * np.round(angle / (np.pi / 4))
        wrong = Centers(true.xy, 0.82 * true.side, np.full(25, certainty), true.weight)
        found = grow_lattices(wrong)[0]
        assert found.seen.sum() >= 23
        assert found.seen.shape == (7, 7)


@pytest.mark.parametrize("seed", range(4))
def test_a_diagonal_that_the_slant_makes_shorter_than_a_side_is_none(seed: int) -> None:
    """As seen in a photo: sides of 92 and 60 pixels, a diagonal of 89."""
    rng = np.random.default_rng(seed)
    right, down = np.array((92.0, 4.0)), np.array((-25.0, 55.0))
    xy = np.array(FULL) @ np.stack([right, down]) + 300 + rng.normal(0, 2, (25, 2))
    side, turn = np.full(25, 70.0), np.full(25, np.radians(13))
    (found,) = grow_lattices(Centers(xy, side, turn, np.ones(25)))
    assert found.seen.shape == (7, 7)
    assert np.allclose(found.centers_xy[3, 4] - found.centers_xy[3, 3], right, atol=12)


def test_gaps_and_squares_that_nobody_saw_do_not_part_a_kingdom() -> None:
    places = [p for p in FULL if p not in {(1, 1), (3, 2), (2, 4)}]
    (found,) = grow_lattices(seen(places, angle=0.3, jitter=0.04))
    assert found.seen.sum() == 22
    assert found.seen.shape == (7, 7)


def test_a_square_behind_a_gap_is_taken_in_by_the_plane() -> None:
    places = [(c, r) for r in range(4) for c in range(4)] + [(5, 1)]
    (found,) = grow_lattices(seen(places))
    assert found.seen.sum() == 16  # beyond the ring it is a stranger
    near = [(c, r) for r in range(4) for c in range(4) if (c, r) != (3, 1)] + [(4, 1)]
    (found,) = grow_lattices(seen(near))
    assert found.seen.sum() == 16


def test_two_kingdoms_and_a_loose_domino() -> None:
    one = seen(FULL, at=(200, 200))
    two = seen(FULL[:15], at=(600, 250), angle=0.7, seed=1)
    loose = seen([(0, 0), (1, 0)], at=(100, 700), angle=0.2)
    found = grow_lattices(together(one, two, loose))
    assert [int(f.seen.sum()) for f in found] == [25, 15]


def test_a_domino_askew_keeps_its_own_place_and_bends_nothing_else() -> None:
    centers = seen(FULL)
    xy = centers.xy.copy()
    xy[12] += (6, -4)
    (found,) = grow_lattices(Centers(xy, centers.side, centers.angle, centers.weight))
    assert held(found.centers_xy, xy[12]) < 0.8
    assert max(held(found.centers_xy, p) for i, p in enumerate(xy) if i != 12) < 0.8


@pytest.mark.parametrize("places", [[], FULL[:1], FULL[:3]])
def test_too_few_squares_are_no_kingdom(places: list[tuple[int, int]]) -> None:
    if not places:
        none = np.zeros(0)
        assert grow_lattices(Centers(none.reshape(0, 2), none, none, none)) == []
    else:
        assert grow_lattices(seen(places)) == []


def test_a_row_of_squares_has_a_plane_too() -> None:
    (found,) = grow_lattices(seen([(c, 0) for c in range(5)], angle=0.4))
    assert found.seen.shape == (3, 7)
    step = found.centers_xy[1, 2] - found.centers_xy[1, 1]
    down = found.centers_xy[2, 1] - found.centers_xy[1, 1]
    np.testing.assert_allclose(down, [-step[1], step[0]], atol=1)
