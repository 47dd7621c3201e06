"""A Duel map: its coats and the dice that show them, the board, and its score.

A domain is a group of equal coats connected edge to edge; it is worth its shields times
its crosses (English rulebook, "End of the Game"). The wizard of the filled coat
adds 3 points for each domain of the chosen coat, with or without crosses.
"""

from __future__ import annotations

import json
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kdscan.rules import (
    Cell,
    DomainScore,
    TextError,
    cell_name,
    components,
    grid_text,
    groups,
    neighbours,
)

# Coats and dice


class Coat(StrEnum):
    """A coat of arms; the value is its name in JSON."""

    DOT = "dot"
    DOUBLE_DOT = "double_dot"
    LINE = "line"
    DOUBLE_LINE = "double_line"
    FILLED = "filled"
    CHECKED = "checked"


def spoken(coat: Coat) -> str:
    """A coat's name in an English sentence."""
    return coat.replace("_", " ")


GLYPHS = {
    Coat.DOT: "●",
    Coat.DOUBLE_DOT: "●●",
    Coat.LINE: "──",
    Coat.DOUBLE_LINE: "══",
    Coat.FILLED: "██",
    Coat.CHECKED: "▚▚",
}
"""Coats in text, one or two characters each."""


def shown(coat: Coat | None, crosses: int) -> str:
    """A shield in text, like `●● ×`; `·` for an empty one."""
    return f"{GLYPHS[coat] if coat else '·'} {'×' * crosses}".rstrip()


COATS: tuple[Coat | None, ...] = (None, *Coat)
"""What a shield can hold, in the order of the coat probabilities; empty first."""


Marks = tuple[Coat | None, int]
"""What a shield holds: its coat, or None, and the number of crosses."""


class Face(NamedTuple):
    """A face of a die: a coat with its crosses, or the joker (`coat` None)."""

    coat: Coat | None
    crosses: int = 0

    @classmethod
    def parse(cls, text: str) -> Face:
        """Read `?` or `coat:crosses`."""
        if text == "?":
            return cls(None)
        coat, crosses = text.split(":")
        return cls(Coat(coat), int(crosses))


_DATA = json.loads(Path(__file__).with_name("dice.json").read_text("utf-8"))

DICE: tuple[tuple[Face, ...], ...] = tuple(tuple(map(Face.parse, die)) for die in _DATA["dice"])
"""Six faces of each of the four dice."""

SQUARES: dict[Coat, int] = {coat: int(_DATA["spellbook"][coat]) for coat in Coat}
"""Squares on each line of the spellbook."""


# The board

ROWS, COLS = 5, 7
"""Rows and columns of a Duel map (34 shields and the castle)."""

CASTLE: Cell = (2, 3)
"""Row and column of the castle."""

CELLS: tuple[Cell, ...] = tuple(
    (r, c) for r in range(ROWS) for c in range(COLS) if (r, c) != CASTLE
)
"""The 34 cells that hold a shield, row-major, the castle left out."""

DIE_CROSSES = 2
"""Most crosses that a die brings. The rulebooks: "accompanied by one or two crosses"."""

BONUS_CROSSES = 2
"""Crosses that no die brings: the castle's and the checked wizard's."""

MAX_CROSSES = DIE_CROSSES + BONUS_CROSSES
"""Most crosses that one shield can lawfully hold."""

LETTERS = {
    Coat.DOT: "d",
    Coat.DOUBLE_DOT: "dd",
    Coat.LINE: "l",
    Coat.DOUBLE_LINE: "ll",
    Coat.FILLED: "f",
    Coat.CHECKED: "c",
}
"""How the text form writes each coat."""

_COATS = {letters: coat for coat, letters in LETTERS.items()}
_CELLS = frozenset(CELLS)


@dataclass(frozen=True)
class Shield:
    """A filled shield: its coat and the crosses beside it."""

    coat: Coat
    crosses: int = 0

    def __post_init__(self) -> None:
        if self.crosses < 0:
            raise ValueError(f"a shield cannot have {self.crosses} crosses")

    def __str__(self) -> str:
        return LETTERS[self.coat] + "+" * self.crosses


class Board(Mapping[Cell, Shield]):
    """The filled shields of a map by (row, column); empty shields are absent.

    Immutable; equal boards have equal hashes. Raises ValueError for a cell that is
    not a shield of the 5 x 7 map (the castle is not one).
    """

    __slots__ = ("_hash", "_shields")

    def __init__(self, shields: Mapping[Cell, Shield] | None = None) -> None:
        given = shields or {}
        for cell in given:
            if cell not in _CELLS:
                raise ValueError(f"{cell} is no shield of a {ROWS} x {COLS} map")
        self._shields = {cell: given[cell] for cell in CELLS if cell in given}
        self._hash: int | None = None

    def __getitem__(self, cell: Cell) -> Shield:
        return self._shields[cell]

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._shields)

    def __len__(self) -> int:
        return len(self._shields)

    def items(self) -> ItemsView[Cell, Shield]:
        """Cells with their shields, row-major; faster than Mapping's own."""
        return self._shields.items()

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._shields.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._shields == other._shields

    def __repr__(self) -> str:
        return f"Board.parse({str(self)!r})"

    def __str__(self) -> str:
        """The text form."""
        return grid_text((ROWS, COLS), CASTLE, self._shields)

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read the text form; raises TextError, which names the square, if it is invalid."""
        rows = [line.split() for line in text.strip().splitlines()]
        if len(rows) != ROWS:
            raise TextError("a map must have {rows} rows, not {n}", rows=ROWS, n=len(rows))
        shields: dict[Cell, Shield] = {}
        for r, row in enumerate(rows):
            if len(row) != COLS:
                raise TextError(
                    "row {row} has {n} squares instead of {cols}", row=r + 1, n=len(row), cols=COLS
                )
            for c, token in enumerate(row):
                cell, letters = (r, c), token.rstrip("+")
                name = cell_name(cell)
                if (cell == CASTLE) != (token == "##"):
                    raise TextError(
                        "{cell}: the castle '##' stands at {castle} and nowhere else",
                        cell=name,
                        castle=cell_name(CASTLE),
                    )
                if letters in _COATS:
                    shields[cell] = Shield(_COATS[letters], len(token) - len(letters))
                elif token not in (".", "##"):
                    raise TextError(
                        "{cell}: '{token}' is not a coat (known: {known})",
                        cell=name,
                        token=token,
                        known=" ".join(_COATS),
                    )
        return cls(shields)


def number(cell: Cell) -> int:
    """The cell's number, row * 7 + column."""
    return cell[0] * COLS + cell[1]


def cell_of(index: int) -> Cell:
    """The cell with that number."""
    return divmod(index, COLS)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the cells in a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


NEAR: dict[int, tuple[int, ...]] = {
    number(cell): tuple(number(near) for near in neighbours(cell) if near in set(CELLS))
    for cell in CELLS
}
"""The shields beside each shield."""

NEAR_BITS: dict[int, int] = {i: sum(1 << j for j in near) for i, near in NEAR.items()}

CASTLE_BITS = sum(1 << number(near) for near in neighbours(CASTLE))
"""The four shields beside the castle."""

ALL_BITS = sum(1 << number(cell) for cell in CELLS)


# The score

WIZARD_POINTS = 3
"""What the wizard of the filled coat pays for each domain of the chosen coat."""


@dataclass(frozen=True)
class Domain:
    """Equal coats connected edge to edge. `cells` in row-major order."""

    coat: Coat
    cells: tuple[Cell, ...]
    crosses: int
    points: int


@dataclass(frozen=True)
class Score(DomainScore[Domain]):
    """A map's score."""

    wizard: int = 0


def find_domains(board: Board) -> tuple[Domain, ...]:
    """The domains of a map, ordered by their first cell, row-major."""
    domains = []
    for coat, cells in groups({cell: shield.coat for cell, shield in board.items()}):
        crosses = sum([board[cell].crosses for cell in cells])
        domains.append(Domain(coat, cells, crosses, len(cells) * crosses))
    return tuple(domains)


def domain_points(marks: Sequence[tuple[Coat | None, int]]) -> int:
    """The points of a map's domains, from the coat (None for an empty shield) and crosses of each
    of `CELLS`: like `score_board`, but fast for ranking hundreds of boards of one sheet.
    """
    of_coat: dict[Coat, tuple[list[Cell], list[int]]] = {}
    for cell, (coat, crosses) in zip(CELLS, marks, strict=True):
        if coat is not None:
            cells, numbers = of_coat.setdefault(coat, ([], []))
            cells.append(cell)
            numbers.append(crosses)
    return sum([_worth(tuple(cells), tuple(numbers)) for cells, numbers in of_coat.values()])


@lru_cache(maxsize=2048)
def _worth(cells: tuple[Cell, ...], crosses: tuple[int, ...]) -> int:
    """The points of one coat's cells, cached: boards of one sheet differ in a shield or two."""
    of = dict(zip(cells, crosses, strict=True))
    return sum(len(group) * sum([of[cell] for cell in group]) for group in components(cells))


def score_board(board: Board, chosen_coat: Coat | None = None) -> Score:
    """Score a map; `chosen_coat` is the coat that its owner's filled wizard pays for."""
    domains = find_domains(board)
    paid = sum(domain.coat is chosen_coat for domain in domains)
    return Score(domains, WIZARD_POINTS * paid)
