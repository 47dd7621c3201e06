"""The appearance of sheets apart from their geometry: language, style, tickets, colours, lines."""

from __future__ import annotations

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


Color = tuple[float, float, float]
"""Red, green, blue from 0 to 1, as in PDF."""

INK: Color = (0.29, 0.23, 0.17)
LINE: Color = (0.52, 0.44, 0.34)
FAINT: Color = (0.70, 0.62, 0.52)
BLACK: Color = (0.0, 0.0, 0.0)
WHITE: Color = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Theme:
    """How a style draws what all styles draw.

    colors: requested colour → drawn colour. thin: factor of line widths. ground: fill of shields,
    circles and boxes; None for bare paper. parchment: whether a parchment is drawn under
    everything.
    """

    colors: dict[Color, Color] = field(default_factory=dict, hash=False)
    thin: float = 1.0
    ground: Color | None = None
    parchment: bool = False

    def color(self, requested: Color) -> Color:
        """The drawn colour for a requested one."""
        return self.colors.get(requested, requested)


CREAM: Color = (0.995, 0.982, 0.945)
SEPIA: Color = (0.27, 0.17, 0.09)
GOLD: Color = (0.72, 0.55, 0.28)
STONE: Color = (0.90, 0.86, 0.78)
RED: Color = (0.66, 0.22, 0.16)

THEMES: dict[Style, Theme] = {
    "plain": Theme(),
    "decorated": Theme(
        {INK: SEPIA, LINE: (0.47, 0.33, 0.19), FAINT: GOLD, WHITE: CREAM}, 1.1, CREAM, True
    ),
    # About half the ink; the markers stay black, so that they are found.
    "saving": Theme({INK: (0.5, 0.5, 0.5), LINE: (0.62, 0.62, 0.62), FAINT: (0.8, 0.8, 0.8)}, 0.75),
}
