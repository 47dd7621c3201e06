"""The range of totals that a person is shown."""

from __future__ import annotations

from kdscan.records import range_of


def test_what_is_hardly_likely_is_left_out() -> None:
    assert range_of(((30, 0.7), (34, 0.2), (28, 0.004), (50, 0.003))) == (28, 34)


def test_a_doubt_that_is_settled_as_read_never_widens_the_range() -> None:
    """Only boards without it lose: what agrees with it becomes likelier with the total read."""
    before = ((30, 0.7), (34, 0.2), (28, 0.0036), (50, 0.0034))
    after = tuple((total, p / 0.72) for total, p in before if total != 34)
    assert range_of(before) == (28, 34)
    assert range_of(after) == (28, 30)
