"""Splits of the shields, whole maps and parts of them, against trying all; smallest sets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from kdscan.game.duel.audit import proofs, splits
from kdscan.game.duel.audit.dominoes import Budget, Task, bits
from kdscan.game.duel.audit.pairing import EVEN, smallest_uncovered
from kdscan.game.duel.audit.proofs import smallest_unreached
from kdscan.game.duel.audit.splits import Proof, Search
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import cell_of, number
from kdscan.game.grid import Cell, neighbours
from tests.game.rows import board_of

_Split = frozenset[frozenset[Cell]]
Pieces = tuple[tuple[Cell, ...], ...]


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


def test_agrees_with_trying_all_splits() -> None:
    """With every number of dots that the part without the castle may hold."""
    rng = random.Random(12)
    cells = [(r, c) for r in range(3) for c in range(5) if (r, c) != CASTLE]
    found_some = found_none = 0
    for _ in range(150):
        chosen = rng.sample(cells, rng.choice((4, 6, 8, 8)))
        coats = (Coat.DOT, rng.choice(list(Coat)))
        board = Board({cell: Shield(rng.choice(coats)) for cell in chosen})
        task = Task(board)
        singles, free = rng.choice((0, 2)), rng.random() < 0.5
        for spare in (None, 0, 1, 2) if free else (None,):
            expected = {
                split
                for split in slow_splits(board, frozenset(board), singles)
                if len(lost := castleless(board, split)) <= free
                and all(any(len(piece) == 2 and piece <= part for piece in split) for part in lost)
                and (spare is None or _dots(board, lost) <= spare)
            }
            found = [
                frozenset(frozenset(map(cell_of, piece)) for piece in pieces)
                for pieces in Search(task, task.filled, singles, free, spare).run()
            ]
            assert len(found) == len(set(found))
            assert set(found) == expected, f"\n{board}\n{singles} {free} {spare}"
            found_some += bool(found)
            found_none += not found
    assert min(found_some, found_none) > 50, (found_some, found_none)


def _dots(board: Board, parts: list[frozenset[Cell]]) -> int:
    return sum(board[cell].coat is Coat.DOT for part in parts for cell in part)


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


def cover(task: Task, wanted: int, singles: int, free: bool) -> int | None:
    """The first map found with some shields on it."""
    return next(proofs._covers(task, wanted, (singles, free), Budget()), None)


@pytest.mark.parametrize(("singles", "free"), [(0, False), (0, True), (2, False), (2, True)])
def test_covers_exist_exactly_where_trying_all_finds_one(singles: int, free: bool) -> None:
    rng = random.Random(11 + singles + free)
    answers = {True: 0, False: 0}
    while min(answers.values()) < 120:
        board = random_board(rng, rng.choice((5, 7, 8, 9)))
        task = Task(board)
        sound = [
            {cell for piece in pieces for cell in piece}
            for pieces in covers(list(board), singles)
            if hangs_together(board, pieces, free)
            and sum(len(piece) == 1 for piece in pieces) in (0, singles)
        ]
        everything = {cell for part in sound for cell in part}
        reached = proofs._reachable(task, (singles, free), None)
        assert {cell_of(i) for i in bits(reached)} == everything
        for _ in range(12):
            wanted = set(rng.sample(list(board), rng.randint(1, min(4, len(board)))))
            found = cover(task, bits_of(*wanted), singles, free)
            assert (found is not None) == any(wanted <= part for part in sound), f"\n{board}"
            if found is not None:
                cells = {cell_of(i) for i in bits(found)}
                assert wanted <= cells and cells in sound
            answers[found is not None] += 1
        proof = smallest_unreached(task, (singles, free))
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


def bits_of(*cells: Cell) -> int:
    return sum(1 << number(cell) for cell in cells)


def test_what_can_be_reached_is_everything_until_it_is_known() -> None:
    far = Board({cell: Shield(Coat.FILLED) for cell in ((1, 3), (1, 4), (4, 0), (4, 1))})
    assert proofs._reachable(Task(far), (0, False), None) == bits_of((1, 3), (1, 4))
    assert proofs._reachable(Task(far), (0, False), 0) == Task(far).filled


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
    task = Task(Board(near | far))
    alone = bits_of((1, 3))
    assert cover(task, alone, 2, True) == (task.filled if found else None)
    assert cover(task, alone, 2, False) is None


def test_a_proof_that_runs_out_of_remainders_is_made_smaller_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Either end of three in a row takes the middle; the domino below has no part in it."""
    monkeypatch.setattr(splits, "_MOST_REMAINDERS", 0)
    three, two = [(1, 2), (1, 3), (1, 4)], [(3, 3), (4, 3)]
    task = Task(Board({cell: Shield(Coat.DOT) for cell in (*three, *two)}))
    assert smallest_unreached(task, (0, False)) == Proof(bits_of((1, 2), (1, 4)), False)


def test_a_proof_that_takes_too_long_stays_as_large_as_it_is() -> None:
    task = Task(board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . ."))
    assert smallest_unreached(task, (0, False)) == Proof(bits_of((3, 0)), True)
    assert smallest_unreached(task, (0, False), steps=0) == Proof(task.filled, False)


def test_spare_shields_need_no_neighbours() -> None:
    alone = [1 << number(cell) for cell in ((0, 0), (0, 6), (4, 0))]
    assert smallest_uncovered(sum(alone), 0) in alone
    assert smallest_uncovered(sum(alone), 2) == sum(alone)
    assert smallest_uncovered(alone[0] | alone[1], 2) is None
    assert smallest_uncovered(0, 0) is None


def test_the_dot_wizard_opens_one_part_only() -> None:
    one = board_of(". . . dd dd . .", ". . . ## . . .", "l f . . . . .")
    assert smallest_unreached(Task(one), (0, True)) is None
    two = one.with_shield((1, 0), Shield(Coat.CHECKED)).with_shield((0, 0), Shield(Coat.FILLED))
    proof = smallest_unreached(Task(two), (0, True))
    assert proof is not None and proof.smallest and proof.cells.bit_count() == 2
    grown = two.with_shield((4, 0), Shield(Coat.LINE)).with_shield((4, 1), Shield(Coat.DOT))
    again = smallest_unreached(Task(grown), (0, True))
    assert again is not None and again.cells.bit_count() == 2
