"""Consistency of a finished spellbook, by itself and with the maps.

Every finding is a `Problem`; nothing is corrected here. Players are called left and
right, by their side of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kdscan.rules.duel.board import DIE_CROSSES, Board
from kdscan.rules.duel.coats import Coat, spoken
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.problem import Problem

SIDES = ("left", "right")

_EXCESS, _SHORT, _SHORT_CLOSED = 1.5, 1.1, 0.65
"""Weights of the evidence for whose map is whose, see `whose_maps`; fitted by logistic
regression to 260 simulated games, all of which they classify correctly."""


def book_problems(
    book: Spellbook, chosen: tuple[Coat | None, Coat | None] | None = None
) -> tuple[Problem, ...]:
    """Entries that no lawful game leaves in a spellbook; chosen: the coat that each side names."""
    return tuple(_book_problems(book, chosen or (book.chosen_by(0), book.chosen_by(1))))


def _book_problems(book: Spellbook, chosen: tuple[Coat | None, Coat | None]) -> Iterator[Problem]:
    for coat in Coat:
        yield from _line_problems(book, coat)
    for player in (0, 1):
        side, mine = SIDES[player], chosen[player]
        owns = book.owner(Coat.FILLED) == player
        if mine is not None and not owns:
            why = f"the {side} side names {spoken(mine)} as its coat, but did not win that wizard"
            yield Problem("choice_not_won", "error", why)
        if owns and mine is None:
            why = (
                f"the {side} side won the wizard of the filled coat, but names no coat, or"
                " several; its 3 points a domain cannot be counted"
            )
            yield Problem("no_choice", "warning", why)


def _line_problems(book: Spellbook, coat: Coat) -> Iterator[Problem]:
    lines = book.lines[0][coat], book.lines[1][coat]
    full = [line.filled >= SQUARES[coat] for line in lines]
    name = f"line of {spoken(coat)}"
    # Who fills a line in the same round as player A fills it strikes it through.
    settled = all(full) and lines[0].struck != lines[1].struck
    if all(full) and not settled:
        yield Problem("both_filled", "error", f"both sides filled the {name}; only one can win it")
    for player in (0, 1):
        side, other = SIDES[player], SIDES[1 - player]
        this, that = lines[player], lines[1 - player]
        if this.struck and not full[1 - player]:
            why = f"the {name} is struck on the {side}, but not filled on the {other}"
            yield Problem("struck_too_soon", "error", why)
        if this.struck and full[player] and not settled:
            why = f"the {name} is filled on the {side}, and struck"
            yield Problem("filled_and_struck", "error", why)
        if full[player] and not full[1 - player] and not that.struck:
            why = f"the {name} is filled on the {side}, but not struck on the {other}"
            yield Problem("not_struck", "warning", why)
        if this.used and book.owner(coat) != player:
            why = f"the power of the {name} is used on the {side}, but was not won there"
            yield Problem("power_not_won", "error", why)


def map_problems(
    book: Spellbook, player: int, board: Board, castle_used: bool | None
) -> tuple[Problem, ...]:
    """Where a map and its player's side of the spellbook contradict each other.

    castle_used: whether the roof is coloured, None if that is not known.
    """
    return tuple(_map_problems(book, player, board, castle_used))


def _map_problems(
    book: Spellbook, player: int, board: Board, castle_used: bool | None
) -> Iterator[Problem]:
    side = SIDES[player]
    plain = crossless(board)
    wizard = book.owner(Coat.CHECKED) == player
    spare = int(wizard)  # its cross may lie on a coat that had filled a square
    for coat in Coat:
        filled = book.lines[player][coat].filled
        if filled > plain[coat] + spare:
            where = tuple(cell for cell, shield in board.items() if shield.coat is coat)
            why = (
                f"the {side} side has {filled} squares for {spoken(coat)}, but its map holds"
                f" {plain[coat]} without a cross"
            )
            yield Problem("squares_beyond_map", "warning", why, where)
    lawful = DIE_CROSSES + (castle_used is not False) + wizard
    for cell, shield in board.items():
        if shield.crosses > lawful:
            why = (
                f"{shield.crosses} crosses beside one shield need help that the {side} side"
                " did not have: castle or checked wizard"
            )
            yield Problem("crosses_beyond_powers", "error", why, (cell,))
    if wizard and not any(shield.crosses for _, shield in board.items()):
        why = f"the checked wizard gave the {side} side a cross, but its map holds none"
        yield Problem("power_without_cross", "warning", why)


def crossless(board: Board) -> dict[Coat, int]:
    """Number of shields of each coat without a cross; each may have filled a square."""
    count = dict.fromkeys(Coat, 0)
    for _, shield in board.items():
        if not shield.crosses:
            count[shield.coat] += 1
    return count


def whose_maps(book: Spellbook, maps: tuple[Board, Board]) -> tuple[tuple[int, int], float]:
    """Which side of the book each map's player wrote on, and how probable that is.

    Filled squares must come from shields without a cross. More squares than such shields are
    evidence against a pairing. Fewer squares are weaker evidence (jokers fill none), and even
    weaker on lines that the other side closed.
    """
    straight = _strain(book, 0, maps[0]) + _strain(book, 1, maps[1])
    crossed = _strain(book, 1, maps[0]) + _strain(book, 0, maps[1])
    p = 1 / (1 + math.exp(max(-50.0, min(50.0, straight - crossed))))
    return ((0, 1), p) if p >= 0.5 else ((1, 0), 1 - p)


def _strain(book: Spellbook, player: int, board: Board) -> float:
    plain = crossless(board)
    excess, strain = -int(book.owner(Coat.CHECKED) == player), 0.0
    for coat in Coat:
        gap = plain[coat] - book.lines[player][coat].filled
        owner = book.owner(coat)
        if gap < 0:
            excess -= gap
        elif owner is None:
            strain += _SHORT * gap
        elif owner != player:
            strain += _SHORT_CLOSED * gap
    return strain + _EXCESS * max(excess, 0)
