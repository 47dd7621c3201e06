"""Spellbooks as text."""

from __future__ import annotations

import pytest

from kdscan.rules import TextError
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.spellbook import (
    GameNotes,
    SpellbookLine,
    read_books,
    write_book,
)

TWO = "# player 1: castle used; spellbook dot 5 used l 2\nplayer 2: spellbook d 3 struck f 3"


def test_spellbooks_round_trip() -> None:
    games = [play_game(seed) for seed in range(40)]
    assert any(game.spellbook.chosen_coat for game in games)
    text = "\n\n".join(write_book(game.spellbook, game.castle_used) for game in games)
    assert read_books(text) == [GameNotes(game.spellbook, game.castle_used) for game in games]


def test_a_spellbook_by_hand() -> None:
    (told,) = read_books(f"a line that is none\n{TWO}\n# player 2 chose dd\n. . .")
    assert told.book is not None and told.castle_used == (True, None)
    left, right = told.book.lines
    assert left[Coat.DOT] == SpellbookLine(5, used=True) and left[Coat.LINE].filled == 2
    assert right[Coat.DOT] == SpellbookLine(3, struck=True)
    assert right[Coat.CHECKED] == SpellbookLine()
    assert told.chosen_by(1) is Coat.DOUBLE_DOT and told.chosen_by(0) is None
    assert GameNotes(None).chosen_by(0) is None
    assert read_books("# two maps\n. d d") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("player 2: spellbook dot 1", "line 1: the lines of players 1 and 2 must alternate"),
        ("player 1: spellbook dot 1", "player 2's lines are missing at the end"),
        ("player 1: spellbook spot 1", "line 1: spot is not a coat; choose one of dot, double_dot"),
        ("player 1: spellbook dot 6", "line 1: dot has 0 to 5 squares filled, not 6"),
        pytest.param(
            f"player 1: spellbook dot {'9' * 5000}", "line 1: dot has 0 to 5 squares", id="long"
        ),
        (f"{TWO}\nplayer 1 chose dot", "line 3: player 1 did not win"),
        ("player 1 chose dot", "line 1: a choice must come after both players' lines"),
    ],
)
def test_wrong_spellbooks_are_refused(text: str, message: str) -> None:
    with pytest.raises(TextError) as refused:
        read_books(text)
    assert message in str(refused.value)
