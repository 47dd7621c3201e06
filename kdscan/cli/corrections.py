"""What a person says a shield holds: `C2=f++`, on the command line.

    [PHOTO[.SHEET]:]CELL=MARKS

CELL is a column letter and a row number (`A1` top left, `D3` the castle) or row and
column from 0 as in the JSON (`0,0`). MARKS is a coat in short or long form (`d dd l
ll f c`, `double_dot`), with a `+` for each cross or their number (`f++`, `f+2`), or
`.` for an empty shield. PHOTO counts from 1 in the order of the output, pages
included; SHEET likewise when one photo holds several maps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kdscan.errors import UsageError
from kdscan.game.duel.board import CASTLE, COLS, LETTERS, MAX_CROSSES, ROWS
from kdscan.game.duel.coats import Coat

_FORM = re.compile(
    r"(?:(?P<photo>\d+)(?:\.(?P<sheet>\d+))?:)?"
    r"(?:(?P<letter>[a-zA-Z])(?P<number>\d+)|(?P<row>\d+),(?P<col>\d+))"
    r"=(?P<coat>\.|[a-zA-Z_]+)(?P<crosses>\++|\+\d)?"
)
_COATS: dict[str, Coat | None] = {
    **{letters: coat for coat, letters in LETTERS.items()},
    **{coat.value: coat for coat in Coat},
    ".": None,
    "empty": None,
}


@dataclass(frozen=True)
class Correction:
    """A shield as a person says it is. photo and sheet count from 0; None: the only one."""

    text: str
    photo: int | None
    sheet: int
    cell: tuple[int, int]
    coat: Coat | None
    crosses: int


def parse_corrections(texts: Iterable[str]) -> tuple[Correction, ...]:
    """Read corrections, several in one text parted by spaces; raise `UsageError`."""
    return tuple(_parse(part) for text in texts for part in text.split())


def _parse(text: str) -> Correction:
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"--set {text}: write cell=coat and crosses, like C2=f++ or C2=. (empty)")
    coat_name = match["coat"].lower()
    if coat_name not in _COATS:
        known = " ".join(LETTERS.values())
        raise UsageError(f"--set {text}: no coat is called {match['coat']}; known: {known} and .")
    coat, crosses = _COATS[coat_name], _crosses(match["crosses"])
    if crosses > MAX_CROSSES:
        raise UsageError(f"--set {text}: a shield holds {MAX_CROSSES} crosses at most")
    if coat is None and crosses:
        raise UsageError(f"--set {text}: an empty shield has no crosses")
    photo = match["photo"]
    return Correction(
        text,
        None if photo is None else _from_one(photo, text),
        0 if match["sheet"] is None else _from_one(match["sheet"], text),
        _cell(match, text),
        coat,
        crosses,
    )


def _crosses(text: str | None) -> int:
    if text is None:
        return 0
    return int(text[1:]) if text[1:].isdigit() else len(text)


def _from_one(number: str, text: str) -> int:
    if int(number) == 0:
        raise UsageError(f"--set {text}: photos and sheets count from 1")
    return int(number) - 1


def _cell(match: re.Match[str], text: str) -> tuple[int, int]:
    if match["letter"]:
        row, col = int(match["number"]) - 1, ord(match["letter"].upper()) - ord("A")
    else:
        row, col = int(match["row"]), int(match["col"])
    if not (0 <= row < ROWS and 0 <= col < COLS):
        raise UsageError(f"--set {text}: cells go from A1 to G5 (or 0,0 to 4,6)")
    if (row, col) == CASTLE:
        raise UsageError(f"--set {text}: that is the castle, it holds no coat")
    return row, col
