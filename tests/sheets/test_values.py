"""Values that the JSON of all kinds shares."""

from __future__ import annotations

import numpy as np

from kdscan.sheets.common import place_from, place_json, point_json, probability_json, rounded
from tests.readings import make_sheet


def test_numbers_have_as_many_digits_as_they_mean() -> None:
    assert point_json((1.26, 803.04)) == [1.3, 803.0]
    assert probability_json(0.98765432) == 0.9877
    assert rounded(np.array([[1 / 3], [123456789]])) == [[0.3333333], [123456800]]


def test_a_place_is_its_json_and_back() -> None:
    place = make_sheet().rectified
    again = place_from(place_json(place))
    assert again.bgr.tolist() == [[[0, 0, 0]]]
    assert np.array_equal(again.centers_xy, place.centers_xy)
    assert np.array_equal(again.outline_xy, place.outline_xy)
    assert (again.px_per_cell, again.confidence) == (place.px_per_cell, place.confidence)
