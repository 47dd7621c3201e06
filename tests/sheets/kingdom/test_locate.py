"""From votes to squares, with a network that knows the true places."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.detection.locate import STRIDE
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import lattice_points
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.locate import KingdomSearch
from lab.training.kingdom_samples import vote_targets

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
    assert found.seen.sum() == cells**2
    centers = corners.mean(1)
    for point in found.centers_xy[found.seen]:
        assert np.linalg.norm(centers - point, axis=1).min() < 0.03 * 620 / cells


def test_a_small_kingdom_is_looked_at_from_near() -> None:
    corners = table(24, 0.3, (1500, 400), 7)
    (found,) = located(corners, WH)
    assert found.seen.sum() == 49
    centers = corners.mean(1)
    for point in found.centers_xy[found.seen]:
        assert np.linalg.norm(centers - point, axis=1).min() < 1.5


def test_two_kingdoms_far_from_each_other() -> None:
    one, two = table(60, 0.3, (400, 400)), table(50, 1.0, (1500, 1000), 4)
    found = located(np.concatenate([one, two]), WH)
    assert [int(f.seen.sum()) for f in found] == [25, 16]


def test_refused_squares_take_part_in_no_lattice() -> None:
    one, two = table(70, 0.1, (250, 250)), table(70, 0.7, (700, 600))
    assert len(located(np.concatenate([one, two]), (1000, 1000))) == 2
    (left,) = searched(np.concatenate([one, two]), (1000, 1000)).others(one.mean(1))
    near = np.linalg.norm(left.centers_xy[left.seen][:, None] - two.mean(1), axis=-1).min(1)
    assert left.seen.sum() == 25 and near.max() < 10


@pytest.mark.parametrize("slant", [(1.0, 0.5), (0.5, 1.0)])
def test_what_a_squeezed_photo_shows_lies_where_it_is_in_the_photo(
    slant: tuple[float, float],
) -> None:
    middle = np.array([700.0, 420.0])
    corners = (table(120, 0.4, (0, 0)) * slant) + middle
    found = searched(corners, (1200, 900)).slanted()
    assert found and found[0].seen.sum() == 25
    away = np.linalg.norm(found[0].centers_xy[found[0].seen][:, None] - corners.mean(1), axis=-1)
    assert away.min(1).max() < 6 and set(away.argmin(1)) == set(range(25))


def test_a_photo_with_few_sure_patches_is_not_squeezed() -> None:
    assert searched(table(24, 0.3, (1500, 400)), WH).slanted() == ()


def test_a_small_kingdom_beside_a_larger_one_is_kept_when_that_is_looked_at_from_near() -> None:
    """Both lie in one region: the second look is at the larger one alone."""
    one, two = table(30, 0.3, (1000, 500), 5), table(30, 0.9, (1230, 560), 4)
    found = located(np.concatenate([one, two]), WH)
    assert [int(f.seen.sum()) for f in found] == [25, 16]


def test_a_picture_that_is_the_board_itself() -> None:
    (found,) = located(table(100, 0, (249.5, 249.5)), (500, 500))
    inner = found.centers_xy[1:-1, 1:-1]
    np.testing.assert_allclose(inner, lattice_points(5, 5) * 100 + 49.5, atol=2)


def test_nothing_is_found_where_nothing_votes() -> None:
    assert located(np.zeros((0, 4, 2)), (800, 600)) == ()


def test_votes_lie_on_squares_and_point_at_their_centres() -> None:
    corners = table(64, 0, (200, 200), 3)
    votes = vote_targets(corners, (384, 384))
    assert votes.shape == (6, 48, 48)
    rows, cols = np.nonzero(votes[0])
    assert len(rows) == (3 * 64 / STRIDE) ** 2
    points = (np.stack([cols, rows], 1) + votes[1:3, rows, cols].T + 0.5) * STRIDE - 0.5
    away = np.linalg.norm(points[:, None] - corners.mean(1)[None], axis=-1).min(1)
    assert away.max() < 0.01
    np.testing.assert_allclose(votes[5, rows, cols], np.log(64 / STRIDE), atol=1e-4)
    np.testing.assert_allclose(votes[3, rows, cols], 1, atol=1e-4)


def test_what_a_larger_lattice_hides_is_kept_for_later() -> None:
    """The same kingdom as it was seen from afar, here; from above it is no worse."""
    search = searched(table(60, 0.3, (400, 400)), WH)
    (found,) = search.lattices()
    (passed,) = search.suppressed()
    assert not search.suppressed(
        [np.array([(200, 200), (600, 200), (600, 600), (200, 600)], float)]
    )
    assert found.seen.sum() == passed.seen.sum() == 25
    assert np.ptp(passed.centers_xy - found.centers_xy) < 3


def test_a_lattice_beside_all_tiles_looks_bare() -> None:
    search = searched(table(80, 0.0, (400, 400)), WH)
    seen = np.ones((5, 5), bool)
    there, beside = (lattice_points(5, 5) * 80 + at for at in (240.0, (1400.0, 900.0)))
    assert not search.looks_bare(Lattice(there, seen))
    assert search.looks_bare(Lattice(beside, seen))


def test_what_was_seen_beside_a_kingdom_is_asked_again_by_itself() -> None:
    """Dominoes that lie loose are not."""
    one, two = table(60, 0.3, (400, 400)), table(60, 0.9, (860, 450), 4)
    search = searched(np.concatenate([one, two, table(60, 0.0, (1500, 1000), 2)]), WH)
    search.lattices()
    around = np.array([(180, 180), (620, 180), (620, 620), (180, 620)], float)
    (rest,) = search.rest([around])
    assert rest.seen.sum() == 16 and np.linalg.norm(rest.centers_xy.mean((0, 1)) - (860, 450)) < 9
    assert search.rest([around, around + (460, 50)]) == ()


def test_kingdoms_side_by_side_are_looked_at_from_near_one_by_one() -> None:
    """Together they fill the picture."""
    one, two = table(75, 0.0, (650, 700), 7), table(75, 0.1, (1235, 700), 7)
    search = searched(np.concatenate([one, two]), WH)
    found = search.lattices()
    assert [int(f.seen.sum()) for f in found] == [49, 49]
    assert len(search._seen) > 1, "not from afar alone"


def test_a_kingdom_that_was_not_found_is_noticed() -> None:
    """One that the picture's edge cuts off is not looked for."""
    search = searched(np.concatenate([table(80, 0.3, (500, 500)), table(80, 0, (1400, 900))]), WH)
    one, two = (np.array(at) + 260 * UNIT * 2 for at in ((500, 500), (1400, 900)))
    assert search.many_left([]) and search.many_left([one]) and not search.many_left([one, two])
    assert search.many_left([one], 80) and not search.many_left([one], 300), "these lie loose"
    assert not searched(table(80, 0.0, (60, 700)), WH).many_left([])


def test_a_kingdom_beside_another_is_seen_with_the_table_laid_flat() -> None:
    """By the plane of the one that was found."""
    one, two = table(80, 0.3, (600, 600)), table(70, 0.9, (1300, 1000))
    search = searched(np.concatenate([one, two]), WH)
    around = np.array((600, 600)) + 300 * UNIT * 2
    centers = lattice_points(5, 5) * 80 + (440, 440)
    (beside,) = search.beside(centers, [around])
    assert beside.seen.sum() == 25
    assert np.linalg.norm(beside.centers_xy.mean((0, 1)) - (1300, 1000)) < 9
    assert search.beside(centers, [around, np.array((1300, 1000)) + 300 * UNIT * 2]) == ()


def test_one_that_is_too_steep_to_be_seen_is_where_the_table_is_laid_flat() -> None:
    slant = np.array([1.0, 0.6])
    corners = np.concatenate([table(90, 0.1, (500, 700)), table(90, 0.7, (1300, 900))]) * slant
    search = searched(corners, WH, narrowest=12)
    centers = table(90, 0.1, (500, 700)).mean(1).reshape(5, 5, 2) * slant
    assert not search.lattices()
    (beside,) = search.beside(centers, [(np.array((500, 700)) + 300 * UNIT * 2) * slant])
    assert np.linalg.norm(beside.centers_xy.mean((0, 1)) - slant * (1300, 900)) < 9


def test_a_photo_in_which_patches_are_only_likely_to_be_tiles_is_squeezed() -> None:
    """Seen at a slant, a large kingdom had 11 patches that surely were."""
    corners = table(120, 0.4, (700, 420)) * (1.0, 0.5)
    search = searched(corners, (1200, 900), sure=1.0)
    assert search.slanted()
    around = np.array([(350, 50), (1050, 50), (1050, 400), (350, 400)], float)
    assert not search.slanted([around]), "nothing is looked for where all is known"
