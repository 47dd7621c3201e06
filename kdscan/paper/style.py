"""The appearance of sheets apart from their geometry: language, style, tickets, colours, lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from kdscan.paper.text import Language

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
"""The name of a colour in `PALETTE`."""

PALETTE = {
    "ink": (0.29, 0.23, 0.17),
    "line": (0.52, 0.44, 0.34),
    "faint": (0.70, 0.62, 0.52),
    "black": (0.0, 0.0, 0.0),
    "white": (1.0, 1.0, 1.0),
    "dark": (0.29, 0.23, 0.17),
    "cream": (0.995, 0.982, 0.945),
    "sepia": (0.27, 0.17, 0.09),
    "gold": (0.72, 0.55, 0.28),
    "stone": (0.90, 0.86, 0.78),
    "joint": (0.72, 0.65, 0.54),
    "red": (0.66, 0.22, 0.16),
    "light": (0.990, 0.962, 0.892),
    "shade": (0.912, 0.822, 0.652),
    "stain": (0.62, 0.42, 0.2),
    "edge": (0.55, 0.38, 0.2),
    "wood": (0.42, 0.27, 0.15),
    "tail": (0.86, 0.74, 0.52),
    "sea": (0.36, 0.46, 0.45),
    "skin": (0.66, 0.72, 0.62),
    "fins": (0.78, 0.50, 0.36),
}
"""Red, green, blue from 0 to 1, as in PDF. All styles draw with the first six."""


@dataclass(frozen=True)
class Theme:
    """How a style draws what all styles draw.

    colors: those that differ from `PALETTE`. thin: factor of line widths. ground: fill of shields,
    circles and boxes; None for bare paper. parchment: whether a parchment is drawn under
    everything.
    """

    colors: Mapping[Color, tuple[float, float, float]] = field(default_factory=dict)
    thin: float = 1.0
    ground: Color | None = None
    parchment: bool = False

    def rgb(self, color: Color) -> tuple[float, float, float]:
        """The colour of a name in this style."""
        return self.colors.get(color) or PALETTE[color]


_PARCHMENT = {"ink": "sepia", "faint": "gold", "white": "cream", "dark": "red"}

THEMES: dict[Style, Theme] = {
    "plain": Theme(),
    "decorated": Theme(
        {name: PALETTE[other] for name, other in _PARCHMENT.items()} | {"line": (0.47, 0.33, 0.19)},
        1.1,
        "cream",
        True,
    ),
    # About half the ink; the markers stay black, so that they are found.
    "saving": Theme(
        {
            "ink": (0.5, 0.5, 0.5),
            "dark": (0.5, 0.5, 0.5),
            "line": (0.62, 0.62, 0.62),
            "faint": (0.8, 0.8, 0.8),
        },
        0.75,
    ),
}
