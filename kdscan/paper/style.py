"""The appearance of sheets apart from their geometry: language, style, tickets, colours.

Texts in seven languages are looked up by their English form; `words.toml` beside this file has the
translations. Terms are those of the publishers' rulebooks if there are any.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import msgspec

# Texts

Language = Literal["en", "pl", "fr", "uk", "ru", "de", "es"]
"""English, Polish, French, Ukrainian, Russian, German, Spanish; ISO 639-1."""

LANGUAGES: tuple[Language, ...] = get_args(Language)


def translate(text: str, language: Language = "en") -> str:
    """Translate an English text; one that `words.toml` lacks stays as it is.

    So a club's own words in its own layout are printed as the club wrote them.
    """
    if language == "en":
        return text
    return dictionary().get(text, {}).get(language, text)


@lru_cache(maxsize=1)
def dictionary() -> dict[str, dict[str, str]]:
    """English text → language → text, all of `words.toml`."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


# Styles, tickets, colours

Style = Literal["plain", "decorated", "saving"]
"""Plain lines; a parchment with a painted castle; or thin lines that save ink."""

Paper = Literal["a4", "letter", "a5"]
"""The paper in the printer."""

STYLES: tuple[Style, ...] = get_args(Style)


@dataclass(frozen=True)
class PrintStyle:
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


Color = str
"""The name of a colour in `colors.toml`."""


@dataclass(frozen=True)
class Theme:
    """How a style draws what all styles draw.

    colors: those that differ from the plain style's. thin: factor of line widths. ground: fill of
    shields, circles and boxes; None for bare paper. parchment: whether a parchment is drawn under
    everything.
    """

    colors: Mapping[Color, tuple[float, float, float]] = field(default_factory=dict)
    thin: float = 1.0
    ground: Color | None = None
    parchment: bool = False

    def rgb(self, color: Color) -> tuple[float, float, float]:
        """Red, green and blue from 0 to 1, as in PDF."""
        return self.colors.get(color) or THEMES["plain"].colors[color]


_TOML = Path(__file__).with_name("colors.toml").read_text(encoding="utf-8")

THEMES: dict[Style, Theme] = msgspec.toml.decode(_TOML, type=dict[Style, Theme])
