"""Common rounds of the four dice: each step of the search, and what rules them out."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from kdscan.game.duel.audit import replay
from kdscan.game.duel.audit.dominoes import PAIRS, the_dice
from kdscan.game.duel.audit.fourdice import _may_have_wizard, ruled_out
from kdscan.game.duel.audit.order import Drawn
from kdscan.game.duel.audit.pair import GameAudit, _each_with_each, audit_game
from kdscan.game.duel.audit.rounds import Schedule, Side
from kdscan.game.duel.audit.search import Terms, Way
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, Face
from kdscan.game.duel.drawing import number
from kdscan.game.duel.editions import ENGLISH, FRENCH
from kdscan.game.grid import Cell, neighbours
from kdscan.game.problem import Problem
from tests.game.boards import played
from tests.game.test_audit import EMPTY_ROW, board_of, book

NO_JOKER = replace(ENGLISH, castle_on_joker=False)
LINES = board_of(". . . l l l l", ". . . ## . . .", ". . . l l . .")
ORDER = (((1, 3), (1, 4)), ((1, 5), (1, 6)), ((3, 3), (3, 4)))
RING = Board.parse(
    """. . .  .  .  .  .
       . . ll ll .  .  .
       . ll ll ## ll ll .
       . . .  ll ll .  .
       . . .  .  .  .  f"""
).with_shield((4, 5), Shield(Coat.LINE))
CLOSED = (((1, 2), (1, 3)), ((2, 1), (2, 2)), ((2, 4), (2, 5)), ((3, 3), (3, 4)))


def side(
    board: Board, order: tuple[tuple[Cell, Cell], ...], powers: dict[int, Coat], bonus: Bonus
) -> Side:
    steps = tuple(
        Drawn((number(one), number(two)), powers.get(k)) for k, (one, two) in enumerate(order)
    )
    return Side(Task(board, bonus, the_dice()), Way(bonus, steps))


def test_dominoes_may_come_as_soon_as_they_connect() -> None:
    free = side(LINES, ORDER, {}, Bonus())
    assert [list(free.options(done)) for done in (0, 1, 2, 4, 0b101, 0b111)] == [
        [0, 2],
        [1, 2],
        [0, 2],
        [0],
        [1],
        [],
    ]


def test_a_wizards_step_waits_for_all_before_it() -> None:
    called = side(LINES, (ORDER[0], ORDER[2], ORDER[1]), {1: Coat.LINE}, Bonus())
    assert [list(called.options(done)) for done in (0, 1, 0b11, 0b101)] == [[0], [1, 2], [2], [1]]
    late = side(LINES, ORDER, {2: Coat.DOT}, Bonus())
    assert [list(late.options(done)) for done in (0, 1, 0b11)] == [[0], [1], [2]]


def test_with_a_wizards_cross_every_step_keeps_its_turn() -> None:
    crossed = side(LINES.with_shield((1, 3), Shield(Coat.LINE, 1)), ORDER, {}, Bonus(None, (1, 3)))
    assert [list(crossed.options(done)) for done in (0, 1, 0b11, 0b111)] == [[0], [1], [2], []]


def test_coats_without_room() -> None:
    ring = side(RING, CLOSED, {}, Bonus())
    assert ring.closed(0) == ring.closed(0b0111) == frozenset()
    assert ring.closed(0b1111) == frozenset(Coat) - {Coat.DOUBLE_LINE}
    whole = Board({cell: Shield(Coat.LINE) for cell in CELLS})
    pieces = tuple(((r, c), (r, c + 1)) for r in range(5) for c in (0, 4) if (r, c) != (2, 4))
    mine = side(whole, (*pieces, ((2, 4), (2, 5)), ((0, 2), (0, 3)), ((1, 2), (1, 3))), {}, Bonus())
    assert mine.closed((1 << len(mine.way.order)) - 1) == frozenset()  # (3, 3) is free still
    more = replace(
        mine,
        way=Way(Bonus(), (*mine.way.order, Drawn((number((3, 3)), number((3, 2)))))),
    )
    # (2, 2) lies free beside the castle, but alone.
    assert Coat.DOT in more.closed((1 << len(more.way.order)) - 1)


def test_the_search_stops_after_so_many_dead_ends() -> None:
    easy = side(LINES, ORDER, {}, Bonus())
    sides = easy, side(RING, CLOSED, {}, Bonus())
    assert Schedule(sides, 100).run(0, 0) is None
    fits = easy, easy
    rounds = Schedule(fits, 0).run(0, 0)
    assert rounds is not None and len(rounds) == 3
    assert Schedule(fits, -1).run(0, 0) is None


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
            monkeypatch.setattr("kdscan.game.duel.audit.fourdice.MOST_WAYS", most)
            assert ruled_out(maps, terms, the_dice()) == answer
    for most, answer in ((20, said), (1, None)):
        monkeypatch.setattr("kdscan.game.duel.audit.fourdice.MOST_WAYS", 2)
        monkeypatch.setattr("kdscan.game.duel.audit.fourdice.MOST_STATES", most)
        assert ruled_out((BLOCK, APART), terms, the_dice()) == answer
    monkeypatch.undo()
    more = {(0, column): Shield(Coat.LINE) for column in (2, 3, 4, 5)}
    six = Board({**APART, **more})
    assert ruled_out((six, six), terms, the_dice()) is None


FULL = Board({cell: Shield(Coat.LINE) for cell in CELLS})


def test_problems_of_two_maps_word_for_word() -> None:
    audit = audit_game((FULL, FULL))
    assert audit.lawful is False and audit.rounds is None
    assert audit.problems == (
        Problem(
            "wizard_shared",
            "error",
            "both maps need the help of the same wizard, who serves only one player",
        ),
    )
    two = board_of(". . dd dd . . .", ". . . ## . . .", EMPTY_ROW)
    four = board_of(". . dd dd . . .", ". . . ## . . .", ". . dd dd . . .")
    audit = audit_game((four, two))
    assert audit.problems == (
        Problem(
            "rounds_differ",
            "error",
            "one map has 2 dominoes and the other 1, but every round brings both players one, "
            "and the smaller map always had room for any",
        ),
    )
    rich = board_of(". . . f++ l . .", ". . . ## . . .", EMPTY_ROW)
    audit = audit_game((rich, rich), (False, False))
    assert audit.lawful is True
    assert audit.problems == (
        Problem(
            "dice",
            "warning",
            "no rounds of the four dice are known that make both maps: no dominoes of theirs go "
            "together round by round",
        ),
    )
    odd = two.with_shield((0, 0), Shield(Coat.DOT))
    assert audit_game((odd, two)).lawful is False
    assert audit_game((Board(), Board())).problems == ()


def test_each_player_is_held_to_the_spellbook() -> None:
    lines = board_of(". l l l l . .", ". l l ## l . .", ". . . . l . .")
    lines = lines.with_shield((1, 5), Shield(Coat.LINE)).with_shield((0, 4), Shield(Coat.LINE))
    plain = Board({cell: Shield(Coat.DOUBLE_DOT) for cell in lines if cell[0] < 2})
    for mine in (0, 1):
        maps = (lines, plain) if mine == 0 else (plain, lines)
        for winner in (0, 1):
            audit = audit_game(maps, spellbook=book(winner, line=5))
            assert audit.audits[mine].lawful is (winner == mine)


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
        strict = audit_game(maps, roofs, edition=NO_JOKER)
        assert strict.lawful and strict.rounds is None and strict.decided
        assert [problem.code for problem in strict.problems] == ["dice"]


def test_first_ways_are_tried_first_and_each_with_each() -> None:
    one, two = (
        [Way(Bonus((side, column)), ()) for column in range(count)]
        for side, count in ((0, 3), (1, 5))
    )
    number = {id(way): n for ways in (one, two) for n, way in enumerate(ways)}
    found = _each_with_each(iter(one), iter(two))
    pairs = [(number[id(a)], number[id(b)]) for a, b in found]
    assert sorted(pairs) == [(a, b) for a in range(3) for b in range(5)]
    assert [max(pair) for pair in pairs] == sorted(max(pair) for pair in pairs)
    for first, second in ((one, []), ([], one), ([], [])):
        assert not list(_each_with_each(iter(first), iter(second)))
    lazy = iter(one)
    assert next(_each_with_each(lazy, iter(two))) == (one[0], two[0])
    assert next(lazy) is one[1]


def test_two_french_maps() -> None:
    """The far domino takes the dot's wizard, whom only dots without room can have won."""
    far = RING.with_shield((4, 5), Shield(Coat.DOUBLE_DOT))
    near = Board({cell: Shield(Coat.DOUBLE_LINE) for cell in RING if cell[0] < 4})
    near = near.with_shield((1, 1), Shield(Coat.DOUBLE_LINE)).with_shield((0, 1), Shield(Coat.DOT))
    assert audit_game((far, near), edition=FRENCH).lawful
    assert not audit_game((far, near)).lawful
