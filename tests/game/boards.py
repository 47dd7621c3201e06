"""Boards for tests: random ones, played ones, and a slow judge of small ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product

from hypothesis import strategies as st

from kdscan.game.duel.audit.ways import Terms
from kdscan.game.duel.board import CASTLE, CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.greedy import greedy_player
from kdscan.game.duel.play import Game
from kdscan.game.duel.players import play_game, random_player
from kdscan.game.grid import Cell, neighbours

shields = st.builds(Shield, st.sampled_from(Coat), st.integers(0, 4))
boards = st.dictionaries(st.sampled_from(CELLS), shields, max_size=34).map(Board)
seeds = st.integers(0, 2**32)


def played(seed: int, rounds: int = 200) -> Game:
    """A game played to that many rounds at most, by players of both kinds."""
    rng = random.Random(seed)
    one, two = (rng.choice((random_player, greedy_player)) for _ in range(2))
    return play_game(rng, (one, two), rounds=rounds)


def changed(board: Board, rng: random.Random) -> Board:
    """The board with one shield emptied, filled or turned into another."""
    marks = [None, *(Shield(coat, n) for coat in Coat for n in (0, 0, 1, 2, 3))]
    return board.with_shield(rng.choice(CELLS), rng.choice(marks))


def small_board(rng: random.Random, cells: int, coats: tuple[Coat, ...]) -> Board:
    """A few shields in the castle's corner of the map, of few coats, with few crosses."""
    near = [(r, c) for r in range(1, 4) for c in range(2, 6) if (r, c) != CASTLE]
    chosen = rng.sample(near, cells)
    return Board({c: Shield(rng.choice(coats), rng.choice((0, 0, 0, 1, 3))) for c in chosen})


def slow_lawful(board: Board, terms: Terms) -> bool:
    """Whether any game leads to a small board by the rulebooks alone: tries everything.

    Dice show any coat with 0 to 2 crosses, or a joker. Plays forward round by round, and
    knows nothing of how the audit searches.
    """
    crossed = [cell for cell in board if board[cell].crosses]
    castles = [*([None] if not terms.castle_used else []), *crossed]
    wizards = [*([None] if not terms.cross_given else []), *crossed]
    if Coat.CHECKED not in terms.wizards:
        wizards = [None]
    if terms.castle_used is False:
        castles = [None]
    return any(_reaches(board, terms, k, w) for k, w in product(castles, wizards))


_State = tuple[frozenset[Cell], bool, bool, int, bool]


def _reaches(board: Board, terms: Terms, castle: Cell | None, wizard: Cell | None) -> bool:
    printed = {c: s.crosses - (c == castle) - (c == wizard) for c, s in board.items()}
    if not all(0 <= n <= 2 for n in printed.values()):
        return False
    plain = {c for c, n in printed.items() if n == 0 and c != castle}
    if any(sum(board[c].coat is coat for c in plain) < n for coat, n in terms.recorded):
        return False
    start: _State = (frozenset(), False, False, 0, False)
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if len(state[0]) == len(board) and state[4] == (wizard is not None):
            return True
        for after in _rounds(board, terms, plain, wizard, state):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def _rounds(
    board: Board, terms: Terms, plain: set[Cell], wizard: Cell | None, state: _State
) -> Iterator[_State]:
    drawn, free, apart, checked, done = state

    def joined(cell: Cell) -> bool:
        coat = board[cell].coat
        return any(n == CASTLE or (n in drawn and board[n].coat is coat) for n in neighbours(cell))

    def won(coat: Coat) -> bool:
        filled = sum(board[c].coat is coat for c in drawn & plain)
        return coat in terms.wizards and filled >= SQUARES[coat]

    for one, two in combinations(sorted(set(board) - drawn), 2):
        beside = two in neighbours(one)
        if beside and (joined(one) or joined(two)):
            powers = [(free, apart)]
        else:
            powers = []
            if beside and not free and won(Coat.DOT):
                powers.append((True, apart))
            if joined(one) and joined(two) and not apart and won(Coat.LINE):
                powers.append((free, True))
        after = drawn | {one, two}
        squares = sum(board[c].coat is Coat.CHECKED and c in plain for c in (one, two))
        for used_free, used_apart in powers:
            for filled in range(squares + 1):
                total = min(checked + filled, SQUARES[Coat.CHECKED])
                wins = wizard is not None and not done and total >= SQUARES[Coat.CHECKED]
                if wins and wizard not in after:
                    continue
                yield after, used_free, used_apart, total, done or wins


def slow_smallest(board: Board, terms: Terms) -> int | None:
    """Size of the smallest set that no lawful part of the board covers."""
    parts = [
        set(cells)
        for size in range(0, len(board) + 1, 2)
        for cells in combinations(board, size)
        if slow_lawful(Board({c: board[c] for c in cells}), terms)
    ]
    return _smallest(board, parts)


def slow_paired(board: Board, cells: set[Cell]) -> bool:
    """Whether dominoes on the board's shields cover those cells, whatever they touch."""
    parts: list[set[Cell]] = [set()]
    for one, two in combinations(board, 2):
        if two in neighbours(one):
            parts += [part | {one, two} for part in parts if not part & {one, two}]
    return any(cells <= part for part in parts)


def _smallest(board: Board, parts: list[set[Cell]]) -> int | None:
    for size in range(1, len(board) + 1):
        for cells in combinations(board, size):
            if not any(part.issuperset(cells) for part in parts):
                return size
    return None
