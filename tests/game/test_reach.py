"""Covers and smallest impossible sets, against all covers of small boards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.pairing import EVEN, smallest_uncovered
from kdscan.game.duel.audit.reach import Cover, reachable, smallest_unreached
from kdscan.game.duel.audit.task import Bonus, Task, bits
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import cell_of, number
from kdscan.game.grid import Cell, neighbours

Pieces = tuple[tuple[Cell, ...], ...]


def covers(cells: list[Cell], singles: int) -> Iterator[Pieces]:
    """All sets of dominoes on some of the cells, and so many single cells at most."""
    if not cells:
        yield ()
        return
    first, rest = cells[0], cells[1:]
    yield from covers(rest, singles)
    if singles:
        for more in covers(rest, singles - 1):
            yield ((first,), *more)
    for other in rest:
        if other in neighbours(first):
            for more in covers([cell for cell in rest if cell != other], singles):
                yield ((first, other), *more)


def hangs_together(board: Board, pieces: Pieces, free: bool) -> bool:
    """Whether every part, joined by equal coats and by dominoes, touches the castle, but one
    with a domino for the dot's wizard where he is `free`."""
    left = {cell for piece in pieces for cell in piece}
    partner = {a: b for piece in pieces if len(piece) == 2 for a, b in (piece, piece[::-1])}
    loose = []
    while left:
        part = [left.pop()]
        rooted = False
        for cell in part:
            rooted |= CASTLE in neighbours(cell)
            joined = {
                n for n in neighbours(cell) if n in left and board[n].coat is board[cell].coat
            }
            joined |= {partner[cell]} & left if cell in partner else set()
            left -= joined
            part += joined
        if not rooted:
            loose.append(part)
    return len(loose) <= free and all(any(c in partner for c in part) for part in loose)


def random_board(rng: random.Random, cells: int) -> Board:
    """Shields on one side of the castle, so that some are near it and some are far."""
    side = [cell for cell in CELLS if cell[1] >= 3 and cell != CASTLE]
    start = rng.choice(side)
    chosen = [start]
    while len(chosen) < cells:
        near = [n for cell in chosen for n in neighbours(cell) if n in side and n not in chosen]
        chosen.append(rng.choice(near) if near and rng.random() < 0.85 else rng.choice(side))
        chosen = list(dict.fromkeys(chosen))
    return Board({cell: Shield(rng.choice(tuple(Coat)[:4])) for cell in chosen})


@pytest.mark.parametrize(("singles", "free"), [(0, False), (0, True), (2, False), (2, True)])
def test_covers_exist_exactly_where_trying_all_finds_one(singles: int, free: bool) -> None:
    rng = random.Random(11 + singles + free)
    answers = {True: 0, False: 0}
    while min(answers.values()) < 120:
        board = random_board(rng, rng.choice((5, 7, 8, 9)))
        task = Task(board, Bonus(), LAW)
        sound = [
            {cell for piece in pieces for cell in piece}
            for pieces in covers(list(board), singles)
            if hangs_together(board, pieces, free)
            and sum(len(piece) == 1 for piece in pieces) in (0, singles)
        ]
        everything = {cell for part in sound for cell in part}
        assert {cell_of(i) for i in bits(reachable(task, singles, free))} == everything
        for _ in range(12):
            wanted = set(rng.sample(list(board), rng.randint(1, min(4, len(board)))))
            found = Cover(task, singles, free).cover(sum(1 << number(cell) for cell in wanted))
            assert (found is not None) == any(wanted <= part for part in sound), f"\n{board}"
            if found is not None:
                cells = {cell_of(i) for i in bits(found)}
                assert wanted <= cells and cells in sound
            answers[found is not None] += 1
        proof = smallest_unreached(task, singles, free)
        size = _smallest(board, sound)
        assert (proof.cells.bit_count() if proof else None) == size, f"\n{board}"
        assert proof is None or proof.smallest


@pytest.mark.parametrize("spare", [0, 1, 2])
def test_smallest_uncovered_is_the_smallest(spare: int) -> None:
    rng = random.Random(spare)
    found = 0
    while found < (25, 25, 6)[spare]:
        board = random_board(rng, rng.choice((4, 6, 8)))
        filled = sum(1 << number(cell) for cell in board)
        # What dominoes and so many single shields cover, whatever they touch.
        sound = [{c for piece in pieces for c in piece} for pieces in covers(list(board), spare)]
        cells = smallest_uncovered(filled, spare)
        assert (cells.bit_count() if cells else None) == _smallest(board, sound), f"\n{board}"
        if cells:
            found += 1
            assert not any({cell_of(i) for i in bits(cells)} <= part for part in sound)


def test_the_squares_are_coloured_like_a_chessboard() -> None:
    assert {cell_of(i) for i in bits(EVEN)} == {(r, c) for r, c in CELLS if (r + c) % 2 == 0}


def test_two_that_want_one_neighbour_are_blamed_rather_than_four_that_want_two() -> None:
    row = [(2, 4), (2, 5), (2, 6), (3, 3), (3, 4), (3, 5), (4, 4)]
    cells = smallest_uncovered(bits_of(*row), 0)
    assert cells is not None and cells.bit_count() == 2


def _smallest(board: Board, sound: list[set[Cell]]) -> int | None:
    largest = [part for part in sound if not any(part < other for other in sound)]
    for size in range(1, len(board) + 1):
        for cells in combinations(board, size):
            if not any(part.issuperset(cells) for part in largest):
                return size
    return None


def test_what_can_be_reached_is_everything_until_it_is_known() -> None:
    far = Board({cell: Shield(Coat.FILLED) for cell in ((1, 3), (1, 4), (4, 0), (4, 1))})
    task = Task(far, Bonus(), LAW)
    assert reachable(task, 0, False) == sum(1 << number(cell) for cell in ((1, 3), (1, 4)))
    assert reachable(task, 0, False, steps=0) == task.filled


def bits_of(*cells: Cell) -> int:
    return sum(1 << number(cell) for cell in cells)


def test_a_domino_in_the_corner_is_the_dots_wizards() -> None:
    corner = Board({cell: Shield(Coat.FILLED) for cell in ((0, 0), (0, 1))})
    task = Task(corner, Bonus(), LAW)
    assert Cover(task, 0, True).cover(task.filled) == task.filled
    assert Cover(task, 0, False).cover(task.filled) is None


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({1: Coat.LINE, 2: Coat.LINE, 3: Coat.LINE}, True),
        ({0: Coat.LINE, 1: Coat.LINE, 2: Coat.DOT}, True),  # from the earlier shield of the two
        ({0: Coat.DOT, 1: Coat.LINE, 2: Coat.LINE}, True),  # from the later one
        ({0: Coat.DOT, 1: Coat.LINE, 2: Coat.CHECKED}, False),
        ({0: Coat.LINE, 1: Coat.LINE, 6: Coat.LINE}, False),  # only neighbours make a domino
    ],
)
def test_the_second_lone_shield_may_hang_on_the_dots_wizard(
    row: dict[int, Coat], found: bool
) -> None:
    """One shield beside the castle stays alone, the other die's in the last row, far from it."""
    near, far = {(1, 3): Shield(Coat.CHECKED)}, {(4, c): Shield(k) for c, k in row.items()}
    task = Task(Board(near | far), Bonus(), LAW)
    alone = bits_of((1, 3))
    assert Cover(task, 2, True).cover(alone) == (task.filled if found else None)
    assert Cover(task, 2, False).cover(alone) is None


def test_a_proof_that_runs_out_of_remainders_is_made_smaller_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Either end of three in a row takes the middle; the domino below has no part in it."""
    monkeypatch.setattr("kdscan.game.duel.audit.reach._MOST_REMAINDERS", 0)
    three, two = [(1, 2), (1, 3), (1, 4)], [(3, 3), (4, 3)]
    task = Task(Board({cell: Shield(Coat.DOT) for cell in (*three, *two)}), Bonus(), LAW)
    proof = smallest_unreached(task, 0, False)
    assert proof is not None and not proof.smallest
    assert proof.cells == bits_of((1, 2), (1, 4))
