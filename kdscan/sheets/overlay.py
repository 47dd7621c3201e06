"""Readings drawn over their photo: for people, documentation and debugging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kdscan.i18n import ENGLISH, Words
from kdscan.imaging.pyramid import at_most
from kdscan.records import AnyReading, Photo
from kdscan.records.arrays import Bgr
from kdscan.records.photo import check_photo
from kdscan.sheets import kind_of, number_in
from kdscan.sheets.common.board import TILE_WH
from kdscan.sheets.common.canvas import Canvas

LONGEST_PX = 2400
"""Longest side of the photo in the picture: sharp on a screen, small enough to send."""

GAP = 16
"""Pixels between tiles."""


def draw_overlay(photo: Photo, sheets: Sequence[AnyReading], words: Words = ENGLISH) -> Bgr:
    """Return the photo, at most `LONGEST_PX` long, with every sheet drawn over it.

    photo, sheets: argument and result of `kdscan.read_photo`. words: the language of the total.
    Returns (H, W, 3) uint8 BGR; tiles of doubtful cells are appended below the photo.
    """
    check_photo(photo)
    clean, scale = at_most(photo, LONGEST_PX)
    canvas = Canvas(clean.copy(), clean, scale, words)
    tiles: list[Bgr] = []
    outlines = [canvas.scaled(sheet.outline_xy) for sheet in sheets]
    for n, sheet in enumerate(sheets):
        others = outlines[:n] + outlines[n + 1 :]
        one = replace(canvas, number=number_in(sheets, n))
        tiles += kind_of(sheet).draw(one, sheet, others)
    return np.vstack([canvas.picture, *_rows(tiles, clean.shape[1])])


def _rows(tiles: Sequence[Bgr], width: int) -> list[Bgr]:
    """Tiles in rows as wide as the picture, on a white background."""
    fit = max(1, width // (TILE_WH[0] + GAP))
    spaced = [np.pad(t, ((GAP, 0), (GAP, 0), (0, 0)), constant_values=255) for t in tiles]
    rows = []
    for start in range(0, len(tiles), fit):
        row = np.hstack(spaced[start : start + fit])[:, :width]
        rest = width - row.shape[1]
        rows.append(np.pad(row, ((0, 0), (0, rest), (0, 0)), constant_values=255))
    return rows
