"""Places of a spellbook and their texts."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.spellbook import BookPlace, Part


def test_a_place_is_its_text_and_back() -> None:
    places = [
        BookPlace(player, coat, part, square)
        for player, coat, part in product((0, 1), Coat, get_args(Part))
        for square in ((0, 7) if part == "square" else (0,))
    ]
    texts = list(map(str, places))
    assert [BookPlace.parse(text) for text in texts] == places
    assert len(set(texts)) == len(texts)
    assert "players[0].lines.double_dot.squares[7]" in texts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "players[2].choices.dot",
        "players[0].choices.moon",
        "players[0].lines.dot.squares[]",
        "players[0].lines.dot.squares[99999999]",
        "players[0].lines.dot.used ",
        "players[0].lines.dot",
    ],
)
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"place of a spellbook|not a valid Coat"):
        BookPlace.parse(text)
