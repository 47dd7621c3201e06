"""Names of coats and shields for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kdscan.i18n import Words, mark
from kdscan.records import CellReading
from kdscan.rules.duel.coats import Coat

if TYPE_CHECKING:
    from kdscan.sheets.common.terminal import Style

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


def coat_sign(style: Style, coat: Coat) -> str:
    """A coat's sign and name in a terminal."""
    return f"{style.coat(coat)} {coat_name(style.words, coat)}"


def shield_name(words: Words, coat: Coat | None, crosses: int) -> str:
    """The name of a coat with its crosses."""
    return f"{coat_name(words, coat)} {'×' * crosses}".rstrip()


def with_cover(words: Words, what: str, cell: CellReading) -> str:
    """A shield's name, with a note if it seems to be covered."""
    covered = words.t("covered")
    return f"{what}, {covered}" if cell.covered else what
