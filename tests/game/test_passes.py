"""When a player can have had no room for a coat: the quick answer against trying all orders."""

from __future__ import annotations

import random

import pytest

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.order import Drawn, closed_part, mask, passes
from kdscan.game.duel.audit.search import Terms, ways
from kdscan.game.duel.audit.task import Task, bits
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import cell_of, number
from kdscan.game.grid import neighbours

COATS = (Coat.DOT, Coat.LINE, Coat.CHECKED)


def slow_parts(task: Task, order: tuple[Drawn, ...], coat: Coat) -> set[int]:
    """Every part of the map, drawn in some lawful order, that has no room for that coat."""
    board = task.board
    seen, waiting = {frozenset[int]()}, [frozenset[int]()]
    found = set()
    while waiting:
        done = waiting.pop()
        drawn = {cell_of(i) for k in done for i in order[k].piece}
        if not _has_room(board, drawn, coat):
            found.add(sum(1 << number(cell) for cell in drawn))
        for k, step in enumerate(order):
            after = done | {k}
            if after not in seen and k not in done and _fits(board, drawn, step):
                seen.add(after)
                waiting.append(after)
    return found


def _fits(board: Board, drawn: set[tuple[int, int]], step: Drawn) -> bool:
    joined = [
        any(
            n == CASTLE or (n in drawn and board[n].coat is board[cell].coat)
            for n in neighbours(cell)
        )
        for cell in map(cell_of, step.piece)
    ]
    if step.power is None:
        return any(joined)
    plain = sum(board[cell] == Shield(step.power) for cell in drawn)
    if plain < SQUARES[step.power]:
        return False
    return step.power is Coat.DOT or all(joined)


def _has_room(board: Board, drawn: set[tuple[int, int]], coat: Coat) -> bool:
    free = set(CELLS) - drawn
    return any(
        n == CASTLE or (n in drawn and board[n].coat is coat)
        for cell in free
        if free & set(neighbours(cell))
        for n in neighbours(cell)
    )


def ringed(rng: random.Random) -> Board:
    """A board of up to eight dominoes on which the castle is closed in, like as not."""
    ring = [(1, 2), (1, 3), (1, 4), (2, 2), (2, 4), (3, 2), (3, 3), (3, 4)]
    near = [(0, 2), (0, 3), (0, 4), (1, 1), (2, 1), (1, 5), (2, 5), (4, 3), (4, 2), (2, 6), (1, 6)]
    cells = ring + rng.sample(near, rng.choice((2, 4, 6)))
    return Board({cell: Shield(rng.choice(COATS)) for cell in cells})


def test_agrees_with_trying_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    for coat in COATS:
        monkeypatch.setitem(SQUARES, coat, 2)
    rng = random.Random(8)
    answers = {True: 0, False: 0}
    kinds: set[tuple[Coat | None, bool, bool]] = set()
    while min(answers.values()) < 400 or len(kinds) < 7:
        board = ringed(rng)
        power = rng.choice((Coat.DOT, Coat.LINE, None))
        for way in ways(board, Terms(False, frozenset({power} if power else ())), LAW):
            task = Task(board, way.bonus, LAW)
            for coat in (*COATS, Coat.FILLED):
                slow = slow_parts(task, way.order, coat)
                part = closed_part(task, way.order, coat)
                used = next((step.power for step in way.order if step.power), None)
                assert passes(task, way.order, coat) == bool(slow), f"\n{board}\n{way.order}"
                assert part == (max(slow, key=int.bit_count) if slow else None)
                answers[bool(slow)] += 1
                whole = part is not None and part == task.filled
                kinds.add((used, part is not None, whole))
            break


def test_pieces_as_bits() -> None:
    assert list(bits(mask((3, 10)))) == [3, 10]
    assert list(bits(0)) == []
