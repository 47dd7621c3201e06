"""Names of coats and shields for people."""

from __future__ import annotations

from kdscan.game.duel.coats import Coat
from kdscan.locale import Words, mark
from kdscan.records import CellReading

_COATS = {
    Coat.DOT: mark("dot"),
    Coat.LINE: mark("line"),
    Coat.DOUBLE_DOT: mark("double dot"),
    Coat.DOUBLE_LINE: mark("double line"),
    Coat.FILLED: mark("filled"),
    Coat.CHECKED: mark("checked"),
}


def coat_name(words: Words, coat: Coat | None) -> str:
    """The name of a coat, or of an empty shield."""
    return words.t("empty") if coat is None else words.t(_COATS[coat])


def shield_name(words: Words, coat: Coat | None, crosses: int) -> str:
    """The name of a coat with its crosses."""
    return f"{coat_name(words, coat)} {'×' * crosses}".rstrip()


def with_cover(words: Words, what: str, cell: CellReading) -> str:
    """A shield's name, with a note if it seems to be covered."""
    covered = words.t("covered")
    return f"{what}, {covered}" if cell.covered else what
