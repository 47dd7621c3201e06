"""Squares are compared with the table."""

from __future__ import annotations

import numpy as np

from kdscan.imaging.picture import FLAT_MARGIN, Floats, RectifiedSheet, lattice_points
from kdscan.rules.kingdomino.kingdom import EMPTY, SQUARE_CLASSES
from kdscan.sheets.kingdom.interpret import SURELY_COVERED
from kdscan.sheets.kingdom.lattice import SIDE_PX, adjust_for_table, unlike_table

WHEAT = SQUARE_CLASSES.index(("wheat", 0))


OAK, GOLD = (90, 130, 170), (40, 190, 230)


def flat(looks: list[list[tuple[int, int, int]]]) -> RectifiedSheet:
    """A picture of places of these colours, a little uneven."""
    rim = round(FLAT_MARGIN * SIDE_PX)
    picture = np.kron(np.array(looks, np.uint8), np.ones((SIDE_PX, SIDE_PX, 1), np.uint8))
    padded = np.pad(picture, ((rim, rim), (rim, rim), (0, 0)), mode="edge")
    noise = np.random.default_rng(0).integers(-3, 4, padded.shape[:2])
    centers = lattice_points(len(looks), len(looks[0])) * 50.0
    seen = np.clip(padded + noise[..., None], 0, 255).astype(np.uint8)
    return RectifiedSheet(seen, centers, np.zeros((4, 2)), 50.0, 1.0)


def certainty(tile: list[list[float]]) -> Floats:
    """Probabilities: wheat so probably, else no tile."""
    out = np.zeros((len(tile), len(tile[0]), len(SQUARE_CLASSES)))
    out[..., WHEAT], out[..., EMPTY] = tile, 1 - np.array(tile)
    return out


def test_a_place_that_looks_like_the_table_is_table() -> None:
    before = certainty([[0.01, 0.02, 0.01, 0.7, 0.7]])
    told = adjust_for_table(before, flat([[OAK, OAK, OAK, OAK, GOLD]]), np.ones((1, 5), np.bool_))
    assert told[0, 3, EMPTY] > 0.99
    assert told[0, 4, WHEAT] > 0.7
    np.testing.assert_allclose(told.sum(-1), 1)


def test_without_table_in_view_pictures_decide() -> None:
    """Where a square was seen, or beyond the photo's edge, nothing is known of the table."""
    before = certainty([[0.01, 0.01, 0.01, 0.7]])
    unseen = np.array([[True, False, False, False]])
    np.testing.assert_array_equal(adjust_for_table(before, flat([[OAK] * 4]), unseen), before)


def test_what_looks_unlike_the_table_is_told_from_table() -> None:
    looks = [[OAK] * 5 for _ in range(5)]
    looks[1][1] = looks[1][2] = (40, 40, 200)
    looks[3][3] = GOLD
    bare = np.ones((5, 5), np.bool_)
    bare[3, 3] = False
    probs = certainty(np.where(bare, 0.01, 0.99).tolist())
    far = unlike_table(probs, flat(looks), bare, bare)
    assert far[1, 1] > SURELY_COVERED and far[1, 2] > SURELY_COVERED, "a thing over two places"
    assert far[3, 3] == 0, "a tile"
    far[1, 1:3] = 0
    assert far.max() < 0.5, "table"
