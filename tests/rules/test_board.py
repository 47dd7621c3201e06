"""Boards as text and their score."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kdscan.rules import Outcome, TextError, outcome
from kdscan.rules.duel.board import (
    CASTLE,
    CELLS,
    Board,
    Coat,
    Shield,
    domain_points,
    score_board,
)
from tests.rules.boards import boards

TEXT = """\
.   d   dd++ .    .  .   .
.   l+  ll   .    .  .   .
.   f   c    ##   .  .   .
.   .   .    .    .  .   f+++
.   .   .    .    .  .   f"""


def test_text_form() -> None:
    board = Board.parse(TEXT)
    assert board[0, 2] == Shield(Coat.DOUBLE_DOT, 2)
    assert board[3, 6] == Shield(Coat.FILLED, 3)
    assert [str(shield) for shield in board.values()] == [
        "d",
        "dd++",
        "l+",
        "ll",
        "f",
        "c",
        "f+++",
        "f",
    ]
    assert repr(board).startswith("Board.parse('.")


@given(boards)
def test_text_round_trip(board: Board) -> None:
    again = Board.parse(str(board))
    assert again == board
    assert hash(again) == hash(board) == hash(board)
    assert str(again) == str(board)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "5 rows, not 0"),
        (TEXT + "\n. . . . . . .", "5 rows, not 6"),
        (TEXT.replace("f+++", ""), "row 4 has 6 squares"),
        (TEXT.replace("##", "."), "D3: the castle '##' stands at D3 and nowhere else"),
        (TEXT.replace("f+++", "##"), "G4: the castle '##' stands at D3 and nowhere else"),
        (TEXT.replace("f+++", "x+"), "G4: 'x+' is not a coat"),
        (TEXT.replace("f+++", "++"), "is not a coat"),
    ],
)
def test_what_is_no_board_is_refused(text: str, message: str) -> None:
    with pytest.raises(TextError, match=re.escape(message)):
        Board.parse(text)


def test_a_board_holds_shields_only() -> None:
    with pytest.raises(ValueError, match="no shield"):
        Board({CASTLE: Shield(Coat.DOT)})
    with pytest.raises(ValueError, match="no shield"):
        Board({(0, 7): Shield(Coat.DOT)})
    with pytest.raises(ValueError, match="-1 crosses"):
        Shield(Coat.DOT, -1)


# Score: "the number of high dignitaries (crosses) in that domain multiplied by the number
# of its coats of arms" (seed 002, "Object of the Game").


def test_the_filled_wizard_pays_domains_without_crosses_too() -> None:
    """Seed 000: "Taka posiadłość przyniesie 3 punkty, nawet jeżeli nie ma w niej żadnych
    krzyżyków."""
    score = score_board(Board.parse(TEXT), chosen_coat=Coat.FILLED)
    assert (score.wizard, score.total) == (6, 15)
    assert score_board(Board.parse(TEXT), chosen_coat=Coat.DOT).wizard == 3
    assert score_board(Board(), chosen_coat=Coat.DOT).total == 0


@given(boards)
def test_marks_are_worth_what_their_board_is(board: Board) -> None:
    shields = [board.get(cell) for cell in CELLS]
    marks = [(None, 1) if one is None else (one.coat, one.crosses) for one in shields]
    assert domain_points(marks) == score_board(board).domain_points


@given(boards)
def test_score_does_not_change_when_the_map_is_turned_or_mirrored(board: Board) -> None:
    total = score_board(board).total
    for rows, cols in ((-1, 1), (1, -1), (-1, -1)):
        turned = Board(
            {(2 + rows * (r - 2), 3 + cols * (c - 3)): shield for (r, c), shield in board.items()}
        )
        score = score_board(turned)
        assert score.total == total
        assert score.worth.largest_domain == score_board(board).worth.largest_domain


@given(boards, st.none() | st.sampled_from(Coat))
def test_score_agrees_with_painting_from_shield_to_shield(board: Board, coat: Coat | None) -> None:
    """Each shield takes the least label beside it of its own coat until none changes."""
    label = {cell: n for n, cell in enumerate(CELLS)}
    for _ in CELLS:
        for (r, c), shield in board.items():
            for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                if board.get(near) is not None and board[near].coat is shield.coat:
                    label[r, c] = min(label[r, c], label[near])
    total = sum(
        sum(label[one] == label[cell] for one in board) * board[cell].crosses for cell in board
    )
    paid = {label[cell] for cell in board if board[cell].coat is coat}
    score = score_board(board, coat)
    assert score.total == total + 3 * len(paid)
    assert len(score.domains) == len({label[cell] for cell in board})


@given(boards)
def test_score_is_the_sum_of_its_domains_alone(board: Board) -> None:
    score = score_board(board)
    alone = [score_board(Board({c: board[c] for c in d.cells})) for d in score.domains]
    assert score.total == sum(one.total for one in alone)
    assert all(len(one.domains) == 1 for one in alone)
    assert sorted(c for d in score.domains for c in d.cells) == sorted(board)
    assert set(CELLS) >= set(board)


# Who wins: "In the case of a tie, the player who has built the most extensive domain wins
# the game. If a tie persists, the game ends in a draw" (seed 002).


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("l+ . . . . . .", Outcome((0,), "score")),
        ("l++ . l+ . . . .", Outcome((1,), "score")),
        ("l+ l+ . . f . .", Outcome((1,), "score")),
        ("l++ . . . . . .", Outcome((0,), "largest_domain")),
        ("l++ . l . l . .", Outcome((0,), "largest_domain")),
        ("l+ l . . . f .", Outcome((0, 1), "draw")),
        ("l+ l f f f . .", Outcome((1,), "largest_domain")),
    ],
)
def test_who_wins(row: str, expected: Outcome) -> None:
    blank = ". . . . . . ."
    middle = "\n".join([blank, ". . . ## . . .", blank, blank])
    first = score_board(Board.parse(f"d+ d . . . . .\n{middle}"))
    second = score_board(Board.parse(f"{row}\n{middle}"))
    assert outcome((first, second)) == expected
