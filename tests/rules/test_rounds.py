"""Common rounds of two maps: those found are valid, and where they are ruled out there are none."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, permutations

import pytest

from kdscan.rules.duel.audit import replay
from kdscan.rules.duel.audit.pair import GameAudit, audit_game
from kdscan.rules.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import DICE, Face
from kdscan.rules.grid import Cell, neighbours
from tests.rules.boards import played
from tests.rules.rows import EMPTY_ROW, board_of

PAIRS = tuple(combinations(range(4), 2))


def check_rounds(maps: tuple[Board, Board], audit: GameAudit) -> None:
    """Draws both maps round by round, and finds dice for each."""
    assert audit.rounds is not None
    steps = [audit.audits[k].witness.steps for k in (0, 1)]  # type: ignore[union-attr]
    bonus = [audit.audits[k].witness for k in (0, 1)]
    drawn: list[dict[Cell, Shield]] = [{}, {}]
    for this in audit.rounds:
        shown: list[list[Shield] | None] = []
        for k in (0, 1):
            index = this[k]
            if index is None:
                shown.append(None)
                continue
            step = steps[k][index]
            assert not set(step.cells) & set(drawn[k])
            touching = [
                any(
                    n == CASTLE
                    or (
                        drawn[k].get(n, Shield(Coat.DOT, 9)).coat is maps[k][c].coat
                        and n in drawn[k]
                    )
                    for n in neighbours(c)
                )
                for c in step.cells
            ]
            assert step.power is Coat.DOT or any(touching)
            assert step.power is not Coat.LINE or all(touching)
            witness = bonus[k]
            assert witness is not None
            shown.append(
                [
                    Shield(
                        maps[k][c].coat,
                        maps[k][c].crosses - (c == witness.castle) - (c == witness.wizard),
                    )
                    for c in step.cells
                ]
            )
        assert any(
            all(
                _makes(dice, shields) if shields is not None else _cannot(dice, maps[k], drawn[k])
                for k, (dice, shields) in enumerate(zip((two, other), shown, strict=True))
            )
            for two, other in zip(PAIRS, reversed(PAIRS), strict=True)
        ), this
        for k in (0, 1):
            index = this[k]
            if index is not None:
                drawn[k].update({c: maps[k][c] for c in steps[k][index].cells})
    assert drawn == [dict(one) for one in maps]


def _makes(dice: tuple[int, int], shields: list[Shield]) -> bool:
    return any(
        all(_shows(DICE[die], shield) for die, shield in zip(order, shields, strict=True))
        for order in (dice, dice[::-1])
    )


def _shows(die: tuple[Face, ...], shield: Shield) -> bool:
    joker = shield.crosses == 0 and any(face.joker for face in die)
    return joker or Face(shield.coat, shield.crosses) in die


def _cannot(dice: tuple[int, int], board: Board, drawn: dict[Cell, Shield]) -> bool:
    """Whether those dice can show a domino that finds no room."""
    free = set(CELLS) - set(drawn)
    room = {cell for cell in free if free & set(neighbours(cell))}
    beside = {n for cell in room for n in neighbours(cell)}
    if CASTLE in beside:
        return False
    open_coats = {shield.coat for cell, shield in drawn.items() if cell in beside}
    return all(
        any(face.coat is not None and face.coat not in open_coats for face in DICE[die])
        for die in dice
    )


def test_rounds_of_played_games_are_rounds() -> None:
    idle = wizards = 0
    for seed in range(40):
        game = played(seed)
        audit = audit_game(game.maps, game.castle_used)
        check_rounds(game.maps, audit)
        assert audit.rounds is not None
        idle += any(None in this for this in audit.rounds)
        wizards += any(
            one.witness is not None and one.witness.wizard is not None for one in audit.audits
        )
    assert idle > 5


MARKS = [Shield(Coat.FILLED, 2), Shield(Coat.CHECKED, 2), Shield(Coat.FILLED), Shield(Coat.DOT)]
MARKS += [Shield(Coat.DOUBLE_DOT, 1), Shield(Coat.CHECKED), Shield(Coat.LINE, 1)]
MARKS += [Shield(Coat.FILLED, 1), Shield(Coat.DOUBLE_DOT, 2), Shield(Coat.FILLED, 3)]


def test_small_games_are_always_decided_and_rightly() -> None:
    """Against every way to share out dice in every order, on maps of two dominoes each."""
    rng = random.Random(6)
    answers = {True: 0, False: 0}
    cells = ((1, 3), (1, 4), (3, 3), (3, 4))
    for _ in range(300):
        one, two = (Board({cell: rng.choice(MARKS) for cell in cells}) for _ in range(2))
        if any([s.coat for s in b.values()].count(Coat.CHECKED) >= 3 for b in (one, two)):
            continue  # their wizard may have helped
        roofs = rng.choice((None, True, False)), rng.choice((None, True, False))
        audit = audit_game((one, two), roofs)
        if any(own.problems or not own.lawful for own in audit.audits):
            continue
        assert audit.decided and audit.lawful
        slow = any(slow_rounds(a, b) for a in bare(one, roofs[0]) for b in bare(two, roofs[1]))
        assert (audit.rounds is not None) == slow, f"\n{one}\n{two}\n{roofs}"
        assert [problem.code for problem in audit.problems] == ["dice"] * (not slow)
        if audit.rounds is not None:
            check_rounds((one, two), audit)
        answers[slow] += 1
    assert min(answers.values()) > 15, answers


def bare(board: Board, roof: bool | None) -> list[Board]:
    """The board as dice may have made it, without the castle's cross."""
    less = [
        board.with_shield(cell, replace(shield, crosses=shield.crosses - 1))
        for cell, shield in board.items()
        if shield.crosses
    ]
    return [board] * (not roof) + less * (roof is not False)


def slow_rounds(one: Board, two: Board) -> bool:
    """The cells are (1, 3), (1, 4) above, (3, 3), (3, 4) below: two dominoes in any order."""
    rows = [[(r, 3), (r, 4)] for r in (1, 3)]
    return any(
        all(
            any(
                all(_shows(die, shield) for die, shield in zip(dice, shields, strict=True))
                for dice in permutations(DICE)
            )
            for shields in (
                [*(one[c] for c in mine), *(two[c] for c in theirs)]
                for mine, theirs in zip(rows, other, strict=True)
            )
        )
        for other in (rows, rows[::-1])
    )


SAID = "no rounds of the four dice are known that make both maps: "
USED_UP = SAID + "there are more shields of some dice than the rounds have of those dice"
ALL_TRIED = SAID + "no dominoes of theirs go together round by round"


def test_shields_of_a_die_are_counted_to_the_last() -> None:
    """Filled with two crosses is on one die; a wizard may hide one cross."""
    rich = Board.parse(
        """. . .   l   .   .  .
           . . .   f++ .   .  .
           . l f++ ##  f++ l  .
           . l f++ .   .   .  .
           . . .   .   .   .  ."""
    )
    for poor, told in ((0, USED_UP), (2, USED_UP), (3, ALL_TRIED), (4, None)):
        other = rich
        for cell in ((1, 3), (2, 2), (2, 4), (3, 2))[:poor]:
            other = other.with_shield(cell, Shield(Coat.DOT))
        audit = audit_game((rich, other), (False, False))
        assert [problem.message for problem in audit.problems] == [told] * (told is not None), poor
        if poor == 3:  # no more of that die where another brings a cross
            other = other.with_shield((3, 1), Shield(Coat.LINE, 1))
            audit = audit_game((rich, other), (False, False))
            assert [problem.message for problem in audit.problems] == [told]
    # Where the castle is closed in, a player may have drawn nothing: nothing is counted.
    shut = rich.with_shield((3, 3), Shield(Coat.FILLED, 2)).with_shield((4, 3), Shield(Coat.LINE))
    shut = shut.with_shield((3, 2), None).with_shield((3, 1), None)
    audit = audit_game((shut, shut), (False, False))
    assert [problem.message for problem in audit.problems] == [ALL_TRIED]


def test_a_joker_is_a_coat_that_another_die_shows_already() -> None:
    """One die has the filled coat without a cross, two have a joker: three of them in a round."""
    two, one = (board_of(f". . . f {coat} . .", ". . . ## . . .", EMPTY_ROW) for coat in ("f", "d"))
    audit = audit_game((two, one))
    assert audit.rounds == ((0, 0),) and not audit.problems
    assert [problem.message for problem in audit_game((two, two)).problems] == [ALL_TRIED]


BLOCK = board_of(". . . . l l .", ". . . ## l f++ .", EMPTY_ROW)


APART = board_of(". . . f++ l . .", ". . . ## . . .", ". . . f++ l . .")


def test_not_all_is_tried_where_there_are_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ways lead to the one map, one to the other, in which one die is taken in both rounds."""
    for most, states, decided in ((2, 20, True), (1, 20, False), (2, 0, False)):
        monkeypatch.setattr("kdscan.rules.duel.audit.rounds.MOST_WAYS", most)
        monkeypatch.setattr("kdscan.rules.duel.audit.rounds.MOST_STATES", states)
        for maps in ((BLOCK, APART), (APART, BLOCK)):
            audit = audit_game(maps, (False, False))
            assert audit.lawful and audit.rounds is None and audit.decided is decided
            assert [problem.message for problem in audit.problems] == [ALL_TRIED] * decided


def test_a_wizard_whom_the_dice_call_for_twice() -> None:
    """One map can do without the line's wizard, but not by these dice."""
    maps = (
        Board.parse(
            """.   l   d   d   dd  d   f++
               dd  ll+ ll+ l   dd  d   c
               ll  ll  c++ ##  dd+ d   l
               d   l   .   dd  l   l   l
               dd+ l+  d   dd+ l   dd+ l"""
        ),
        Board.parse(
            """.   ll+ l   f   dd+ f++ d
               ll+ ll  ll  d   dd  dd+ dd
               l   ll  f+  ##  l+  l+  l+
               l   l   c   ll+ l   f   l+
               d   dd+ .   ll+ l   l   l"""
        ),
    )
    audit = audit_game(maps, (False, True))
    assert audit.lawful and audit.decided and audit.rounds is None
    (problem,) = audit.problems
    assert problem.message == (
        "no rounds of the four dice are known that make both maps: "
        "both maps need the help of the same wizard, who serves only one player"
    )
    for board, own in zip(maps, audit.audits, strict=True):
        assert own.witness is not None
        replay(board, own.witness)


def test_rounds_in_which_a_joker_got_the_castles_cross() -> None:
    """The other map takes the first two dice, so no filled coat is left: a joker was one."""
    one = board_of(". . . f+ . . .", ". . . ## . . .", EMPTY_ROW)
    one = one.with_shield((0, 3), Shield(Coat.CHECKED, 2))
    two = board_of(". . . ll+ . . .", ". . . ## . . .", EMPTY_ROW)
    two = two.with_shield((0, 3), Shield(Coat.DOUBLE_DOT, 1))
    for maps, roofs in (((one, two), (True, False)), ((two, one), (False, True))):
        audit = audit_game(maps, roofs)
        assert audit.rounds == ((0, 0),) and not audit.problems
