"""What a person says a shield holds: `C2=f++`, on the command line.

    [PHOTO[.SHEET]:]CELL=MARKS

CELL is a column letter and a row number (`A1` top left, `D3` the castle) or row and
column from 0 as in the JSON (`0,0`). MARKS is a coat in short or long form (`d dd l
ll f c`, `double_dot`), with a `+` for each cross or their number (`f++`, `f+2`), or
`.` for an empty shield. Of a kingdom of tiles MARKS is a terrain in short or long form
(`w f l g s m`, `wheat`) with its crowns likewise, `##` for the castle or `.` for no tile;
what is meant, the photo says. Lines of a spellbook: see `book_corrections`. PHOTO counts
from 1 in the order of the output, pages included; SHEET likewise when one photo holds
several maps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

from kdscan.cli.book_corrections import FORM, BookCorrection, book_field, coat_named, parse_book
from kdscan.errors import UsageError
from kdscan.game.duel.board import CASTLE, COLS, MAX_CROSSES, ROWS
from kdscan.game.duel.book_text import COATS
from kdscan.game.duel.coats import Coat
from kdscan.game.kingdomino.tiles import LETTERS as TERRAIN_LETTERS
from kdscan.game.kingdomino.tiles import SQUARES, Square, Terrain
from kdscan.kinds.common.fields import CellField

_FORM = re.compile(
    r"(?:(?P<photo>\d+)(?:\.(?P<sheet>\d+))?:)?"
    r"(?:(?P<letter>[a-zA-Z])(?P<number>\d+)|(?P<row>\d+),(?P<col>\d+))"
    r"=(?P<coat>\.|##|[a-zA-Z_]+)(?P<crosses>\++|\+\d)?"
)
EMPTY = (".", "empty")

_TERRAINS = {
    **{letter: terrain.value for terrain, letter in TERRAIN_LETTERS.items()},
    **{terrain.value: terrain.value for terrain in Terrain},
    "##": "castle",
    "castle": "castle",
    ".": "empty",
    "empty": "empty",
}
LARGEST_KINGDOM = 7
"""Squares along the side of the largest kingdom."""


@dataclass(frozen=True)
class Correction:
    """A shield or square as a person says it is. photo and sheet count from 0; None: the only one.

    coat, crosses: of a shield, unless `refused` says why it cannot be one.
    square: terrain and crowns of a square, None when it cannot be one.
    """

    text: str
    photo: int | None
    sheet: int
    cell: tuple[int, int]
    coat: Coat | None
    crosses: int
    square: tuple[str, int] | None = attribute(default=None, compare=False)
    refused: UsageError | None = attribute(default=None, compare=False)


AnyCorrection = Correction | BookCorrection


def parse_corrections(texts: Iterable[str]) -> tuple[AnyCorrection, ...]:
    """Read corrections, several in one text parted by spaces; raise `UsageError`."""
    return tuple(_parse(part) for text in texts for part in text.split())


def _parse(text: str) -> AnyCorrection:
    if of_book := FORM.fullmatch(text):
        return parse_book(text, of_book, *_where(of_book, text))
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(
            "--set {text}: write cell=coat and crosses, like C2=f++ or C2=. (empty); of a "
            "spellbook left.dot=3x (three squares, struck) or right=line (the chosen coat)",
            text=text,
        )
    count = _crosses(match["crosses"])
    square = _square(match["coat"].lower(), count)
    coat: Coat | None = None
    refused: UsageError | None = None
    try:
        coat = _coat(match["coat"], count, text)
        _check_shield(_cell(match), text)
    except UsageError as error:
        name = match["coat"].lower()
        of_kingdoms = square is not None or (name in _TERRAINS and name not in (*COATS, *EMPTY))
        if not of_kingdoms or not all(0 <= n < LARGEST_KINGDOM for n in _cell(match)):
            raise
        refused = error
    return Correction(text, *_where(match, text), _cell(match), coat, count, square, refused)


def _where(match: re.Match[str], text: str) -> tuple[int | None, int]:
    """Which photo, None for the only one, and which sheet of it; both from 0."""
    photo, sheet = match["photo"], match["sheet"]
    return (
        None if photo is None else _from_one(photo, text),
        0 if sheet is None else _from_one(sheet, text),
    )


def _coat(name: str, crosses: int, text: str) -> Coat | None:
    coat = None if name.lower() in EMPTY else coat_named(name, text, " .")
    if crosses > MAX_CROSSES:
        raise UsageError(
            "--set {text}: a shield holds {most} crosses at most",
            text=text,
            most=MAX_CROSSES,
        )
    if coat is None and crosses:
        raise UsageError("--set {text}: an empty shield has no crosses", text=text)
    return coat


def _square(name: str, crowns: int) -> tuple[str, int] | None:
    """Terrain and crowns, when the box holds such a square."""
    terrain = _TERRAINS.get(name)
    if terrain in ("castle", "empty"):
        return (terrain, 0) if crowns == 0 else None
    if terrain is None or Square(Terrain(terrain), crowns) not in SQUARES:
        return None
    return terrain, crowns


def field_of(one: AnyCorrection, kind: str, size: int = 0) -> tuple[str, Any]:
    """The correction of a sheet of that kind as a store keeps it: field and value.

    size: squares along a kingdom's side. Raises `UsageError` for what no such sheet holds.
    """
    if isinstance(one, BookCorrection):
        if kind != "duel_spellbook":
            why = "--set {text}: that is no spellbook; name its sheet, like 1.3:"
            raise UsageError(why, text=one.text)
        return book_field(one)
    if kind == "duel_spellbook":
        raise UsageError("--set {text}: that is a spellbook, it has no such cells", text=one.text)
    field = str(CellField(one.cell))
    if kind == "kingdom":
        terrain, crowns = _square_of(one, size)
        return field, {"terrain": terrain, "crowns": crowns}
    if one.refused:
        raise one.refused
    return field, {"coat": one.coat.value if one.coat else None, "crosses": one.crosses}


def _square_of(correction: Correction, size: int) -> tuple[str, int]:
    """What lies on a square of a kingdom of that size; raises `UsageError`."""
    if correction.square is None:
        raise UsageError(
            "--set {text}: no square of Kingdomino is that; terrains are w f l g s m with a + "
            "for each crown, ## is the castle, . no tile",
            text=correction.text,
        )
    if max(correction.cell) >= size:
        last = f"{'ABCDEFG'[size - 1]}{size}"
        raise UsageError(
            "--set {text}: squares of this kingdom go from A1 to {last}",
            text=correction.text,
            last=last,
        )
    return correction.square


def _crosses(text: str | None) -> int:
    if text is None:
        return 0
    return int(text[1:]) if text[1:].isdigit() else len(text)


def _from_one(number: str, text: str) -> int:
    if int(number) == 0:
        raise UsageError("--set {text}: photos and sheets count from 1", text=text)
    return int(number) - 1


def _cell(match: re.Match[str]) -> tuple[int, int]:
    if match["letter"]:
        return int(match["number"]) - 1, ord(match["letter"].upper()) - ord("A")
    return int(match["row"]), int(match["col"])


def _check_shield(cell: tuple[int, int], text: str) -> None:
    row, col = cell
    if not (0 <= row < ROWS and 0 <= col < COLS):
        raise UsageError("--set {text}: cells go from A1 to G5 (or 0,0 to 4,6)", text=text)
    if cell == CASTLE:
        raise UsageError("--set {text}: that is the castle, it holds no coat", text=text)
