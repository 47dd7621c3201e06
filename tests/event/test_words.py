"""Numbers of the standings as people read them."""

from __future__ import annotations

import pytest

from kdscan.event.words import half, signed, so_far
from kdscan.i18n import words


@pytest.mark.parametrize(
    ("spread", "text"), [(12, "+12"), (-5, "−5"), (0, "0"), (0.0, "0"), (-3.34, "−3.3")]
)
def test_spreads_have_their_sign(spread: float, text: str) -> None:
    assert signed(spread) == text


@pytest.mark.parametrize(
    ("score", "text"), [(0, "0"), (0.5, "½"), (2, "2"), (2.5, "2½"), (4 / 3, "1.33")]
)
def test_halves_are_halves(score: float, text: str) -> None:
    assert half(score) == text


def test_a_round_that_is_played_is_not_over() -> None:
    en = words("en")
    assert so_far(en, 0, True, 5) == "before round 1"
    assert so_far(en, 2, False, None) == "during round 2"
    assert so_far(en, 2, False, 5) == "during round 2 of 5"
    assert so_far(en, 2, True, 5) == "after round 2 of 5"
