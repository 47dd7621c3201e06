"""What rules a split out by its shape alone: sound against every order found, and of use."""

from __future__ import annotations

import random

import pytest

from kdscan.game.duel.audit.chances import Chances
from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.idling import arrange_idling
from kdscan.game.duel.audit.moments import Needs
from kdscan.game.duel.audit.order import Plan, arrange
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.audit.tilings import plans
from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import number
from tests.game.test_idling import COATS, ringed, some_plans

ISLE = Board.parse(
    """\
    .  .  .  .  .  .  .
    .  d  d  .  .  c  c
    .  d  d  ## .  .  .
    .  .  .  .  .  .  .
    .  .  .  .  .  .  ."""
)
"""Four dots beside the castle, and a domino that only the dot's wizard opens."""


def calls(board: Board, apart: bool = False) -> tuple[Chances, list[Plan]]:
    return Chances(board, False), list(plans(Task(board, Bonus(), LAW), apart, True))


def test_the_dots_wizard_needs_his_dots_before_what_he_opens() -> None:
    chances, (plan, *_) = calls(ISLE)
    isle = 1 << number((1, 5)) | 1 << number((1, 6))
    assert chances.calls(plan) == ((Coat.DOT, isle, 0, False),)
    assert not chances.allow(chances.calls(plan), 0)
    near = ISLE.with_shield((0, 1), Shield(Coat.DOT)).with_shield((0, 2), Shield(Coat.DOT, 1))
    chances, (plan, *_) = calls(near)
    assert chances.allow(chances.calls(plan), 0)
    # The fifth dot beyond the sea comes too late.
    far = ISLE.with_shield((0, 5), Shield(Coat.DOT)).with_shield((0, 6), Shield(Coat.DOT))
    chances, (plan, *_) = calls(far)
    assert not chances.allow(chances.calls(plan), 0)


def test_one_shield_may_fill_under_the_checked_wizards_cross() -> None:
    five = ISLE.with_shield((0, 1), Shield(Coat.DOT, 1)).with_shield((0, 2), Shield(Coat.DOT, 1))
    chances, (plan, *_) = calls(five)
    called = chances.calls(plan)
    assert chances.allow(called, 1 << number((0, 1)))
    assert not chances.allow(called, 0)
    two = five.with_shield((1, 1), Shield(Coat.DOT, 1))
    chances, (plan, *_) = calls(two)
    assert not chances.allow(chances.calls(plan), 1 << number((0, 1)))


def test_the_checked_wizard_needs_three() -> None:
    board = ISLE.with_shield((0, 5), Shield(Coat.CHECKED, 1))
    assert not Chances(board, False).checked(None)
    assert Chances(board, False).checked((0, 5))
    # Beside the castle there is room, so nothing was obtained without room either.
    assert not Chances(board, True).checked(None)


def test_shields_are_told_apart_by_coat_and_cross_into_the_corner() -> None:
    board = ISLE.with_shield((0, 0), Shield(Coat.LINE)).with_shield((1, 1), Shield(Coat.DOT, 1))
    chances = Chances(board, False)
    for coat in Coat:
        own = [cell for cell, shield in board.items() if shield.coat is coat]
        assert chances.coats[coat] == sum(1 << number(cell) for cell in own)
        assert chances.plain[coat] == sum(1 << number(c) for c in own if not board[c].crosses)


def test_the_checked_wizard_counts_the_corner_as_it_is() -> None:
    plain = ISLE.with_shield((0, 0), Shield(Coat.CHECKED))
    assert Chances(plain, False).checked(None)
    crossed = ISLE.with_shield((0, 0), Shield(Coat.CHECKED, 1))
    assert not Chances(crossed, False).checked(None)
    assert Chances(crossed, False).checked((0, 0))


def test_dice_apart_call_the_lines_wizard_and_wait_for_the_dots() -> None:
    lines = ISLE.with_shield((4, 0), Shield(Coat.LINE)).with_shield((0, 5), Shield(Coat.CHECKED))
    chances = Chances(lines, False)
    near, far, lone = (number(cell) for cell in ((1, 1), (0, 5), (4, 0)))
    isle = 1 << number((1, 5)) | 1 << number((1, 6))
    dots = (near, number((1, 2))), (number((2, 1)), number((2, 2)))
    over = number((1, 5)), number((1, 6))
    both = 1 << far | 1 << lone
    # One die joins what lies beyond, and the other nothing: both come after the dot's wizard.
    plan = Plan((*dots, over, (far, lone)), (far, lone), True)
    assert chances.calls(plan) == (
        (Coat.LINE, both, 0, True),
        (Coat.DOT, isle | both, 0, False),
    )
    assert chances.calls(Plan(plan.pieces, plan.apart, False)) == ((Coat.LINE, both, 0, False),)
    # Both dice join the castle's part: they may have come before.
    beside = Plan((*dots[1:], over, (near, number((1, 2)))), (near, number((1, 2))), True)
    pair = 1 << near | 1 << number((1, 2))
    assert chances.calls(beside) == (
        (Coat.LINE, pair, 0, True),
        (Coat.DOT, isle, pair, False),
    )


def closes(board: Board, later: int = 0, alone: int = 0, apart: bool = False) -> bool:
    """Whether the line's wizard may have been won where lines had no room."""
    return Chances(board, True).allow(((Coat.LINE, later, alone, apart),), 0)


RING = Board.parse(
    """\
    .  .  .  .  .  .  .
    .  .  f  f  f  .  .
    .  .  f  ## f  .  .
    .  .  f  f  f  .  .
    .  .  .  .  .  .  ."""
)


def test_a_coat_has_no_room_where_nothing_beside_it_or_the_castle_is_free() -> None:
    assert closes(RING)
    assert not closes(RING.with_shield((1, 3), None))
    # A line has room beside itself, and without that shield the castle has.
    assert not closes(RING.with_shield((1, 3), Shield(Coat.LINE)))
    # One that is not needed may come later, and so may what lies beside it.
    assert closes(RING.with_shield((0, 3), Shield(Coat.LINE)))
    assert closes(RING, later=1 << number((1, 2)))
    assert not closes(RING, later=1 << number((1, 3)))


def test_a_shield_without_any_beside_it_is_not_there_unless_drawn_alone() -> None:
    bare = RING
    for cell in ((1, 2), (1, 4)):
        bare = bare.with_shield(cell, None)
    assert not closes(bare)
    assert closes(bare, alone=1 << number((1, 3)))


def test_a_line_in_the_corner_has_no_more_room_than_elsewhere() -> None:
    """The shields that close the square left of the castle in reach it through that corner."""
    board = Board.parse(
        """\
        l  f  f  .  .  .  .
        f  .  f  f  f  .  .
        f  f  .  ## f  .  .
        .  .  f  f  f  .  .
        .  .  .  .  .  .  ."""
    )
    assert closes(board)
    assert not closes(board.with_shield((0, 0), None))


AROUND = Board.parse(
    """\
    .  .  .  f  f  .  .
    .  f  f  .  f  f  .
    .  f  .  ## .  f  .
    .  .  f  f  f  .  .
    .  .  .  .  .  .  ."""
)
"""Three squares beside the castle are free and lie alone, by shields that do not reach it."""


def test_only_the_dots_wizard_closes_the_castle_in_from_afar() -> None:
    assert closes(AROUND, apart=True)
    assert not closes(AROUND)
    below = AROUND
    for cell in ((3, 3), (3, 2), (3, 4)):
        below = below.with_shield(cell, None)
    for cell in ((3, 1), (3, 2), (4, 2), (4, 3), (3, 5), (3, 4)):
        below = below.with_shield(cell, Shield(Coat.FILLED))
    assert closes(below, apart=True)
    assert not closes(below)


@pytest.mark.parametrize("obtained", [True, False])
def test_never_rules_out_what_has_an_order(obtained: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for coat in COATS:
        monkeypatch.setitem(SQUARES, coat, 3)
    rng = random.Random(3 + obtained)
    ruled_out = found = 0
    for _ in range(300):
        for task, plan in some_plans(rng):
            chances = Chances(task.board, obtained)
            i = task.wizard_cell
            covered = 1 << i if i >= 0 and task.halves[i].counts else 0
            called = chances.calls(plan)
            allowed = chances.allow(called, covered)
            if task.bonus.wizard is not None:
                allowed &= chances.checked(task.bonus.wizard if covered else None)
            order = arrange(task, plan) or (
                arrange_idling(task, plan, Needs(obtained)) if obtained else None
            )
            if order is not None:
                found += 1
                assert allowed, f"\n{task.board}\n{plan}\n{task.bonus}"
            ruled_out += not allowed
    assert found > 100 and ruled_out > 100, (found, ruled_out)


def test_the_part_without_the_castle_leaves_enough_dots() -> None:
    """Against all splits, of which those are left out that lose too many dots."""
    rng = random.Random(4)
    left_out = kept = 0
    for _ in range(100):
        board = ringed(rng, rng.choice((4, 6, 8)))
        for cell in rng.sample(list(board), 2):
            board = board.with_shield(cell, Shield(board[cell].coat, 1))
        task, chances = Task(board, Bonus(), LAW), Chances(board, False)
        apart = rng.random() < 0.5
        every = list(plans(task, apart, True))
        for spare in (0, 1, 3):
            some = [
                plan
                for plan in every
                if (chances.plain[Coat.DOT] & chances._lost(plan)).bit_count() <= spare
            ]
            assert list(plans(task, apart, True, spare)) == some, f"\n{board}\n{apart} {spare}"
            left_out += len(every) - len(some)
            kept += len(some)
    assert min(left_out, kept) > 50, (left_out, kept)
