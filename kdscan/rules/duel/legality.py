"""A quick check of a map: can dice bring its crosses, and connected dominoes cover it?

It is meant for maps read from photos, where a broken rule hints at a misread shield. Whatever it
reports is impossible; `audit` also notices what is impossible for less obvious reasons. Of 53 wrong
readings of synthetic photos for which the audit has a reason, this check has one for 51.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations, permutations
from operator import or_
from typing import NamedTuple

from kdscan.rules import Cell, Problem
from kdscan.rules.duel.board import (
    BONUS_CROSSES,
    CASTLE_BITS,
    DICE,
    DIE_CROSSES,
    MAX_CROSSES,
    NEAR_BITS,
    SQUARES,
    Board,
    Coat,
    Face,
    Shield,
    bits,
    cell_of,
    number,
)

MAP_WIZARDS = frozenset({Coat.DOT, Coat.LINE, Coat.CHECKED})
"""The wizards that change what a map can look like."""


@dataclass(frozen=True, eq=False)
class Dice:
    """The faces of four dice."""

    faces: tuple[tuple[Face, ...], ...]


_ANY_FACE = (Face(None), *(Face(coat, n) for coat in Coat for n in range(DIE_CROSSES + 1)))

ANY_DICE = Dice((_ANY_FACE,) * 4)
"""Dice as far as the rulebooks define them: any coat with up to two crosses, or a joker."""

KNOWN_DICE = Dice(DICE)
"""The four dice as `dice.json` has them."""

Partners = Mapping[int, int]
"""For each filled shield, those that it can share a domino with, as bits."""


@dataclass(frozen=True)
class Terms:
    """What is known in addition to a map.

    castle_used: whether the roof is coloured; None if that is unknown.
    wizards: those that the player can have used.
    cross_given: whether the checked wizard's cross is certainly on the map.
    recorded: squares filled in the spellbook; empty if there is none.
    obtained: whether coats fill squares that were never drawn (French edition).
    """

    castle_used: bool | None = None
    wizards: frozenset[Coat] = MAP_WIZARDS
    cross_given: bool = False
    recorded: tuple[tuple[Coat, int], ...] = ()
    obtained: bool = False

    @property
    def castle_left(self) -> bool:
        """Whether a cross can come from the castle."""
        return self.castle_used is not False

    def most_squares(self, board: Board, coat: Coat, covered: Collection[Cell] = ()) -> int:
        """The most squares of a coat's line that the map's shields can have filled.

        covered: shields of which one has the checked wizard's cross: its die brought one less.
        """
        crosses = {cell: shield.crosses for cell, shield in board.items() if shield.coat is coat}
        plain = sum(not count for count in crosses.values())
        return plain + any(crosses.get(cell) == 1 for cell in covered)

    def crossed(self, board: Board, cells: Collection[Cell]) -> bool:
        """Whether the checked wizard's cross can be on one of these shields."""
        return Coat.CHECKED in self.wizards and (
            self.obtained or self.most_squares(board, Coat.CHECKED, cells) >= SQUARES[Coat.CHECKED]
        )

    def winnable(self, board: Board, coat: Coat) -> bool:
        """Whether the map's shields can have won a wizard."""
        covered = board if self.crossed(board, board) else ()
        return coat in self.wizards and (
            self.obtained or self.most_squares(board, coat, covered) >= SQUARES[coat]
        )


def find_problems(board: Board, terms: Terms | None = None) -> tuple[Problem, ...]:
    """What the rules forbid about a map (errors), or else what only the known dice forbid
    (warnings); none if nothing is obviously impossible."""
    terms = terms or Terms()
    errors = (*cross_problems(board, terms), *domino_problems(board, terms))
    return errors or dice_problems(board, terms)


def dice_problems(board: Board, terms: Terms) -> tuple[Problem, ...]:
    """What only the known dice forbid about a map, as warnings."""
    crosses = tuple(cross_problems(board, terms, KNOWN_DICE))
    return crosses or domino_problems(board, terms, KNOWN_DICE)


def cross_problems(board: Board, terms: Terms, dice: Dice = ANY_DICE) -> Iterator[Problem]:
    """Crosses that neither dice nor bonuses bring; the fewest shields are named."""
    needs: dict[Cell, int] = {}
    for cell, shield in board.items():
        bonus = range(BONUS_CROSSES + 1)
        enough = (n for n in bonus if die_shows(dice, shield.coat, shield.crosses - n))
        need = next(enough, len(bonus))
        if shield.crosses > MAX_CROSSES:
            why = f"{shield.crosses} crosses, where no shield can have more than {MAX_CROSSES}"
            yield Problem("too_many_crosses", "error", why, (cell,))
        elif need:
            needs[cell] = need
    sets = (cells for size in range(1, BONUS_CROSSES + 2) for cells in combinations(needs, size))
    for cells in sets:
        if sum(needs[c] for c in cells) > terms.castle_left + terms.crossed(board, cells):
            if dice is ANY_DICE:
                why = (
                    f"a die brings {DIE_CROSSES} crosses at most, and castle and wizard do not "
                    "make up for the rest"
                )
                yield Problem("bonus_crosses", "error", why, cells)
            else:
                why = "more bonus crosses than castle and wizard give: no die brings these crosses"
                yield Problem("bonus_crosses", "warning", why, cells)
            break
    given = bool(terms.castle_used) + terms.cross_given
    if dice is ANY_DICE and sum(shield.crosses for shield in board.values()) < given:
        why = "the roof is coloured or a wizard was used, but no cross shows for it"
        yield Problem("missing_cross", "error", why)


def domino_problems(board: Board, terms: Terms, dice: Dice = ANY_DICE) -> tuple[Problem, ...]:
    """Shields that no dominoes cover, or none that connect, by the rulebooks whatever their
    crosses."""
    filled = sum(1 << number(cell) for cell in board)
    partners = {number(cell): NEAR_BITS[number(cell)] & filled for cell in board}
    if dice is KNOWN_DICE:
        spare = terms.castle_left + terms.crossed(board, board)
        for i, near in partners.items():
            made = (
                j for j in bits(near) if _dice_make(board[cell_of(i)], board[cell_of(j)], spare)
            )
            partners[i] = sum(1 << j for j in made)
    singles = 2 * terms.winnable(board, Coat.LINE)
    code, cells = "unpaired_shields", _uncovered(partners, singles)
    if not cells:
        code, cells = "unconnected_domino", _unconnected(board, partners, singles)
        if cells and terms.winnable(board, Coat.DOT):
            opened = [1 << i | 1 << j for i in bits(cells) for j in bits(partners[i])]
            left = [_unconnected(board, partners, singles, domino) for domino in opened]
            cells = min([cells, *left], key=int.bit_count)
    if not cells:
        return ()
    count = cells.bit_count()
    these = "this shield" if count == 1 else f"these {count} shields"
    where = tuple(map(cell_of, bits(cells)))
    if dice is KNOWN_DICE:
        why = f"no known dice make dominoes of {these}"
        return (Problem("dice", "warning", why, where),)
    why = f"no dominoes can cover {these}: every round fills two shields"
    if code == "unconnected_domino":
        why = (
            f"no domino with {these} touches the castle or an equal coat drawn in an earlier round"
        )
    return (Problem(code, "error", why, where),)


def _uncovered(partners: Partners, singles: int) -> int:
    """Shields that too few dominoes cover; none if dominoes cover all but `singles`.

    These are shields without a neighbour, or shields of one colour of the chessboard with fewer
    partners than they are (Hall's theorem), or an odd number of shields altogether.
    """
    match = matching(partners)
    unmatched = [i for i in partners if i not in match]
    if len(unmatched) <= singles:
        return sum(1 << i for i in partners) if len(unmatched) % 2 else 0
    alone = sum(1 << i for i, near in partners.items() if not near)
    if alone.bit_count() > singles:
        return alone
    crowds = []
    for i in unmatched:
        crowd, waiting = 1 << i, [i]
        while waiting:
            for j in bits(partners[waiting.pop()]):
                if not crowd >> match[j] & 1:
                    crowd |= 1 << match[j]
                    waiting.append(match[j])
        crowds.append(crowd)
    crowds.sort(key=int.bit_count)
    return reduce(or_, crowds[: singles + 1])


def matching(partners: Partners) -> dict[int, int]:
    """A largest set of dominoes, each shield's partner by shield; by augmenting paths (Berge)."""
    match: dict[int, int] = {}

    def augment(i: int, tried: set[int]) -> bool:
        for j in bits(partners[i]):
            if j not in tried:
                tried.add(j)
                if j not in match or augment(match[j], tried):
                    match[i], match[j] = j, i
                    return True
        return False

    for i in partners:
        if i not in match:
            augment(i, set())
    return match


def _unconnected(board: Board, partners: Partners, singles: int, opened: int = 0) -> int:
    """Shields that cannot be drawn, whichever dominoes are, or not all of them.

    Spreads from the castle: a domino can be drawn beside an equal coat on another domino that can.
    singles: whether the line's wizard can draw shields alone. opened: a domino that the dot's
    wizard draws, 0 for none.
    """
    coats = dict.fromkeys(Coat, 0)
    for cell, shield in board.items():
        coats[shield.coat] |= 1 << number(cell)
    equal = {number(c): NEAR_BITS[number(c)] & coats[s.coat] for c, s in board.items()}
    waiting = {1 << i | 1 << j for i, near in partners.items() for j in bits(near)}
    waiting |= {1 << i for i in partners if singles}
    touched = {piece: reduce(or_, (equal[i] for i in bits(piece))) & ~piece for piece in waiting}
    waiting = {piece for piece in waiting if not piece & opened}
    drawn, fits = [opened] * (opened > 0), {piece for piece in waiting if piece & CASTLE_BITS}
    while fits:
        drawn += fits
        waiting -= fits
        fits = {
            piece
            for piece in waiting
            if any(touched[piece] & other and not piece & other for other in drawn)
        }
    possible = dict.fromkeys(partners, 0)
    for piece in drawn:
        for i in bits(piece):
            possible[i] |= piece & ~(1 << i)
    missing = sum(1 << i for i in partners if not any(piece >> i & 1 for piece in drawn))
    return missing or _uncovered(possible, singles)


@cache
def die_shows(dice: Dice, coat: Coat, crosses: int) -> bool:
    """Whether one of the dice brings that many crosses to a coat."""
    return any(_shows(die, coat, crosses) for die in dice.faces)


def _shows(die: tuple[Face, ...], coat: Coat, crosses: int) -> bool:
    return Face(coat, crosses) in die or (crosses == 0 and Face(None) in die)


class Half(NamedTuple):
    """One shield as its die made it; castle: whether that die got the castle's cross."""

    coat: Coat
    crosses: int
    castle: bool = False

    @property
    def counts(self) -> bool:
        """Whether it fills a square, unless a joker made it."""
        return self.crosses == 0 and not self.castle


@cache
def made_by(dice: Dice, one: Half, two: Half) -> tuple[frozenset[int], Counter[Coat]]:
    """Each two dice that can show a domino, as bits; the most squares it fills on each line."""
    pairs, most = set(), Counter[Coat]()
    for i, j in permutations(range(len(dice.faces)), 2):
        both = (dice.faces[i], one), (dice.faces[j], two)
        if all(_shows(die, half.coat, half.crosses) for die, half in both):
            pairs.add(1 << i | 1 << j)
            plain = [half.coat for die, half in both if half.counts and Face(half.coat) in die]
            most |= Counter(plain)
    return frozenset(pairs), most


@cache
def _dice_make(one: Shield, two: Shield, spare: int) -> bool:
    """Whether two of the known dice make a domino, of which this many crosses are bonuses."""
    bonuses = ((a, b) for a in range(spare + 1) for b in range(spare + 1 - a))
    halves = (
        (Half(one.coat, one.crosses - a), Half(two.coat, two.crosses - b)) for a, b in bonuses
    )
    return any(made_by(KNOWN_DICE, *both)[0] for both in halves)
