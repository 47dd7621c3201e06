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
from kdscan.i18n import mark
from kdscan.rules.duel.spellbook import COATS, SIDES
from kdscan.rules.grid import Cell
from kdscan.rules.kingdomino.kingdom import LETTERS as TERRAIN_LETTERS
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, R, kind_named, kind_of
from kdscan.sheets.common import field_of
from kdscan.sheets.kingdom.model import KingdomReading

_FORM = (
    r"(?:(?P<photo>\d{1,6})(?:\.(?P<sheet>\d{1,6}))?:)?"
    r"(?:(?P<side>left|right)"
    r"(?:\.(?P<line>[a-z_]+)=(?P<filled>\d)(?P<struck>x?)(?P<used>u?)|=(?P<chosen>\.|[a-z_]+))"
    r"|(?:(?P<letter>[a-z])(?P<number>\d{1,6})|(?P<row>\d{1,6}),(?P<col>\d{1,6}))"
    r"=(?P<name>\.|##|[a-z_]+)(?P<count>\++|\+\d)?)"
)
_TERRAINS = {letter: terrain.value for terrain, letter in TERRAIN_LETTERS.items()}
_TERRAINS |= {"##": "castle", ".": "empty"}
_TERRAINS |= {name: name for name in _TERRAINS.values()}
_MARKS = {name: coat.value for name, coat in COATS.items()} | dict.fromkeys((".", "empty"))
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


REFUSED = {
    DUEL_MAP.name: mark(
        "--set {text}: no shield of a map; these go from A1 to G5 without the castle D3, and "
        "hold . or one of d dd l ll f c with up to four +"
    ),
    KINGDOM.name: mark(
        "--set {text}: not a square of Kingdomino; terrains are w f l g s m with a + for "
        "each crown, ## is the castle, . no tile"
    ),
    SPELLBOOK.name: mark(
        "--set {text}: no line of a spellbook; coats are d dd l ll f c, with at most five "
        "squares (c and f three, dd and ll four)"
    ),
}
"""For each kind why a correction of it is refused."""


def meaning_of(
    correction: Correction, kind: str, size: int = LARGEST_KINGDOM, example: str = "1.3:"
) -> Field:
    """The meaning of a correction for a sheet of that kind.

    size: squares along a kingdom's side. example: how a sheet is named. Raises `UsageError` for
    what no such sheet can contain.
    """
    text, parts, of_book = correction.text, correction.parts, kind == SPELLBOOK.name
    side = parts["side"]
    if of_book and not side:
        raise UsageError("--set {text}: that is a spellbook, it has no such cells", text=text)
    if side and not of_book:
        raise UsageError(
            "--set {text}: that is no spellbook; name its sheet, like {example}",
            text=text,
            example=example,
        )
    sheet_type = kind_named(kind) or DUEL_MAP
    value: Any
    try:
        if not side:
            field, content = field_of("cell", *correction.cell), parts["name"] or ""
            value = (
                {"terrain": _TERRAINS[content], "crowns": correction.count}
                if kind == KINGDOM.name
                else {"coat": _MARKS[content], "crosses": correction.count}
            )
        elif line := parts["line"]:
            field = field_of("line", SIDES.index(side), COATS[line])
            value = {name: bool(parts[name]) for name in ("struck", "used")}
            value["filled"] = int(parts["filled"] or 0)
        else:  # the coat that one side chose
            field = field_of("choice", SIDES.index(side))
            value = _MARKS[parts["chosen"] or ""]
        sheet_type.corrections({field: value})
    except (KeyError, ValueError):
        raise UsageError(REFUSED[sheet_type.name], text=text) from None
    if kind == KINGDOM.name and max(correction.cell) >= size:
        raise UsageError(
            "--set {text}: squares of this kingdom go from A1 to {last}",
            text=text,
            last=f"{'ABCDEFG'[size - 1]}{size}",
        )
    return field, value


def corrected(sheet: R, corrections: Iterable[Correction], risk: float) -> R:
    """A sheet with its corrections; raises `UsageError` as `meaning_of` does."""
    size = sheet.variants.size if isinstance(sheet, KingdomReading) else 0
    fields = dict(meaning_of(correction, sheet.kind, size) for correction in corrections)
    return kind_of(sheet).correct_fields(sheet, fields, risk) if fields else sheet


def _parse(text: str) -> Correction:
    match = re.fullmatch(_FORM, text, re.IGNORECASE | re.ASCII)
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
    refusals = []
    for kind in (SPELLBOOK,) if parts["side"] else (DUEL_MAP, KINGDOM):  # it must fit one of them
        try:
            meaning_of(correction, kind.name)
            return correction
        except UsageError as error:
            refusals.append(error)
    of_terrain = parts["name"] in _TERRAINS.keys() - _MARKS.keys()
    raise refusals[-1 if of_terrain else 0]
