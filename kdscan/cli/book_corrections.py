"""What a person says a side of the spellbook holds: `left.dot=3x`, on the command line.

    [PHOTO[.SHEET]:]SIDE.COAT=FILLED[x][u]      a line: squares filled, struck, power used
    [PHOTO[.SHEET]:]SIDE=COAT                   the coat that the side chose, or `.` for none

SIDE is `left` or `right`, as the page lies upright; COAT is written as for shields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kdscan.errors import UsageError
from kdscan.game.duel.board import LETTERS
from kdscan.game.duel.book_checks import SIDES
from kdscan.game.duel.book_text import COATS
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.spellbook import SpellbookLine
from kdscan.kinds.common.fields import ChoiceField, LineField

FORM = re.compile(
    r"(?:(?P<photo>\d+)(?:\.(?P<sheet>\d+))?:)?"
    r"(?P<side>left|right)"
    r"(?:\.(?P<line>[a-z_]+)=(?P<filled>\d)(?P<struck>x?)(?P<used>u?)|=(?P<chosen>\.|[a-z_]+))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BookCorrection:
    """A line of a side, or the coat that it chose, as a person says. photo, sheet: from 0.

    player: 0 for the left side, 1 for the right. coat, line: of a line; else `line` is None
    and `coat` the chosen one, None for none.
    """

    text: str
    photo: int | None
    sheet: int
    player: int
    coat: Coat | None
    line: SpellbookLine | None


def parse_book(text: str, match: re.Match[str], photo: int | None, sheet: int) -> BookCorrection:
    """The correction that a match of `FORM` stands for; raises `UsageError`."""
    player = SIDES.index(match["side"].lower())
    if match["line"] is None:
        chosen = None if match["chosen"] == "." else coat_named(match["chosen"], text)
        return BookCorrection(text, photo, sheet, player, chosen, None)
    coat, filled = coat_named(match["line"], text), int(match["filled"])
    if filled > SQUARES[coat]:
        raise UsageError(
            "--set {text}: the line of {coat} has {n} squares",
            text=text,
            coat=coat,
            n=SQUARES[coat],
        )
    line = SpellbookLine(filled, bool(match["struck"]), bool(match["used"]))
    return BookCorrection(text, photo, sheet, player, coat, line)


def book_field(one: BookCorrection) -> tuple[str, Any]:
    """The correction as a store keeps it: field and value."""
    if one.line is None or one.coat is None:
        return str(ChoiceField(one.player)), one.coat.value if one.coat else None
    line = {"filled": one.line.filled, "struck": one.line.struck, "used": one.line.used}
    return str(LineField(one.player, one.coat)), line


def coat_named(name: str, text: str, more: str = "") -> Coat:
    """The coat of that name; raises `UsageError` when there is none. more: what else is known."""
    if name.lower() not in COATS:
        known = " ".join(LETTERS.values()) + more
        raise UsageError(
            "--set {text}: no coat is called {name}; known: {known}",
            text=text,
            name=name,
            known=known,
        )
    return COATS[name.lower()]
