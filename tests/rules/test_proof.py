"""Why a map is impossible: every kind of problem, word for word, and the shields it names."""

from __future__ import annotations

import random
from itertools import product

import pytest

from kdscan.rules.duel.audit import audit_map
from kdscan.rules.duel.audit.shields import THE_DICE, Half
from kdscan.rules.duel.audit.smallest import shortages
from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.drawing import number
from kdscan.rules.duel.editions import FRENCH
from kdscan.rules.grid import Cell
from kdscan.rules.problem import Problem
from tests.rules.boards import EARLY
from tests.rules.rows import EMPTY_ROW, board_of


@pytest.mark.parametrize(
    ("rows", "castle", "told"),
    [
        (
            (". . . d+++++ d . .", ". . . ## . . .", EMPTY_ROW),
            None,
            Problem(
                "too_many_crosses",
                "error",
                "5 crosses, where no shield can have more than 4",
                ((1, 3),),
            ),
        ),
        (
            (". . . d+++ d . .", ". . . ## . . .", EMPTY_ROW),
            False,
            Problem(
                "bonus_crosses",
                "error",
                "a die brings 2 crosses at most, and castle and wizard do not make up for the rest",
                ((1, 3),),
            ),
        ),
        (
            # Four crosses are more than the castle makes up for; three might have been.
            (". . . d+++ d . .", ". . . ## . . .", ". . . l++++ l . ."),
            True,
            Problem(
                "bonus_crosses",
                "error",
                "a die brings 2 crosses at most, and castle and wizard do not make up for the rest",
                ((3, 3),),
            ),
        ),
        (
            (". . . d++ d . .", ". . . ## . . .", EMPTY_ROW),
            False,
            Problem(
                "bonus_crosses",
                "warning",
                "more bonus crosses than castle and wizard give: no die brings these crosses",
                ((1, 3),),
            ),
        ),
        (
            (". . . d d . .", ". . . ## . . .", EMPTY_ROW),
            True,
            Problem(
                "missing_cross",
                "error",
                "the roof is coloured or a wizard was used, but no cross shows for it",
            ),
        ),
        (
            (". . dd dd . . .", ". . . ## . . .", "l . . . . . ."),
            None,
            Problem(
                "unpaired_shields",
                "error",
                "no dominoes can cover this shield: every round fills two shields",
                ((3, 0),),
            ),
        ),
        (
            ("l l l l l l .", "l l l ## l l .", EMPTY_ROW),
            None,
            Problem(
                "unpaired_shields",
                "error",
                "no dominoes can cover these 11 shields: every round fills two shields, "
                "and 11 is odd",
                tuple(board_of("l l l l l l .", "l l l ## l l .", EMPTY_ROW)),
            ),
        ),
        (
            # Nothing is beside the two but the shield above the castle.
            (". . dd dd dd . .", ". . . ## . . .", EMPTY_ROW),
            None,
            Problem(
                "unpaired_shields",
                "error",
                "no dominoes can cover these 2 shields: every round fills two shields side by "
                "side, and only 1 lies beside these",
                ((1, 2), (1, 4)),
            ),
        ),
        (
            (". . . dd dd . .", ". . . ## . . .", "l f . . . . ."),
            None,
            Problem(
                "unconnected_domino",
                "error",
                "no domino with this shield touches the castle or an equal coat drawn in an "
                "earlier round",
                ((3, 0),),
            ),
        ),
        (
            (". . . d+ l+ . .", ". . . ## dd . .", ". . . . dd . ."),
            False,
            Problem(
                "dice",
                "warning",
                "no known dice make dominoes of this shield",
                ((1, 3),),
            ),
        ),
        (
            # Either pair takes the castle's cross.
            (". . . d+ l+ . .", ". . . ## . . .", ". . . d+ l+ . ."),
            True,
            Problem(
                "dice",
                "warning",
                "no known dice make dominoes of these 4 shields",
                ((1, 3), (1, 4), (3, 3), (3, 4)),
            ),
        ),
    ],
)
def test_problems_word_for_word(rows: tuple[str, ...], castle: bool | None, told: Problem) -> None:
    assert audit_map(board_of(*rows), castle).problems == (told,)


def test_a_wizard_too_early_word_for_word() -> None:
    (problem,) = audit_map(EARLY, False).problems
    assert (problem.code, problem.severity) == ("wizard_too_early", "error")
    assert problem.message == ("a wizard's help is needed before the spellbook can have granted it")
    assert 1 < len(problem.cells) < len(EARLY)


EMPTY_MAP = ". . . . . .\n" + "\n".join([EMPTY_ROW, ". . . ## . . .", EMPTY_ROW, EMPTY_ROW])

PAIRS: tuple[tuple[Cell, Cell], ...] = (
    ((2, 2), (2, 1)),
    ((2, 4), (2, 5)),
    ((1, 3), (0, 3)),
    ((3, 3), (4, 3)),
)
"""Four dominoes beside the castle, none of which touches another."""


def test_dice_are_blamed_for_the_fewest_shields() -> None:
    """On maps whose dominoes are given, against every place of the castle's cross."""
    rng = random.Random(15)
    rare = "d+ l+ f++ c++ dd+ ll+ l d++ f+++"
    marks = [Board.parse(f"{word} {EMPTY_MAP}")[0, 0] for word in rare.split()]
    sizes: dict[int, int] = {}
    for _ in range(500):
        pairs = rng.sample(PAIRS, rng.choice((2, 3)))
        board = Board({cell: rng.choice(marks) for pair in pairs for cell in pair})
        if sum(s == Shield(Coat.CHECKED) for s in board.values()) > 1:
            continue
        castle = rng.choice((None, True, False))
        audit = audit_map(board, castle)
        if [p.code for p in audit.problems] != ["dice"]:
            continue
        assert not _by_castle(board, pairs, castle)
        cells = audit.problems[0].cells
        never = [pair for pair in pairs if not _makes(board, pair, castle is not False)]
        if never:
            (cell,) = cells
            assert any(cell in pair for pair in never), f"\n{board}"
        else:
            assert cells == tuple(board)
        sizes[len(cells)] = sizes.get(len(cells), 0) + 1
    assert set(sizes) == {1, 4, 6} and min(sizes.values()) > 3, sizes


def _makes(board: Board, pair: tuple[Cell, Cell], less: int) -> bool:
    """Whether dice make a domino with up to so many of its crosses from elsewhere."""
    crosses = [range(board[cell].crosses + 1) for cell in pair]
    return any(
        sum(board[cell].crosses for cell in pair) - a - b <= less
        and THE_DICE.domino(Half(board[pair[0]].coat, a), Half(board[pair[1]].coat, b)).pairs
        for a, b in product(*crosses)
    )


def _by_castle(board: Board, pairs: list[tuple[Cell, Cell]], castle: bool | None) -> bool:
    places = [cell for cell in board if board[cell].crosses] if castle is not False else []
    options: list[Cell | None] = [*places] if castle else [None, *places]
    return any(
        all(
            THE_DICE.domino(
                *(Half(board[c].coat, board[c].crosses - (c == place), c == place) for c in pair)
            ).pairs
            for pair in pairs
        )
        for place in options
    )


def test_the_checked_wizards_cross_may_explain_either_of_two_dominoes() -> None:
    """No die brings both crosses; the wizard makes up for one of two, so all are blamed."""
    board = board_of(". . . d+ . . .", ". c c ## d+ l+ .", ". . . c . . .")
    board = board.with_shield((0, 3), Shield(Coat.LINE, 1))
    board = board.with_shield((4, 3), Shield(Coat.LINE))
    (problem,) = audit_map(board, False).problems
    assert (problem.code, problem.cells) == ("dice", tuple(board))


def test_the_checked_wizard_crosses_one_shield() -> None:
    """Three checked coats only where one of them got the cross; then no other shield has it."""
    board = board_of(". . c c . . .", ". . . ## c+ l .", ". . . d++ l . .")
    assert audit_map(board, False).lawful
    (problem,) = audit_map(board.with_shield((3, 3), Shield(Coat.DOT, 3)), False).problems
    assert (problem.code, problem.cells) == ("bonus_crosses", ((3, 3),))


def test_wizards_are_won_with_what_can_be_drawn() -> None:
    """The fifth line lies alone: only the wizard that it would win could draw it."""
    board = board_of(". l l . . . .", ". l l ## l . .", EMPTY_ROW)
    (problem,) = audit_map(board).problems
    assert (problem.code, problem.cells) == ("unpaired_shields", ((2, 4),))


def test_a_french_wizard_is_won_with_nothing_drawn_only_where_a_coat_had_no_room() -> None:
    """There is room beside the castle for all: no wizard lets the shield below it lie alone."""
    board = board_of(EMPTY_ROW, ". . . ## d dd .", ". . . d . . .")
    (problem,) = audit_map(board, edition=FRENCH).problems
    assert (problem.code, problem.cells) == ("unpaired_shields", ((3, 3),))


def test_the_dots_wizard_opens_what_wins_the_lines() -> None:
    """Dots beside the castle, lines beyond: with the line's wizard the filled coat beside the
    castle may lie alone, and only the checked one, which touches nothing, is to blame."""
    board = Board.parse(
        """.  .  .  .  .  .  .
           .  .  .  f  .  l  l
           d  d  d  ## .  l  l
           d  d  d  .  .  l  l
           .  .  .  c  .  .  ."""
    )
    assert [p.cells for p in audit_map(board).problems] == [((4, 3),)]
    fewer = board.with_shield((3, 1), None).with_shield((3, 2), None)
    assert [p.cells for p in audit_map(fewer).problems] == [((1, 3),)]


def test_two_shields_that_only_one_shield_connects() -> None:
    """The corner or the third of its row, but not both, makes a domino with the shield between."""
    board = Board.parse(
        """l d f .  . . .
           l d . .  . . .
           . d c ## . . .
           . . . .  . . .
           . . . .  . . ."""
    )
    (problem,) = audit_map(board).problems
    assert (problem.code, problem.cells) == ("unconnected_domino", ((0, 0), (0, 2)))


def test_dominoes_alone_say_which_shields_fail_on_a_large_map() -> None:
    """Hall's theorem knows a small set where searching by connection ends too early."""
    board = Board({cell: Shield(Coat.DOUBLE_DOT) for cell in CELLS if cell != (1, 2)})
    (problem,) = audit_map(board, False).problems
    filled = sum(1 << number(cell) for cell in board)
    known = min(cells.bit_count() for short, cells in shortages(filled, filled).items() if short)
    assert problem.code == "unpaired_shields" and len(problem.cells) == known < 17
    lines = Board({cell: Shield(Coat.LINE) for cell in CELLS if cell != (0, 0)})
    (problem,) = audit_map(lines, False).problems
    assert (problem.code, problem.cells) == ("unpaired_shields", tuple(lines))
