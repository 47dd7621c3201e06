"""The effect of a style on the pen: its colours, its lines, and the ground of shields and boxes."""

from __future__ import annotations

from dataclasses import dataclass, field

from kdscan.paper.look import Style

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
