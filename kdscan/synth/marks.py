"""Coats as people draw them: from what is meant to strokes of a pen.

What must stay decidable by a careful person is kept apart where it is drawn (`dots`, `lines`,
`bends`, `fills`, `checks`): dots stay short, two lines lie further apart than the runs of one,
hatching has enough strokes to be no line. Lengths in mm, points on the page.
"""

from __future__ import annotations

from kdscan.game.duel.coats import Coat
from kdscan.synth.checks import checked
from kdscan.synth.dots import one_dot, two_dots
from kdscan.synth.fills import filled
from kdscan.synth.ink import Stroke
from kdscan.synth.lines import one_line, two_lines
from kdscan.synth.preferences import Brush, Shield


def draw_coat(coat: Coat, shield: Shield, brush: Brush) -> list[Stroke]:
    """Return the strokes of a coat in a shield."""
    return _COATS[coat](shield, brush)


_COATS = {
    Coat.DOT: one_dot,
    Coat.DOUBLE_DOT: two_dots,
    Coat.LINE: one_line,
    Coat.DOUBLE_LINE: two_lines,
    Coat.FILLED: filled,
    Coat.CHECKED: checked,
}
