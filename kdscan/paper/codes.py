"""Draws a sheet's own code: a QR code as vectors on a white plate.

QR rather than Data Matrix or Micro QR: OpenCV reads it without another library, and
segno writes it in pure Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import segno

from kdscan.paper.parts import Point, rect
from kdscan.paper.pen import BLACK, WHITE, Pen
from kdscan.paper.signs import Code

_PLATE_MODULES = 1.5
"""White border that is printed around a code, in modules. ISO/IEC 18004 requires 4; the light paper
around it provides the rest."""


def draw_code(pen: Pen, place: Code, text: str) -> None:
    """Draw `text` as a QR code of the place's size, with the white border that it needs."""
    rows = [bytes(row) for row in segno.make_qr(text, error="m").matrix]
    step = place.size_mm / len(rows)
    x, y = (c - place.size_mm / 2 for c in place.center_mm)
    quiet = _PLATE_MODULES * step
    far = place.size_mm + quiet
    pen.polygon(rect(x - quiet, y - quiet, x + far, y + far), fill=WHITE)
    draw_modules(pen, rows, place.center_mm, place.size_mm)


def draw_modules(pen: Pen, rows: Sequence[bytes], center: Point, size: float) -> None:
    """Draw the modules of a square that are not 0, as a bar for each run of them."""
    step = size / len(rows)
    x, y = (c - size / 2 for c in center)
    bars = []
    for r, row in enumerate(rows):
        for first, last in _runs(row):
            left, top = x + first * step, y + r * step
            bars.append(rect(left, top, left + (last - first) * step, top + step))
    pen.shape(bars, fill=BLACK)


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Start and end of each run of dark modules."""
    edges = [i for i, (a, b) in enumerate(zip(b"\0" + row, row + b"\0", strict=True)) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))
