"""The prints of our own sheets, which are known without learning: their layouts tell them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from kdscan.imaging.picture import Network, Photo, RectifiedSheet, flatten
from kdscan.marks.network import Logits, average
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import render_page
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.templates.align import align
from kdscan.templates.drop_out import drop_out, pooled, view_of_ink
from kdscan.templates.template import (
    TEMPLATE_MARGIN,
    TEMPLATE_PX,
    CellGeometry,
    Template,
    empty_template,
)

MIN_LIKENESS = 0.15
"""Least likeness, see `Aligned.likeness`, of our own print, whose thin lines ink hides; markers
prove that it is ours."""

_PX_PER_MM = 6.0


@lru_cache
def own_template(name: str) -> Template:
    """The template of a built-in layout, as it is printed in the plain style; sheets in other
    styles are read as well by it as by their own."""
    layout = load_layout(name)
    w, h = layout.cell_mm
    page = Photo(render_page(layout, _PX_PER_MM))
    centers = [[layout.center_mm(row, col) for col in range(COLS)] for row in range(ROWS)]
    centers_xy = np.array(centers) * _PX_PER_MM - 0.5
    shield, circles = (
        tuple((x / w, y / h) for x, y in points) for points in (layout.shield, layout.circles)
    )
    return replace(
        empty_template(name, flatten(page, centers_xy, TEMPLATE_PX, TEMPLATE_MARGIN)),
        cell=CellGeometry(shield, circles, 2 * layout.circle_radius_mm / (w + h)),
        aspect=h / w,
    )


def with_own_ink(
    of_photo: Logits, photo: Photo, sheet: RectifiedSheet, layout: str, reader: Network
) -> Logits:
    """Logits of a photo, see `predict`, together with those of the ink on the print of a built-in
    layout, if it is found. sheet: approximately placed."""
    aligned = align(own_template(layout), photo, sheet.centers_xy)
    if aligned.likeness < MIN_LIKENESS:
        return of_photo
    inked = drop_out(photo, aligned)
    of_ink = average([view_of_ink(inked, reader, turned) for turned in (False, True)])
    return pooled(inked, of_photo, of_ink)
