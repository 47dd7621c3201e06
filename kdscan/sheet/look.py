"""A sheet's appearance apart from its geometry: language, style, and owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kdscan.sheet.words import Language

Style = Literal["plain", "decorated", "saving"]
"""Plain lines; a parchment with a painted castle; or thin lines that spare ink."""

Paper = Literal["a4", "letter", "a5"]
"""What the printer holds."""

STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True)
class Look:
    """What is chosen for all sheets of a printing."""

    language: Language = "en"
    style: Style = "plain"


@dataclass(frozen=True)
class Ticket:
    """What is printed on one sheet alone.

    name: written on the first line to write on. second: on the second one, where two players
    share a sheet. code: what its machine-readable code
    says (see `kdscan.sheet.ids`), which becomes `sheet_id`. caption: small print, for
    those who hand the sheets out.
    """

    name: str = ""
    second: str = ""
    code: str = ""
    caption: str = ""


NO_TICKET = Ticket()
