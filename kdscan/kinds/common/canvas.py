"""The picture that an overlay is drawn on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kdscan.imaging.pens import Bgr, Points
from kdscan.locale import Words


@dataclass(frozen=True, eq=False)
class Canvas:
    """A photo to draw over, in place.

    clean: the same without anything drawn. scale: pixels of both for one of the photo. words: the
    language of texts.
    """

    picture: Bgr
    clean: Bgr
    scale: float
    words: Words

    def scaled(self, photo_xy: Points) -> Points:
        """Points of the photo in the picture. Pixel centres have integer coordinates, so scaling
        shifts the origin by half a pixel."""
        return np.asarray((photo_xy + 0.5) * self.scale - 0.5)
