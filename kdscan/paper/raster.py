"""The printed page as pixels, so that the reader is trained on what is printed."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kdscan.paper.look import NO_TICKET, Look, Ticket
from kdscan.paper.printing import PLAIN, Imposition, Side, sheet_pdf


def render_page(
    layout: Side, px_per_mm: float, look: Look = PLAIN, ticket: Ticket = NO_TICKET
) -> NDArray[np.uint8]:
    """Render a layout's PDF; (H, W, 3) uint8, BGR, black on white, writable.

    The page's top left corner is the top left corner of the first pixel, so that a
    point of x mm lies at x · px_per_mm - 0.5 in coordinates of pixel centres. Where
    the page ends within a pixel, white fills it up.
    Raises ValueError for less than one pixel per mm, which would show nothing.
    """
    if not px_per_mm >= 1:
        raise ValueError(f"{px_per_mm} pixels per mm are too few to show a sheet")
    return _rendered(layout, px_per_mm, look, ticket).copy()


@lru_cache(maxsize=8)
def _rendered(layout: Side, px_per_mm: float, look: Look, ticket: Ticket) -> NDArray[np.uint8]:
    import pypdfium2

    # PDFium stretches a page to whole pixels, so it gets a page of whole pixels.
    width, height = (ceil(side * px_per_mm - 1e-6) for side in layout.page_mm)
    plan = Imposition((width / px_per_mm, height / px_per_mm), ((0.0, 0.0),))
    with pypdfium2.PdfDocument(sheet_pdf(layout, plan, [ticket], look)) as document:
        page = document[0]
        bitmap = page.render(scale=px_per_mm * 25.4 / 72 * (1 - 1e-6))
        pixels: NDArray[np.uint8] = np.array(bitmap.to_numpy())
        bitmap.close()
        page.close()
    return pixels
