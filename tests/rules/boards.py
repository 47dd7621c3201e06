"""Boards for tests: random ones, played ones, and a slow brute-force audit of small ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product
from typing import NamedTuple

from hypothesis import strategies as st

from kdscan.rules import Cell, neighbours
from kdscan.rules.duel.board import CASTLE, CELLS, SQUARES, Board, Coat, Shield
from kdscan.rules.duel.legality import Terms
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.players import greedy_player, play_game, random_player

shields = st.builds(Shield, st.sampled_from(Coat), st.integers(0, 4))
boards = st.dictionaries(st.sampled_from(CELLS), shields, max_size=34).map(Board)
seeds = st.integers(0, 2**32)


EARLY = Board.parse(
    """.    d+   ll+  .    f++  d    .
       c+++ d    d    d    l    .    .
       c    c    c++  ##   dd   .    .
       c++  .    c    d    .    .    .
       dd   .    .    l    .    .    ."""
)
"""Dots enough can be drawn before the dot's wizard is called, but not on the way here."""


def played(seed: int, rounds: int = 200) -> Game:
    """A game played to that many rounds at most, by players of both kinds."""
    rng = random.Random(seed)
    one, two = (rng.choice((random_player, greedy_player)) for _ in range(2))
    return play_game(rng, (one, two), rounds=rounds)


def changed(board: Board, rng: random.Random) -> Board:
    """The board with one shield emptied, filled or turned into another."""
    marks = [None, *(Shield(coat, n) for coat in Coat for n in (0, 0, 1, 2, 3))]
    shields = {**board, rng.choice(CELLS): rng.choice(marks)}
    return Board({cell: shield for cell, shield in shields.items() if shield})


def small_board(rng: random.Random, cells: int, coats: tuple[Coat, ...]) -> Board:
    """A few shields in the castle's corner of the map, of few coats, with few crosses."""
    near = [(r, c) for r in range(1, 4) for c in range(2, 6) if (r, c) != CASTLE]
    chosen = rng.sample(near, cells)
    return Board({c: Shield(rng.choice(coats), rng.choice((0, 0, 0, 1, 3))) for c in chosen})


def ringed(rng: random.Random, more: int, coats: tuple[Coat, ...]) -> Board:
    """A board on which the castle is closed in, with some shields beyond the ring."""
    near = [(0, 2), (0, 3), (1, 1), (2, 1), (1, 5), (2, 5), (4, 3), (4, 2), (2, 6), (1, 6), (0, 5)]
    cells = [(r, c) for r in (1, 2, 3) for c in (2, 3, 4) if (r, c) != CASTLE]
    return Board({cell: Shield(rng.choice(coats)) for cell in cells + rng.sample(near, more)})


def slow_lawful(board: Board, terms: Terms) -> bool:
    """Whether any game leads to a small board by the rulebooks alone: tries everything.

    Dice show any coat with 0 to 2 crosses, or a joker. Plays forward round by round, and
    knows nothing of how the audit searches.
    """
    crossed = [cell for cell in board if board[cell].crosses]
    castles = [*([None] if not terms.castle_used else []), *crossed]
    wizards = [*([None] if not terms.cross_given else []), *crossed]
    if Coat.CHECKED not in terms.wizards:
        wizards = [None] if not terms.cross_given else []
    if terms.castle_used is False:
        castles = [None]
    return any(_reaches(board, terms, k, w) for k, w in product(castles, wizards))


class _State(NamedTuple):
    """Shields drawn, wizards called, coats that had no room in some round, squares filled on the
    checked line, whether its cross was given."""

    drawn: frozenset[Cell] = frozenset()
    used: frozenset[Coat] = frozenset()
    shut: frozenset[Coat] = frozenset()
    checked: int = 0
    given: bool = False


def _reaches(board: Board, terms: Terms, castle: Cell | None, wizard: Cell | None) -> bool:
    printed = {c: s.crosses - (c == castle) - (c == wizard) for c, s in board.items()}
    if not all(0 <= n <= 2 for n in printed.values()):
        return False
    plain = {c for c, n in printed.items() if n == 0 and c != castle}
    more = {coat for coat, n in terms.recorded if sum(board[c].coat is coat for c in plain) < n}
    if more and not terms.obtained:
        return False
    seen, waiting = {_State()}, [_State()]
    while waiting:
        state = waiting.pop()
        whole = len(state.drawn) == len(board) and state.given == (wizard is not None)
        if whole and more <= state.shut:
            return True
        for after in _rounds(board, terms, plain, wizard, state):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def _rounds(
    board: Board, terms: Terms, plain: set[Cell], wizard: Cell | None, state: _State
) -> Iterator[_State]:
    drawn, used, shut, checked, given = state

    def joined(cell: Cell, coat: Coat) -> bool:
        return any(n == CASTLE or (n in drawn and board[n].coat is coat) for n in neighbours(cell))

    def won(coat: Coat) -> bool:
        filled = sum(board[c].coat is coat for c in drawn & plain)
        return coat in terms.wizards and (
            filled >= SQUARES[coat] or (terms.obtained and coat in shut)
        )

    def fill(after: _State, most: int) -> Iterator[_State]:
        """Squares of the checked line filled; the cross comes with the last."""
        for filled in range(checked, SQUARES[Coat.CHECKED] + 1)[: most + 1]:
            wins = wizard is not None and not given and filled >= SQUARES[Coat.CHECKED]
            if not wins or wizard in after.drawn:
                yield after._replace(checked=filled * (wizard is not None), given=given or wins)

    free = set(CELLS) - drawn
    wanted = {coat for coat, _ in terms.recorded} | terms.wizards if terms.obtained else set()
    for coat in sorted(wanted):
        if not any(joined(cell, coat) for cell in free if free & set(neighbours(cell))):
            many = SQUARES[coat] * (terms.obtained and coat is Coat.CHECKED)
            yield from fill(state._replace(shut=shut | {coat}), many)
    for one, two in combinations(sorted(set(board) - drawn), 2):
        beside = two in neighbours(one)
        touching = [joined(cell, board[cell].coat) for cell in (one, two)]
        powers = []
        if beside and any(touching):
            powers.append(used)
        if beside and Coat.DOT not in used and won(Coat.DOT):
            powers.append(used | {Coat.DOT})
        if all(touching) and Coat.LINE not in used and won(Coat.LINE):
            powers.append(used | {Coat.LINE})
        squares = sum(board[c].coat is Coat.CHECKED and c in plain for c in (one, two))
        for called in powers:
            yield from fill(state._replace(drawn=drawn | {one, two}, used=called), squares)
