"""Splits of the shields into dominoes that hang together, against trying all splits."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.audit.tilings import plans
from kdscan.game.duel.board import CASTLE, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import cell_of
from kdscan.game.grid import Cell, neighbours

_Split = frozenset[frozenset[Cell]]


def slow_splits(board: Board, cells: frozenset[Cell], singles: int) -> Iterator[_Split]:
    """Every way to take shields in twos side by side, and so many alone."""
    if not cells:
        if singles == 0:
            yield frozenset()
        return
    one = min(cells)
    own = [frozenset({one, two}) for two in neighbours(one) if two in cells]
    own += [frozenset({one})] * (singles > 0)
    for piece in own:
        for others in slow_splits(board, cells - piece, singles - (len(piece) == 1)):
            yield others | {piece}


def castleless(board: Board, split: _Split) -> list[frozenset[Cell]]:
    """The connected parts that hold no shield beside the castle."""
    parts = list(split)
    for cell in board:
        equal = {n for n in neighbours(cell) if n in board and board[n].coat is board[cell].coat}
        joined = [part for part in parts if part & (equal | {cell})]
        parts = [part for part in parts if part not in joined]
        parts.append(frozenset().union(*joined))
    return [part for part in parts if not any(CASTLE in neighbours(cell) for cell in part)]


def as_split(plan_pieces: tuple[tuple[int, int], ...], apart: tuple[int, int] | None) -> _Split:
    pieces = {frozenset(map(cell_of, piece)) for piece in plan_pieces if piece != apart}
    return frozenset(pieces | {frozenset({cell_of(i)}) for i in apart or ()})


def test_agrees_with_trying_all_splits() -> None:
    """With every number of dots that the part without the castle may hold."""
    rng = random.Random(12)
    cells = [(r, c) for r in range(3) for c in range(5) if (r, c) != CASTLE]
    found_some = found_none = 0
    for _ in range(150):
        chosen = rng.sample(cells, rng.choice((4, 6, 8, 8)))
        coats = (Coat.DOT, rng.choice(list(Coat)))
        board = Board({cell: Shield(rng.choice(coats)) for cell in chosen})
        apart, free = rng.random() < 0.5, rng.random() < 0.5
        for spare in (None, 0, 1, 2) if free else (None,):
            expected = {
                split
                for split in slow_splits(board, frozenset(board), 2 * apart)
                if len(lost := castleless(board, split)) <= free
                and (spare is None or _dots(board, lost) <= spare)
            }
            found = [
                as_split(plan.pieces, plan.apart)
                for plan in plans(Task(board, Bonus(), LAW), apart, free, spare)
            ]
            assert len(found) == len(set(found))
            assert set(found) == expected, f"\n{board}\n{apart} {free} {spare}"
            found_some += bool(found)
            found_none += not found
    assert min(found_some, found_none) > 50, (found_some, found_none)


def _dots(board: Board, parts: list[frozenset[Cell]]) -> int:
    return sum(board[cell].coat is Coat.DOT for part in parts for cell in part)


def test_a_part_in_the_corner_hangs_on_nothing() -> None:
    corner = {(0, 0): Shield(Coat.DOT), (0, 1): Shield(Coat.LINE)}
    board = Board(corner | {(1, 3): Shield(Coat.FILLED), (1, 4): Shield(Coat.FILLED)})
    assert list(plans(Task(board, Bonus(), LAW), False, False)) == []
    (plan,) = plans(Task(board, Bonus(), LAW), False, True)
    assert len(plan.pieces) == 2 and plan.free
