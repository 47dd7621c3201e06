"""What rules out common rounds of two maps, and whether those found are rounds."""

from __future__ import annotations

import random

import pytest

from kdscan.game.duel.audit.dominoes import PAIRS, the_dice
from kdscan.game.duel.audit.pair import GameAudit, audit_game
from kdscan.game.duel.audit.rounds import _may_have_wizard, ruled_out
from kdscan.game.duel.audit.ways import Terms
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, Face
from kdscan.game.grid import Cell, neighbours
from tests.game.boards import played
from tests.game.rows import EMPTY_ROW, board_of


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


def test_nothing_is_ruled_out_that_has_rounds() -> None:
    """And what is small and without wizards is ruled out wherever it has none."""
    rng = random.Random(6)
    cells = ((1, 3), (1, 4), (3, 3), (3, 4))
    answers = {True: 0, False: 0}
    for _ in range(400):
        maps = (
            Board({cell: rng.choice(MARKS) for cell in cells}),
            Board({cell: rng.choice(MARKS) for cell in cells}),
        )
        roofs = rng.choice((None, True, False)), rng.choice((None, True, False))
        audit = audit_game(maps, roofs)
        if any(one.problems or not one.lawful for one in audit.audits):
            continue
        if audit.rounds is not None:
            check_rounds(maps, audit)
        why = ruled_out(maps, (Terms(roofs[0]), Terms(roofs[1])), the_dice())
        assert (why is None) == (audit.rounds is not None), f"\n{maps[0]}\n{maps[1]}\n{roofs}"
        answers[why is None] += 1
    assert min(answers.values()) > 15, answers


def test_shields_of_a_die_are_counted_to_the_last() -> None:
    """Filled with two crosses is on one die; castle and wizard may hide one cross each."""
    rich = Board.parse(
        """. . .   l   .   .  .
           . . .   f++ .   .  .
           . l f++ ##  f++ l  .
           . . .   f++ .   .  .
           . . .   l   .   .  ."""
    )
    said = "there are more shields of some dice than the rounds have of those dice"
    terms = Terms(False), Terms(False)
    for poor, ruled in ((0, True), (1, True), (2, True), (3, False), (4, False)):
        other = rich
        for cell in ((1, 3), (2, 2), (2, 4), (3, 3))[:poor]:
            other = other.with_shield(cell, Shield(Coat.DOT))
        # The castle is closed in by then; open it with a longer way round.
        maps = _opened(rich), _opened(other)
        assert (ruled_out(maps, terms, the_dice()) == said) is ruled, poor
    closed = rich, rich
    assert ruled_out(closed, terms, the_dice()) != said


def _opened(board: Board) -> Board:
    """The same with the lower domino moved to the upper one's side, so that there is room."""
    return Board(
        {{(3, 3): (1, 2), (4, 3): (1, 1)}.get(cell, cell): shield for cell, shield in board.items()}
    )


@pytest.mark.parametrize(
    ("marks", "obtained", "maybe"),
    [
        ([Shield(Coat.DOT)] * 5, False, True),
        ([Shield(Coat.LINE)] * 4 + [Shield(Coat.LINE, 1)], False, True),
        ([Shield(Coat.LINE)] * 4 + [Shield(Coat.LINE, 2)], False, False),
        ([Shield(Coat.CHECKED)] * 3, False, True),
        ([Shield(Coat.CHECKED)] * 2 + [Shield(Coat.FILLED)] * 4, False, False),
        ([Shield(Coat.DOUBLE_DOT)] * 6, False, False),
        ([Shield(Coat.DOUBLE_DOT)] * 6, True, True),
    ],
)
def test_a_wizard_may_have_helped(marks: list[Shield], obtained: bool, maybe: bool) -> None:
    board = Board(dict(zip(CELLS, marks, strict=False)))
    assert _may_have_wizard(board, Terms(False, obtained=obtained)) is maybe
    assert not _may_have_wizard(board, Terms(False, wizards=frozenset()))


BLOCK = board_of(". . . . l l .", ". . . ## l f++ .", EMPTY_ROW)
"""Two ways lead here."""
APART = board_of(". . . f++ l . .", ". . . ## . . .", ". . . f++ l . .")
"""One way; the die of the filled coat is taken in both rounds."""


def test_not_all_is_tried_where_there_are_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = Terms(False), Terms(False)
    said = "no dominoes of theirs go together round by round"
    for maps in ((BLOCK, APART), (APART, BLOCK)):
        for most, answer in ((2, said), (1, None)):
            monkeypatch.setattr("kdscan.game.duel.audit.rounds.MOST_WAYS", most)
            assert ruled_out(maps, terms, the_dice()) == answer
    for most, answer in ((20, said), (1, None)):
        monkeypatch.setattr("kdscan.game.duel.audit.rounds.MOST_WAYS", 2)
        monkeypatch.setattr("kdscan.game.duel.audit.rounds.MOST_STATES", most)
        assert ruled_out((BLOCK, APART), terms, the_dice()) == answer
    monkeypatch.undo()
    more = {(0, column): Shield(Coat.LINE) for column in (2, 3, 4, 5)}
    six = Board({**APART, **more})
    assert ruled_out((six, six), terms, the_dice()) is None
