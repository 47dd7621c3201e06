"""A sheet's appearance apart from its geometry: language, style, and owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kdscan.paper.words import Language

Style = Literal["plain", "decorated", "saving"]
"""Plain lines; a parchment with a painted castle; or thin lines that save ink."""

Paper = Literal["a4", "letter", "a5"]
"""The paper in the printer."""

STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True)
class Look:
    """The choices for all sheets of a print run."""

    language: Language = "en"
    style: Style = "plain"


@dataclass(frozen=True)
class Ticket:
    """What is printed on one sheet only.

    name: on the first writing line. second: on the second one, if two players share a sheet. code:
    text of its machine-readable code (see `kdscan.paper.ids`), which becomes `sheet_id`. caption:
    small print, for those who hand out the sheets.
    """

    name: str = ""
    second: str = ""
    code: str = ""
    caption: str = ""


NO_TICKET = Ticket()
