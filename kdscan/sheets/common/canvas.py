"""The picture that an overlay is drawn on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kdscan.i18n import Words
from kdscan.imaging.pens import Points
from kdscan.records.arrays import Bgr


@dataclass(frozen=True, eq=False)
class Canvas:
    """A photo to draw a sheet over, in place.

    clean: the same without anything drawn. scale: pixels of both per photo pixel. words: the
    language of texts. number: distinguishes the sheet from others of its kind in the photo, "" if
    there are none.
    """

    picture: Bgr
    clean: Bgr
    scale: float
    words: Words
    number: str = ""

    def numbered(self, text: str) -> str:
        """A text about the sheet, which says which one is meant."""
        return f"{self.number}: {text}" if self.number else text

    def scaled(self, photo_xy: Points) -> Points:
        """Points of the photo in the picture. Pixel centres have integer coordinates, so scaling
        shifts the origin by half a pixel."""
        return np.asarray((photo_xy + 0.5) * self.scale - 0.5)
