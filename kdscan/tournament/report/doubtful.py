"""What a report shows beside a sheet: each place to look at, as it is in the photo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.kinds import kind_of
from kdscan.locale import Words
from kdscan.records import AnyReading, Photo

CROP_PX = 144
"""Side of a doubtful place's picture."""

Quad = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Doubtful:
    """A place to look at. choices: what was read, then what else it may be, each with how sure.

    picture: (CROP_PX, CROP_PX, 3) uint8 BGR, flat and upright.
    """

    place: str
    choices: tuple[tuple[str, float], ...]
    picture: NDArray[np.uint8]


def doubtful_places(photo: Photo, found: AnyReading, w: Words) -> Iterator[Doubtful]:
    """The places that ask for a look; found: as it lies in the photo."""
    for place in kind_of(found).places(found, w):
        yield Doubtful(place.name, place.choices, _crop(photo, place.quad_xy))


def _crop(photo: Photo, quad: Quad) -> NDArray[np.uint8]:
    wide = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(wide.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )
