"""The syntax of corrections on the command line.

    [PHOTO[.SHEET]:]CELL=MARKS                  `C2=f++`: a shield, or a square of a kingdom
    [PHOTO[.SHEET]:]SIDE.COAT=FILLED[x][u]      `left.dot=3x`: a line of a spellbook
    [PHOTO[.SHEET]:]SIDE=COAT                   the coat that the side chose, or `.` for none

CELL is a column letter and a row number (`A1` top left, `D3` the castle) or row and
column from 0 as in the JSON (`0,0`). MARKS is a coat in short or long form (`d dd l
ll f c`, `double_dot`), with a `+` for each cross or their number (`f++`, `f+2`), or
`.` for an empty shield. Of a kingdom of tiles MARKS is a terrain in short or long form
(`w f l g s m`, `wheat`) with its crowns likewise, `##` for the castle or `.` for no tile;
the photo decides which is meant. SIDE is `left` or `right`, as the page lies upright; FILLED are
the squares filled, x: struck, u: power used. PHOTO counts from 1 in the order of the output,
pages included; SHEET likewise when one photo holds several maps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kdscan.errors import UsageError
from kdscan.rules.duel.board import CASTLE, COLS, LETTERS, MAX_CROSSES, ROWS
from kdscan.rules.duel.book_checks import SIDES
from kdscan.rules.duel.book_text import COATS
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES as LINE_SQUARES
from kdscan.rules.grid import Cell
from kdscan.rules.kingdomino.tiles import LETTERS as TERRAIN_LETTERS
from kdscan.rules.kingdomino.tiles import SQUARES, Square, Terrain
from kdscan.sheets.common import CellField, ChoiceField, LineField, parse_field

_FORM = re.compile(
    r"(?:(?P<photo>\d{1,6})(?:\.(?P<sheet>\d{1,6}))?:)?"
    r"(?:(?P<side>left|right)"
    r"(?:\.(?P<line>[a-z_]+)=(?P<filled>\d)(?P<struck>x?)(?P<used>u?)|=(?P<chosen>\.|[a-z_]+))"
    r"|(?:(?P<letter>[a-z])(?P<number>\d{1,6})|(?P<row>\d{1,6}),(?P<col>\d{1,6}))"
    r"=(?P<name>\.|##|[a-z_]+)(?P<count>\++|\+\d)?)",
    re.IGNORECASE | re.ASCII,
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

Field = tuple[str, Any]
"""A field of corrections and its value, as in a store."""


@dataclass(frozen=True)
class Correction:
    """A person's correction of a place. photo and sheet count from 0; None: the only one.

    fields: its meaning for each kind of sheet that may be meant, or why it is impossible there.
    """

    text: str
    photo: int | None
    sheet: int
    fields: Mapping[str, Field | UsageError]


def parse_corrections(texts: Iterable[str]) -> tuple[Correction, ...]:
    """Parse corrections, of which one text may contain several, separated by spaces; raise
    `UsageError`."""
    return tuple(_parse(part) for text in texts for part in text.split())


def field_of(one: Correction, kind: str, size: int = 0, example: str = "1.3:") -> Field:
    """The meaning of a correction for a sheet of that kind.

    size: squares along a kingdom's side. example: how a sheet is named. Raises `UsageError` for
    what no such sheet can contain.
    """
    found = one.fields.get(kind)
    if found is None and kind == "duel_spellbook":
        raise UsageError("--set {text}: that is a spellbook, it has no such cells", text=one.text)
    if found is None:
        raise UsageError(
            "--set {text}: that is no spellbook; name its sheet, like {example}",
            text=one.text,
            example=example,
        )
    if isinstance(found, UsageError):
        raise found
    at = parse_field(found[0])
    if kind == "kingdom" and isinstance(at, CellField) and max(at.cell) >= size:
        raise UsageError(
            "--set {text}: squares of this kingdom go from A1 to {last}",
            text=one.text,
            last=f"{'ABCDEFG'[size - 1]}{size}",
        )
    return found


def _parse(text: str) -> Correction:
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(
            "--set {text}: write cell=coat and crosses, like C2=f++ or C2=. (empty); for a "
            "spellbook left.dot=3x (three squares, struck) or right=line (the chosen coat)",
            text=text,
        )
    photo, sheet = _from_one(match["photo"], text), _from_one(match["sheet"], text) or 0
    if match["side"]:
        return Correction(text, photo, sheet, {"duel_spellbook": _of_book(match, text)})
    cell, name, count = _cell(match), match["name"].lower(), _count(match["count"])
    if not all(0 <= n < LARGEST_KINGDOM for n in cell):
        raise UsageError(
            "--set {text}: cells go from A1 to G5 on a map, to E5 or G7 in a kingdom", text=text
        )
    fields: dict[str, Field | UsageError] = {}
    for kind, read in (("duel_map", _of_map), ("kingdom", _of_kingdom)):
        try:
            fields[kind] = read(cell, name, count, text)
        except UsageError as error:
            fields[kind] = error
    if all(isinstance(one, UsageError) for one in fields.values()):
        of_kingdoms = name in _TERRAINS and name not in (*COATS, *EMPTY)
        field_of(Correction(text, photo, sheet, fields), "kingdom" if of_kingdoms else "duel_map")
    return Correction(text, photo, sheet, fields)


def _of_book(match: re.Match[str], text: str) -> Field:
    """A line of a spellbook, or the coat that one side chose."""
    player = SIDES.index(match["side"].lower())
    if match["line"] is None:
        chosen = None if match["chosen"] == "." else _coat(match["chosen"], text).value
        return str(ChoiceField(player)), chosen
    coat, filled = _coat(match["line"], text), int(match["filled"])
    if filled > LINE_SQUARES[coat]:
        raise UsageError(
            "--set {text}: the line of {coat} has {n} squares",
            text=text,
            coat=coat,
            n=LINE_SQUARES[coat],
        )
    line = {"filled": filled, "struck": bool(match["struck"]), "used": bool(match["used"])}
    return str(LineField(player, coat)), line


def _of_map(cell: Cell, name: str, crosses: int, text: str) -> Field:
    """A shield with its crosses."""
    coat = None if name in EMPTY else _coat(name, text, " .").value
    if crosses > MAX_CROSSES:
        raise UsageError(
            "--set {text}: a shield holds {most} crosses at most",
            text=text,
            most=MAX_CROSSES,
        )
    if coat is None and crosses:
        raise UsageError("--set {text}: an empty shield has no crosses", text=text)
    if cell[0] >= ROWS or cell[1] >= COLS:
        raise UsageError("--set {text}: cells go from A1 to G5 (or 0,0 to 4,6)", text=text)
    if cell == CASTLE:
        raise UsageError("--set {text}: that is the castle, it holds no coat", text=text)
    return str(CellField(cell)), {"coat": coat, "crosses": crosses}


def _of_kingdom(cell: Cell, name: str, crowns: int, text: str) -> Field:
    """A square with its crowns; `field_of` checks that the kingdom is large enough."""
    terrain = _TERRAINS.get(name)
    bare = terrain in ("castle", "empty") and crowns == 0
    tiled = terrain in tuple(Terrain) and Square(Terrain(terrain), crowns) in SQUARES
    if not (bare or tiled):
        raise UsageError(
            "--set {text}: not a square of Kingdomino; terrains are w f l g s m with a + for "
            "each crown, ## is the castle, . no tile",
            text=text,
        )
    return str(CellField(cell)), {"terrain": terrain, "crowns": crowns}


def _coat(name: str, text: str, more: str = "") -> Coat:
    """The coat of that name; raises `UsageError` if there is none. more: other valid values."""
    if name.lower() not in COATS:
        known = " ".join(LETTERS.values()) + more
        raise UsageError(
            "--set {text}: no coat is called {name}; known: {known}",
            text=text,
            name=name,
            known=known,
        )
    return COATS[name.lower()]


def _count(text: str | None) -> int:
    if text is None:
        return 0
    return int(text[1:]) if text[1:].isdigit() else len(text)


def _from_one(number: str | None, text: str) -> int | None:
    """A number counted from 1 as one counted from 0."""
    if number is not None and int(number) == 0:
        raise UsageError("--set {text}: photos and sheets count from 1", text=text)
    return None if number is None else int(number) - 1


def _cell(match: re.Match[str]) -> Cell:
    if match["letter"]:
        return int(match["number"]) - 1, ord(match["letter"].upper()) - ord("A")
    return int(match["row"]), int(match["col"])
