from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.rules.duel.board import SQUARES, Board, Coat, Shield
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.spellbook import (
    Spellbook,
    SpellbookLine,
    book_problems,
    map_problems,
    whose_maps,
)

EMPTY = dict.fromkeys(Coat, SpellbookLine())


def book(
    left: dict[Coat, SpellbookLine] | None = None,
    right: dict[Coat, SpellbookLine] | None = None,
    chosen: Coat | None = None,
) -> Spellbook:
    return Spellbook((EMPTY | (left or {}), EMPTY | (right or {})), chosen)


def codes(problems: object) -> list[str]:
    return sorted(problem.code for problem in problems)  # type: ignore[attr-defined]


def full(coat: Coat, **marks: bool) -> SpellbookLine:
    return SpellbookLine(SQUARES[coat], **marks)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), rounds=st.integers(1, 40))
def test_played_games_contradict_nothing(seed: int, rounds: int) -> None:
    game = play_game(seed, rounds=rounds)
    assert book_problems(game.spellbook) == ()
    for player in (0, 1):
        found = map_problems(game.spellbook, player, game.maps[player], game.castle_used[player])
        assert found == ()


@pytest.mark.parametrize(
    ("left", "right", "chosen", "code"),
    [
        ({Coat.DOT: full(Coat.DOT)}, {}, None, "not_struck"),
        ({Coat.DOT: full(Coat.DOT)}, {Coat.DOT: full(Coat.DOT)}, None, "both_filled"),
        ({Coat.DOT: SpellbookLine(2, struck=True)}, {}, None, "struck_too_soon"),
        ({Coat.LINE: SpellbookLine(2, used=True)}, {}, None, "power_not_won"),
        ({}, {}, (None, Coat.DOT), "choice_not_won"),
        (
            {Coat.FILLED: full(Coat.FILLED)},
            {Coat.FILLED: SpellbookLine(0, struck=True)},
            (None, None),
            "no_choice",
        ),
        (
            {Coat.DOT: full(Coat.DOT, struck=True)},
            {Coat.DOT: full(Coat.DOT, struck=True)},
            None,
            "both_filled",
        ),
        ({Coat.DOT: full(Coat.DOT, struck=True)}, {}, None, "filled_and_struck"),
    ],
)
def test_what_no_game_leaves_is_named(
    left: dict[Coat, SpellbookLine],
    right: dict[Coat, SpellbookLine],
    chosen: tuple[Coat | None, Coat | None] | None,
    code: str,
) -> None:
    assert code in codes(book_problems(book(left, right), chosen))


def test_squares_beyond_the_shields_of_a_map_are_named_with_their_shields() -> None:
    board = Board(
        {(4, 6): Shield(Coat.LINE), (0, 0): Shield(Coat.DOT, 0), (0, 1): Shield(Coat.DOT, 1)}
    )
    (problem,) = map_problems(book({Coat.DOT: SpellbookLine(2)}), 0, board, False)
    assert problem.code == "squares_beyond_map"
    assert problem.severity == "warning"  # one edition counts what was obtained, drawn or not
    assert problem.cells == ((0, 0), (0, 1))
    assert map_problems(book({Coat.DOT: SpellbookLine(1)}), 0, board, False) == ()


def test_the_checked_wizards_cross_may_lie_on_a_coat_that_filled_a_square() -> None:
    board = Board({(0, 0): Shield(Coat.DOT, 1)})
    won = {Coat.CHECKED: full(Coat.CHECKED, used=True), Coat.DOT: SpellbookLine(1)}
    named = [p.message for p in map_problems(book(won), 0, board, False)]
    assert not any("squares for dot" in message for message in named)


@pytest.mark.parametrize(
    ("crosses", "castle", "wizard", "named"),
    [(2, False, False, False), (3, False, False, True), (3, True, False, False),
     (4, True, False, True), (4, True, True, False), (3, None, False, False)],
)  # fmt: skip
def test_crosses_need_the_help_that_gives_them(
    crosses: int, castle: bool | None, wizard: bool, named: bool
) -> None:
    board = Board({(0, 0): Shield(Coat.FILLED, crosses)})
    lines = {Coat.CHECKED: full(Coat.CHECKED, used=True)} if wizard else {}
    found = codes(map_problems(book(lines), 0, board, castle))
    assert ("crosses_beyond_powers" in found) == named


def test_whose_map_is_told_from_the_squares() -> None:
    """Of games in which anything was filled, all are told; that is how the weights were made."""
    told, wrong = 0, 0
    for seed in range(5000, 5030):
        game = play_game(seed)
        for maps, straight in ((game.maps, (0, 1)), (game.maps[::-1], (1, 0))):
            sides, sure = whose_maps(game.spellbook, maps)
            told += sure > 0.98
            wrong += sides != straight
    assert wrong == 0
    assert told >= 56
