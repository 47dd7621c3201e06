"""An order for given dominoes, with rounds without room: against trying all orders."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from kdscan.game.duel.audit import replay, witness_of
from kdscan.game.duel.audit.dominoes import Bonus, Piece, Task
from kdscan.game.duel.audit.orders import Chances, Drawn, Idle, Needs, Orders, Plan
from kdscan.game.duel.audit.splits import Search
from kdscan.game.duel.audit.ways import Way, _plan
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import cell_of, number
from kdscan.game.duel.editions import ENGLISH, FRENCH
from kdscan.game.grid import Cell, neighbours

COATS = (Coat.DOT, Coat.LINE, Coat.CHECKED)

_State = tuple[frozenset[int], frozenset[Coat], frozenset[Coat], frozenset[Coat], bool]
"""Steps drawn, coats that had no room, wizards used, wizards won, whether the cross was given."""


def slow_idling(task: Task, plan: Plan, needs: Needs) -> bool:
    """Whether any order of a plan's pieces does, round by round; knows nothing of largest parts."""
    start: _State = (frozenset(), frozenset(), frozenset(), frozenset(), False)
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        done, closed, _, _, given = state
        whole = len(done) == len(plan.pieces) and given == (task.bonus.wizard is not None)
        if whole and needs.coats <= closed and (closed or not needs.some):
            return True
        for after in _rounds(task, plan, needs, state):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def _rounds(task: Task, plan: Plan, needs: Needs, state: _State) -> Iterator[_State]:
    done, closed, used, won, given = state
    board, target = task.board, task.bonus.wizard
    drawn = {cell_of(i) for k in done for i in plan.pieces[k]}
    for coat in Coat:
        if coat not in closed and not _has_room(board, drawn, coat):
            more = won | {coat} if needs.obtained else won
            yield done, closed | {coat}, used, more, given
            if coat is Coat.CHECKED and needs.obtained and target in drawn:
                yield done, closed | {coat}, used, more, True
    for k, piece in enumerate(plan.pieces):
        if k in done:
            continue
        cells = [cell_of(i) for i in piece]
        joined = [_joined(board, drawn, cell) for cell in cells]
        power: Coat | None = None
        if piece == plan.apart:
            if not all(joined):
                continue
            power = Coat.LINE
        elif not any(joined):
            if not plan.free:
                continue
            power = Coat.DOT
        powers = [power]
        if power is None and plan.free:
            powers.append(Coat.DOT)
        for one in powers:
            if one is not None and (one in used or not _won(task, drawn, won, one)):
                continue
            after = drawn | set(cells)
            spent = used if one is None else used | {one}
            yield done | {k}, closed, spent, won, given
            fills = any(board[c].coat is Coat.CHECKED and _plain(task, c) for c in cells)
            if fills and target in after and _won(task, after, won, Coat.CHECKED):
                yield done | {k}, closed, spent, won, True


def _won(task: Task, drawn: set[Cell], won: frozenset[Coat], coat: Coat) -> bool:
    plain = sum(task.board[c].coat is coat and _plain(task, c) for c in drawn)
    return coat in won or plain >= SQUARES[coat]


def _plain(task: Task, cell: Cell) -> bool:
    return task.halves[number(cell)].counts


def _joined(board: Board, drawn: set[Cell], cell: Cell) -> bool:
    return any(
        n == CASTLE or (n in drawn and board[n].coat is board[cell].coat) for n in neighbours(cell)
    )


def _has_room(board: Board, drawn: set[Cell], coat: Coat) -> bool:
    free = set(CELLS) - drawn
    return any(
        n == CASTLE or (n in drawn and board[n].coat is coat)
        for cell in free
        if free & set(neighbours(cell))
        for n in neighbours(cell)
    )


def arrange(
    task: Task, plan: Plan, needs: Needs
) -> tuple[tuple[Drawn, ...], tuple[Idle, ...]] | None:
    return Orders(task, plan, needs).find()


def plans(task: Task, apart: bool, free: bool) -> list[Plan]:
    """Every split of a task's shields."""
    return [_plan(pieces, free) for pieces in Search(task, task.filled, 2 * apart, free).run()]


def ringed(rng: random.Random, more: int) -> Board:
    """A board on which the castle is closed in, with some shields beyond the ring."""
    ring = [(1, 2), (1, 3), (1, 4), (2, 2), (2, 4), (3, 2), (3, 3), (3, 4)]
    near = [(0, 2), (0, 3), (0, 4), (1, 1), (2, 1), (1, 5), (2, 5), (4, 3), (4, 2), (2, 6), (1, 6)]
    cells = ring + rng.sample(near, more)
    coats = rng.choice((COATS, (*COATS, Coat.FILLED, Coat.DOUBLE_DOT)))
    return Board({cell: Shield(rng.choice(coats)) for cell in cells})


def some_plans(rng: random.Random) -> Iterator[tuple[Task, Plan]]:
    board = ringed(rng, rng.choice((2, 4, 6)))
    wizard = rng.choice((None, None, rng.choice(list(board))))
    if wizard is not None:
        board = board.with_shield(wizard, Shield(board[wizard].coat, rng.choice((1, 2, 3))))
    task = Task(board, Bonus(None, wizard))
    kinds = [(a, f) for a in (False, True) for f in (False, True)]
    for apart, free in kinds:
        found = plans(task, apart, free)
        for plan in rng.sample(found, min(2, len(found))):
            yield task, plan


@pytest.mark.parametrize("obtained", [True, False])
def test_agrees_with_trying_all_orders(obtained: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for coat in COATS:
        monkeypatch.setitem(SQUARES, coat, 3)
    rng = random.Random(8 + obtained)
    answers = {True: 0, False: 0}
    helped: set[frozenset[Coat]] = set()
    for _ in range(260):
        for task, plan in some_plans(rng):
            coats = frozenset(rng.sample(list(Coat), rng.choice((0, 0, 1, 2))))
            needs = Needs(obtained, coats, rng.random() < 0.3)
            found = arrange(task, plan, needs)
            slow = slow_idling(task, plan, needs)
            assert (found is not None) == slow, f"\n{task.board}\n{plan}\n{needs}\n{task.bonus}"
            answers[slow] += 1
            if found is not None:
                check_told(task, plan, needs, *found)
                helped.add(frozenset(coat for _, coat in found[1]))
    assert min(answers.values()) > 80, answers
    assert len(helped) > 5


def check_told(
    task: Task,
    plan: Plan,
    needs: Needs,
    order: tuple[Drawn, ...],
    idle: tuple[tuple[int, Coat], ...],
) -> None:
    pieces: list[Piece] = [step.piece for step in order]
    assert sorted(pieces) == sorted(plan.pieces)
    assert needs.coats <= {coat for _, coat in idle}
    assert idle or not needs.some
    assert plan.free or all(step.power is not Coat.DOT for step in order)
    for count, coat in idle:
        drawn = {cell_of(i) for piece in pieces[:count] for i in piece}
        assert not _has_room(task.board, drawn, coat)
    told = witness_of(Way(task.bonus, order, idle))
    replay(task.board, told, FRENCH if needs.obtained else ENGLISH)


def test_the_dots_wizard_may_draw_what_fits_without_him(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cross lies beyond the dominoes that win it: only he draws its shield before them."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 2)
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 2)
    board = Board.parse(
        """. . .  c  c++ f  .
           . . .  c  .   .  .
           . d d  ## ll  ll .
           . . ll ll .   .  .
           . . .  .  .   .  ."""
    )
    task = Task(board, Bonus(None, (0, 4)))
    pairs = (((2, 1), (2, 2)), ((0, 3), (1, 3)), ((0, 4), (0, 5)), ((2, 4), (2, 5)))
    pieces = tuple((number(a), number(b)) for a, b in (*pairs, ((3, 2), (3, 3))))
    needs = Needs(some=True)
    plan = Plan(pieces, None, True)
    found = arrange(task, plan, needs)
    assert found is not None and slow_idling(task, plan, needs)
    check_told(task, plan, needs, *found)
    assert arrange(task, Plan(pieces), needs) is None


RING = (((1, 2), (2, 2)), ((1, 3), (1, 4)), ((2, 4), (3, 4)), ((3, 2), (3, 3)))
CLOSED = Board({cell: Shield(Coat.FILLED) for pair in RING for cell in pair})


@pytest.mark.parametrize(
    ("beside", "lawful"),
    [
        # Lines leave no room for the checked coat once the cross's shield is drawn.
        (Shield(Coat.LINE), True),
        # The domino itself fills the last square after rounds without room.
        (Shield(Coat.CHECKED), True),
        # It fills none, and from then on there is room: the cross came before its shield.
        (Shield(Coat.CHECKED, 1), False),
    ],
)
def test_rounds_without_room_give_the_cross_to_a_shield_that_is_there(
    beside: Shield, lawful: bool
) -> None:
    board = CLOSED.with_shield((2, 5), Shield(Coat.FILLED, 1)).with_shield((2, 6), beside)
    task = Task(board, Bonus(None, (2, 5)))
    pairs = (((2, 5), (2, 6)), *RING)
    plan = Plan(tuple((number(a), number(b)) for a, b in pairs))
    found = arrange(task, plan, Needs(obtained=True))
    assert (found is not None) == lawful == slow_idling(task, plan, Needs(obtained=True))
    if found is not None:
        check_told(task, plan, Needs(obtained=True), *found)


@pytest.mark.parametrize("obtained", [True, False])
def test_only_what_fills_squares_wins_the_wizard_who_is_called_after(
    obtained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dots had no room before there were any; in the English edition that wins nobody."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    isle = {(0, 6): Shield(Coat.LINE), (1, 6): Shield(Coat.LINE)}
    own = {(2, 5): Shield(Coat.FILLED), (2, 6): Shield(Coat.DOT)}
    task = Task(Board({cell: CLOSED[cell] for cell in CLOSED} | isle | own), Bonus())
    pairs = (((0, 6), (1, 6)), *RING, ((2, 5), (2, 6)))
    plan = Plan(tuple((number(a), number(b)) for a, b in pairs), None, True)
    needs = Needs(obtained, frozenset({Coat.DOT}))
    found = arrange(task, plan, needs)
    assert found is not None
    check_told(task, plan, needs, *found)


@pytest.mark.parametrize("obtained", [True, False])
def test_never_rules_out_what_has_an_order(obtained: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the shields that only a wizard opens, before any order is tried."""
    for coat in COATS:
        monkeypatch.setitem(SQUARES, coat, 3)
    rng = random.Random(3 + obtained)
    ruled_out = found = 0
    for _ in range(300):
        for task, plan in some_plans(rng):
            chances = Chances(task.board, obtained)
            i = task.wizard_cell
            covered = 1 << i if i >= 0 and task.halves[i].counts else 0
            hopeful = Orders(task, plan, Needs(obtained)).hopeful(chances, covered)
            if task.bonus.wizard is not None:
                hopeful &= chances.winnable(Coat.CHECKED, chances.filled, covered)
            if arrange(task, plan, Needs(obtained)) is not None:
                found += 1
                assert hopeful, f"\n{task.board}\n{plan}\n{task.bonus}"
            ruled_out += not hopeful
    assert found > 100 and ruled_out > 100, (found, ruled_out)


def piece(one: Cell, two: Cell) -> Piece:
    return number(one), number(two)


def test_what_hangs_in_the_air_is_refused() -> None:
    board = Board.parse(
        """. . . .  .  . .
           . . . dd dd . .
           . . . ## .  . .
           l f . .  .  . .
           . . . .  .  . ."""
    )
    pieces = (piece((1, 3), (1, 4)), piece((3, 0), (3, 1)))
    assert arrange(Task(board), Plan(pieces), Needs()) is None


def test_what_was_drawn_before_the_dots_wizard_still_connects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """He opens the island whose line wins the next wizard, for dice beside the first domino."""
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    monkeypatch.setitem(SQUARES, Coat.LINE, 1)
    board = Board.parse(
        """. .  . .  . l f
           . ll . .  . . .
           . ll d ## . . .
           . ll . .  . . .
           . .  . .  . . ."""
    )
    near, isle, apart = (piece((2, 1), (2, 2)), piece((0, 5), (0, 6)), piece((1, 1), (3, 1)))
    order = arrange(Task(board), Plan((near, isle, apart), apart, True), Needs())
    assert order == ((Drawn(near), Drawn(isle, Coat.DOT), Drawn(apart, Coat.LINE)), ())


def test_the_dots_wizard_is_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQUARES, Coat.DOT, 1)
    board = Board.parse(
        """. . . .  . l f
           . . . .  . . .
           . c d ## . . .
           . . . .  . . .
           . . . .  . f l"""
    )
    task = Task(board)
    near, isles = piece((2, 1), (2, 2)), (piece((0, 5), (0, 6)), piece((4, 5), (4, 6)))
    assert arrange(task, Plan((near, *isles), None, True), Needs()) is None
    one = Task(Board({cell: board[cell] for cell in board if cell[0] < 4}))
    assert arrange(one, Plan((near, isles[0]), None, True), Needs()) is not None
