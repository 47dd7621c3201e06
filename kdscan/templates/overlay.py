"""Pictures of the ink on a photo's maps, without print: they show what was taken for ink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.inference.store import default_models
from kdscan.records import AnyReading, Ink, MapReading, maps_of
from kdscan.templates.drawing import draw_ink
from kdscan.templates.separate import separate

GAP = 24
"""Pixels of grey between two maps."""


def ink_of(sheet: MapReading) -> Ink:
    """A map's ink: from its known print, or, if that is unknown, as segmented by a network."""
    if sheet.ink is not None:
        return sheet.ink
    return separate(sheet.rectified, default_models().ink)


def draw_inks(sheets: Sequence[AnyReading]) -> NDArray[np.uint8] | None:
    """(H, W, 3) uint8 BGR: the ink of every map on white paper, one below the other; None without a
    map."""
    pictures = [draw_ink(ink_of(sheet)) for sheet in maps_of(sheets)]
    if not pictures:
        return None
    gap = np.full((GAP, pictures[0].shape[1], 3), 200, np.uint8)
    parts = [part for picture in pictures for part in (gap, picture)]
    return np.concatenate(parts[1:])
