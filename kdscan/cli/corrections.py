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
from kdscan.rules.duel.coats import SQUARES as LINE_SQUARES
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import COATS, SIDES
from kdscan.rules.grid import Cell
from kdscan.rules.kingdomino.kingdom import LETTERS as TERRAIN_LETTERS
from kdscan.rules.kingdomino.kingdom import SQUARES, Square, Terrain
from kdscan.sheets.base import KINGDOM, SPELLBOOK, R, kind_of
from kdscan.sheets.common import field_of
from kdscan.sheets.kingdom.model import KingdomReading

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

    parts: what the parts of the syntax hold, in lower case; None for those left out.
    """

    text: str
    photo: int | None
    sheet: int
    parts: Mapping[str, str | None]

    @property
    def cell(self) -> Cell:
        """The cell that is meant, if no side of a spellbook is."""
        if letter := self.parts["letter"]:
            return int(self.parts["number"] or 0) - 1, ord(letter) - ord("a")
        return int(self.parts["row"] or 0), int(self.parts["col"] or 0)

    @property
    def count(self) -> int:
        """The number of crosses or crowns."""
        count = self.parts["count"] or ""
        return int(count[1:]) if count[1:].isdigit() else len(count)


def parse_corrections(texts: Iterable[str]) -> tuple[Correction, ...]:
    """Parse corrections, of which one text may contain several, separated by spaces; raise
    `UsageError` for what fits no sheet at all."""
    return tuple(_parse(part) for text in texts for part in text.split())


def meaning_of(correction: Correction, kind: str, size: int = 0, example: str = "1.3:") -> Field:
    """The meaning of a correction for a sheet of that kind.

    size: squares along a kingdom's side. example: how a sheet is named. Raises `UsageError` for
    what no such sheet can contain.
    """
    text, is_book = correction.text, kind == SPELLBOOK.name
    if is_book and not correction.parts["side"]:
        raise UsageError("--set {text}: that is a spellbook, it has no such cells", text=text)
    if correction.parts["side"] and not is_book:
        raise UsageError(
            "--set {text}: that is no spellbook; name its sheet, like {example}",
            text=text,
            example=example,
        )
    if is_book:
        return _of_book(correction)
    if kind == KINGDOM.name:
        return _of_kingdom(correction, size)
    return _of_map(correction)


def corrected(sheet: R, corrections: Iterable[Correction], risk: float) -> R:
    """A sheet with its corrections; raises `UsageError` as `meaning_of` does."""
    size = sheet.variants.size if isinstance(sheet, KingdomReading) else 0
    fields = dict(meaning_of(correction, sheet.kind, size) for correction in corrections)
    return kind_of(sheet).correct_fields(sheet, fields, risk) if fields else sheet


def _parse(text: str) -> Correction:
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(
            "--set {text}: write cell=coat and crosses, like C2=f++ or C2=. (empty); for a "
            "spellbook left.dot=3x (three squares, struck) or right=line (the chosen coat)",
            text=text,
        )
    parts = {name: part and part.lower() for name, part in match.groupdict().items()}
    photo = int(parts["photo"]) - 1 if parts["photo"] else None
    sheet = int(parts["sheet"] or 1) - 1
    if -1 in (photo, sheet):
        raise UsageError("--set {text}: photos and sheets count from 1", text=text)
    correction = Correction(text, photo, sheet, parts)
    if parts["side"]:
        _of_book(correction)
        return correction
    if not all(0 <= n < LARGEST_KINGDOM for n in correction.cell):
        raise UsageError(
            "--set {text}: cells go from A1 to G5 on a map, to E5 or G7 in a kingdom", text=text
        )
    try:
        _of_map(correction)
    except UsageError:  # then it must fit a kingdom; its error tells more of a terrain's name
        name = parts["name"] or ""
        try:
            _of_kingdom(correction, LARGEST_KINGDOM)
        except UsageError:
            if name in _TERRAINS and name not in (*COATS, *EMPTY):
                raise
            _of_map(correction)
    return correction


def _of_book(correction: Correction) -> Field:
    """A line of a spellbook, or the coat that one side chose."""
    parts = correction.parts
    player = SIDES.index(parts["side"] or "")
    if parts["line"] is None:
        chosen = None if parts["chosen"] == "." else _coat(correction, parts["chosen"]).value
        return field_of("choice", player), chosen
    coat, filled = _coat(correction, parts["line"]), int(parts["filled"] or 0)
    if filled > LINE_SQUARES[coat]:
        raise UsageError(
            "--set {text}: the line of {coat} has {n} squares",
            text=correction.text,
            coat=coat,
            n=LINE_SQUARES[coat],
        )
    line = {"filled": filled, "struck": bool(parts["struck"]), "used": bool(parts["used"])}
    return field_of("line", player, coat), line


def _of_map(correction: Correction) -> Field:
    """A shield with its crosses."""
    text, name, crosses = correction.text, correction.parts["name"], correction.count
    (row, col), coat = correction.cell, None
    if name not in EMPTY:
        coat = _coat(correction, name, " .").value
    if crosses > MAX_CROSSES:
        raise UsageError(
            "--set {text}: a shield holds {most} crosses at most", text=text, most=MAX_CROSSES
        )
    if coat is None and crosses:
        raise UsageError("--set {text}: an empty shield has no crosses", text=text)
    if row >= ROWS or col >= COLS:
        raise UsageError("--set {text}: cells go from A1 to G5 (or 0,0 to 4,6)", text=text)
    if (row, col) == CASTLE:
        raise UsageError("--set {text}: that is the castle, it holds no coat", text=text)
    return field_of("cell", row, col), {"coat": coat, "crosses": crosses}


def _of_kingdom(correction: Correction, size: int) -> Field:
    """A square with its crowns."""
    terrain, crowns = _TERRAINS.get(correction.parts["name"] or ""), correction.count
    bare = terrain in ("castle", "empty") and crowns == 0
    tiled = terrain in tuple(Terrain) and Square(Terrain(terrain), crowns) in SQUARES
    if not (bare or tiled):
        raise UsageError(
            "--set {text}: not a square of Kingdomino; terrains are w f l g s m with a + for "
            "each crown, ## is the castle, . no tile",
            text=correction.text,
        )
    if max(correction.cell) >= size:
        raise UsageError(
            "--set {text}: squares of this kingdom go from A1 to {last}",
            text=correction.text,
            last=f"{'ABCDEFG'[size - 1]}{size}",
        )
    return field_of("cell", *correction.cell), {"terrain": terrain, "crowns": crowns}


def _coat(correction: Correction, name: str | None, more: str = "") -> Coat:
    """The coat of that name; raises `UsageError` if there is none. more: other valid values."""
    if name not in COATS:
        raise UsageError(
            "--set {text}: no coat is called {name}; known: {known}",
            text=correction.text,
            name=name,
            known=" ".join(LETTERS.values()) + more,
        )
    return COATS[name]
