"""The fewest shields to blame, compared with every set of dominoes on small maps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from kdscan.rules.duel.audit import audit_on_terms, proofs, smallest
from kdscan.rules.duel.audit.proofs import Covers
from kdscan.rules.duel.audit.shields import Task, bits
from kdscan.rules.duel.audit.smallest import Proof, shortages
from kdscan.rules.duel.audit.terms import Chances, Terms
from kdscan.rules.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.drawing import cell_of, number
from kdscan.rules.grid import Cell, neighbours

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


def sound_parts(board: Board) -> tuple[list[set[Cell]], int]:
    """What connected dominoes cover, with the wizards of dot and line where these can be won
    with what is covered; how many shields the line's leaves alone."""
    singles, free = 0, False
    while True:
        sound = [
            {cell for piece in pieces for cell in piece}
            for pieces in covers(list(board), singles)
            if hangs_together(board, pieces, free)
            and sum(len(piece) == 1 for piece in pieces) in (0, singles)
        ]
        coats = [board[cell].coat for cell in set().union(*sound)]
        line, dot = (coats.count(coat) >= SQUARES[coat] for coat in (Coat.LINE, Coat.DOT))
        if (singles, free) == (2 * line, dot):
            return sound, singles
        singles, free = 2 * line, dot


@pytest.mark.parametrize("first_steps", [1_000, 0])
def test_as_few_shields_are_blamed_as_there_can_be(
    first_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the first search ends at once, and a second one looks for the answer."""
    monkeypatch.setattr(proofs, "_FEW_STEPS", first_steps)
    rng = random.Random(11 + first_steps)
    found: dict[str, int] = {}
    for _ in range(120):
        for coat in (Coat.DOT, Coat.LINE):
            monkeypatch.setitem(SQUARES, coat, rng.choice((2, 3, 3, 4)))
        board = random_board(rng, rng.choice((5, 7, 8, 9)))
        sound, singles = sound_parts(board)
        size = fewest(board, sound)
        problems = audit_on_terms(board, Terms(False)).problems
        codes = [problem.code for problem in problems]
        assert (size is None) == (codes in ([], ["wizard_too_early"])), f"\n{board}\n{codes}"
        if size is not None:
            (problem,) = problems
            assert len(problem.cells) == size, f"\n{board}\n{SQUARES}"
            free = [
                {c for piece in pieces for c in piece} for pieces in covers(list(board), singles)
            ]
            paired = any(set(problem.cells) <= part for part in free)
            paired &= size < len(board) or size % 2 == 0
            assert problem.code == ("unconnected_domino" if paired else "unpaired_shields")
        kind = codes[0] if codes else "lawful"
        found[kind] = found.get(kind, 0) + 1
    assert min(found["unpaired_shields"], found["unconnected_domino"], found["lawful"]) > 1, found


def fewest(board: Board, sound: list[set[Cell]]) -> int | None:
    largest = [part for part in sound if not any(part < other for other in sound)]
    for size in range(1, len(board) + 1):
        for cells in combinations(board, size):
            if not any(part.issuperset(cells) for part in largest):
                return size
    return None


@pytest.mark.parametrize("spare", [0, 1, 2])
def test_what_dominoes_leave_out_whatever_they_touch(spare: int) -> None:
    rng = random.Random(spare)
    found = 0
    while found < (25, 25, 3)[spare]:
        board = random_board(rng, rng.choice((4, 6, 8)))
        filled = sum(1 << number(cell) for cell in board)
        # What dominoes and so many single shields cover, whatever they touch.
        sound = [{c for piece in pieces for c in piece} for pieces in covers(list(board), spare)]
        sets = [cells for short, cells in shortages(filled, filled).items() if short > spare]
        cells = min(sets, key=int.bit_count, default=0)
        assert (cells.bit_count() if cells else None) == fewest(board, sound), f"\n{board}"
        if cells:
            found += 1
            assert not any({cell_of(i) for i in bits(cells)} <= part for part in sound)


NO_WIZARDS = Terms(False, frozenset())


def covers_of(board: Board, steps: int | None = None) -> Covers:
    return Covers(Task(board), Chances(board, NO_WIZARDS), steps)


def bits_of(*cells: Cell) -> int:
    return sum(1 << number(cell) for cell in cells)


def test_a_proof_that_runs_out_of_remainders_is_made_smaller_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Either end of three in a row takes the middle; the domino below has no part in it."""
    monkeypatch.setattr(smallest, "_MOST_REMAINDERS", 0)
    three, two = [(1, 2), (1, 3), (1, 4)], [(3, 3), (4, 3)]
    board = Board({cell: Shield(Coat.DOT) for cell in (*three, *two)})
    assert covers_of(board).smallest() == Proof(bits_of((1, 2), (1, 4)), False)


def test_a_proof_that_takes_too_long_stays_as_large_as_it_is() -> None:
    far = Board({cell: Shield(Coat.FILLED) for cell in ((1, 3), (1, 4), (4, 0))})
    assert covers_of(far).smallest() == Proof(bits_of((4, 0)), True)
    assert covers_of(far, 0).smallest() == Proof(Task(far).filled, False)
