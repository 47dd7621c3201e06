"""Common rounds of the four dice: each step of the search, and what is said of two maps."""

from __future__ import annotations

from dataclasses import replace

from kdscan.game.duel.audit import replay
from kdscan.game.duel.audit.dominoes import Bonus, Task, the_dice
from kdscan.game.duel.audit.orders import Drawn
from kdscan.game.duel.audit.pair import _each_with_each, audit_game
from kdscan.game.duel.audit.rounds import Schedule, Side
from kdscan.game.duel.audit.ways import Way
from kdscan.game.duel.board import CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import number
from kdscan.game.duel.editions import ENGLISH, FRENCH
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem
from tests.game.rows import EMPTY_ROW, board_of, book

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
    assert audit_game((Board(), Board())).rounds == ()
    assert audit_game((four, four)).lawful


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
