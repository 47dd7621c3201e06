"""Readings drawn over their photo: for people, documentation and debugging."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.i18n import ENGLISH, Words
from kdscan.imaging.picture import Bgr, Ink, Photo, at_most, check_photo
from kdscan.inference.store import default_models
from kdscan.sheets.base import AnyReading, kind_of, maps_of, number_in
from kdscan.sheets.board import TILE_WH, Canvas
from kdscan.sheets.duel_map.model import MapReading
from kdscan.templates.drawing import draw_ink
from kdscan.templates.ink_by_network import ink_by_network

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
        numbered = canvas._replace(number=number_in(sheets, n))
        tiles += kind_of(sheet).draw(numbered, sheet, others)
    width, rows = clean.shape[1], [canvas.picture]  # tiles in rows as wide as the picture
    fit = max(1, width // (TILE_WH[0] + GAP))
    spaced = [np.pad(t, ((GAP, 0), (GAP, 0), (0, 0)), constant_values=255) for t in tiles]
    for start in range(0, len(tiles), fit):
        row = np.hstack(spaced[start : start + fit])[:, :width]
        rest = width - row.shape[1]
        rows.append(np.pad(row, ((0, 0), (0, rest), (0, 0)), constant_values=255))
    return np.vstack(rows)


INK_GAP = 24
"""Pixels of grey between two maps."""


def ink_of(sheet: MapReading) -> Ink:
    """A map's ink: from its known print, or, if that is unknown, as segmented by a network."""
    return sheet.evidence.ink or ink_by_network(sheet.rectified, default_models().ink)


def draw_inks(sheets: Sequence[AnyReading]) -> NDArray[np.uint8] | None:
    """(H, W, 3) uint8 BGR: the ink of every map on white paper, one below the other; None without a
    map."""
    pictures = [draw_ink(ink_of(sheet)) for sheet in maps_of(sheets)]
    if not pictures:
        return None
    gap = np.full((INK_GAP, pictures[0].shape[1], 3), 200, np.uint8)
    parts = [part for picture in pictures for part in (gap, picture)]
    return np.concatenate(parts[1:])
