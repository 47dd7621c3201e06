"""Numbers of the standings as people read them."""

from __future__ import annotations

import pytest

from kdscan.tournament.words import half, signed


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
