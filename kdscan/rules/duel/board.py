"""The marks on a Duel map: the coat and the number of crosses of each shield."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from dataclasses import dataclass

from kdscan.errors import UsageError
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell, cell_name
from kdscan.rules.text import grid_text

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


class BoardTextError(UsageError, ValueError):
    """A text is not a board; the message says where and why."""


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

    def with_shield(self, cell: Cell, shield: Shield | None) -> Board:
        """The same board with `cell` holding `shield`; None empties it."""
        shields = dict(self._shields)
        shields.pop(cell, None)
        if shield is not None:
            shields[cell] = shield
        return Board(shields)

    def __str__(self) -> str:
        """The text form."""
        return grid_text((ROWS, COLS), CASTLE, self._shields)

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read the text form; raises BoardTextError, which names the square, if it is invalid."""
        rows = [line.split() for line in text.strip().splitlines()]
        if len(rows) != ROWS:
            raise BoardTextError("a map must have {rows} rows, not {n}", rows=ROWS, n=len(rows))
        shields: dict[Cell, Shield] = {}
        for r, row in enumerate(rows):
            if len(row) != COLS:
                raise BoardTextError(
                    "row {row} has {n} squares instead of {cols}", row=r + 1, n=len(row), cols=COLS
                )
            for c, token in enumerate(row):
                if (r, c) == CASTLE:
                    _check_castle(token)
                elif token != ".":
                    shields[r, c] = _shield(token, (r, c))
        return cls(shields)


def _check_castle(token: str) -> None:
    if token != "##":
        raise BoardTextError(
            "{cell} is the castle: write '##' there, not '{token}'",
            cell=cell_name(CASTLE),
            token=token,
        )


def _shield(token: str, cell: Cell) -> Shield:
    if token == "##":
        raise BoardTextError(
            "{cell}: the castle '##' stands at {castle} and nowhere else",
            cell=cell_name(cell),
            castle=cell_name(CASTLE),
        )
    letters = token.rstrip("+")
    if letters not in _COATS:
        raise BoardTextError(
            "{cell}: '{token}' is not a coat (known: {known})",
            cell=cell_name(cell),
            token=token,
            known=" ".join(_COATS),
        )
    return Shield(_COATS[letters], len(token) - len(letters))
