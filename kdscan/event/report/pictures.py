"""Pictures of a report: each sheet with its reading drawn over it, each doubtful place."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import KdscanError
from kdscan.event.model import SheetResult
from kdscan.event.sheets import ReadSheet, corrected, firm_values
from kdscan.event.store import Store
from kdscan.i18n import Words
from kdscan.imaging.formats import jpeg
from kdscan.imaging.photo import decode
from kdscan.imaging.picture import Photo
from kdscan.sheets.base import DUEL_MAP, KINGDOM, AnyReading, kind_of
from kdscan.sheets.common import VARIANTS, WIZARD, DoubtfulPlace
from kdscan.sheets.overlay import draw_overlay

LONGEST_PX, QUALITY = 1000, 72
"""Size and JPEG quality of a sheet's picture: about 150 KB, readable on a large screen."""

CROP_PX = 144
"""Side of a doubtful place's picture."""

_AROUND = 0.13
"""Paper shown around the grid, as a fraction of its size."""


@dataclass(frozen=True)
class Pictures:
    """sheet: data URI of the whole sheet, None if its photo is lost. doubts: with data URIs."""

    sheet: str | None = None
    size_wh: tuple[int, int] = (0, 0)
    doubts: tuple[tuple[DoubtfulPlace, str], ...] = ()


class Album:
    """Opens photos of a store as rows need them; keeps the last one.

    lost: why photos could not be opened; the report is useful without them.
    """

    def __init__(self, store: Store, w: Words) -> None:
        self._store, self._words = store, w
        self.lost: list[KdscanError] = []
        self._last: tuple[str, int] | None = None
        self._photo: Photo | None = None

    def pictures(self, row: SheetResult, sheet: ReadSheet) -> Pictures:
        """The pictures of a sheet."""
        photo = self._open(row) if sheet.data["outline"] else None
        if photo is None:
            return Pictures()
        reading = _reading(sheet)
        drawn, places = photo.bgr, tuple[tuple[DoubtfulPlace, str], ...]()
        if reading is not None:
            drawn = draw_overlay(photo, [reading], self._words)
            doubtful = kind_of(reading).places(reading, self._words)
            places = tuple((place, _jpeg(_crop(photo, place.quad_xy))) for place in doubtful)
        scale = drawn.shape[1] / photo.width
        part = _cut_out(
            drawn[: round(scale * photo.height)], scale * np.array(sheet.data["outline"])
        )
        return Pictures(_jpeg(part), (part.shape[1], part.shape[0]), places)

    def _open(self, row: SheetResult) -> Photo | None:
        key = (row.photo.sha256, row.page)
        if key != self._last:
            self._last, self._photo = key, None
            try:
                data = self._store.photos.get(row.photo.sha256, row.photo.suffix)
                self._photo = decode(data, row.file.name)[row.page]
            except KdscanError as error:
                self.lost.append(error)
            except OSError as error:
                self.lost.append(KdscanError(str(error)))
        return self._photo


def _reading(sheet: ReadSheet) -> AnyReading | None:
    """A sheet's current reading; None if an older version did not store it."""
    if sheet.kept is None:
        return None
    values = firm_values(sheet.current)
    if sheet.kind == KINGDOM.name:
        values[VARIANTS] = sheet.current["variants"]
    if sheet.kind == DUEL_MAP.name:  # from corrections, or a spellbook elsewhere
        values[WIZARD] = sheet.current.get("chosen_coat")
    return corrected(sheet.kept, values)


def _cut_out(drawn: NDArray[np.uint8], outline: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The sheet's part of a picture, at most `LONGEST_PX` long."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    reach = _AROUND * (high - low).max()
    (x0, y0), (x1, y1) = np.maximum(low - reach, 0).astype(int), (high + reach + 1).astype(int)
    part = drawn[y0:y1, x0:x1]
    scale = min(1.0, LONGEST_PX / max(part.shape[:2]))
    size = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
    return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)


def _crop(photo: Photo, quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    """(CROP_PX, CROP_PX, 3) uint8 BGR: a place of the photo with some paper around it, upright."""
    wide = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(wide.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )


def _jpeg(bgr: NDArray[np.uint8]) -> str:
    return "data:image/jpeg;base64," + b64encode(jpeg(bgr, QUALITY)).decode("ascii")
