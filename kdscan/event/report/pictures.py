"""Pictures of a report: each sheet with its reading drawn over it, each doubtful place."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import KdscanError
from kdscan.event.model import SheetResult
from kdscan.event.sheets import corrected, firm_values
from kdscan.event.store import Store
from kdscan.event.store.readings import ReadSheet
from kdscan.i18n import Words
from kdscan.imaging.formats import jpeg
from kdscan.imaging.photo import decode
from kdscan.imaging.picture import Photo
from kdscan.sheets.base import AnyReading, kind_of
from kdscan.sheets.common import VARIANTS, WIZARD, DoubtfulPlace
from kdscan.sheets.overlay import draw_overlay
from kdscan.sheets.spellbook.model import SpellbookReading

LONGEST_PX, QUALITY = 1000, 72
"""Size and JPEG quality of a sheet's picture: about 150 KB, readable on a large screen."""

CROP_PX = 144
"""Side of a doubtful place's picture."""

_AROUND = 0.13
"""Paper shown around the grid, as a fraction of its size."""


@dataclass(frozen=True)
class Pictures:
    """sheet: data URI of the whole sheet, None if its photo is lost. doubts: with data URIs."""

    sheet: str | None
    size_wh: tuple[int, int]
    doubts: tuple[tuple[DoubtfulPlace, str], ...]


NO_PICTURES = Pictures(None, (0, 0), ())


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
        if not sheet.data["outline"]:
            return NO_PICTURES
        photo = self._open(row)
        if photo is None:
            return NO_PICTURES
        outline = np.array(sheet.data["outline"], np.float64)
        shown, scale, origin = _cut_out(photo, outline)
        found = _reading(sheet)
        if found is None:
            return Pictures(_jpeg(shown.bgr), (shown.width, shown.height), ())
        moved = _moved(found, origin, scale)
        drawn = np.asarray(draw_overlay(shown, [moved], self._words)[: shown.height], np.uint8)
        doubtful = kind_of(found).places(found, self._words)
        places = tuple((one, _jpeg(_crop(photo, one.quad_xy))) for one in doubtful)
        return Pictures(_jpeg(drawn), (shown.width, shown.height), places)

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
    if sheet.kind == "kingdom":
        values[VARIANTS] = sheet.current["variants"]
    if sheet.kind == "duel_map":  # from corrections, or a spellbook elsewhere
        values[WIZARD] = sheet.current.get("chosen_coat")
    return corrected(sheet.kept, values)


def _cut_out(
    photo: Photo, outline: NDArray[np.float64]
) -> tuple[Photo, float, NDArray[np.float64]]:
    """The sheet's part of the photo, at most `LONGEST_PX` long; its scale and top left corner."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    reach = _AROUND * (high - low).max()
    x0, y0 = (int(max(0, v)) for v in low - reach)
    x1, y1 = (int(v) + 1 for v in np.minimum(high + reach, (photo.width, photo.height)))
    part = photo.bgr[y0:y1, x0:x1]
    scale = min(1.0, LONGEST_PX / max(part.shape[:2]))
    size = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return Photo(small, photo.name, photo.page), scale, np.array([x0, y0], np.float64)


def _crop(photo: Photo, quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    """(CROP_PX, CROP_PX, 3) uint8 BGR: a place of the photo with some paper around it, upright."""
    wide = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(wide.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )


def _moved(found: AnyReading, origin: NDArray[np.float64], scale: float) -> AnyReading:
    """The sheet in the coordinates of the part that was cut out."""

    def move(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((xy - origin + 0.5) * scale - 0.5)

    if isinstance(found, SpellbookReading):
        marks = tuple(
            mark._replace(
                at_xy=tuple((float(x), float(y)) for x, y in move(np.array(mark.at_xy))),
                reach_px=mark.reach_px * scale,
            )
            for mark in found.marks
        )
        page = replace(found.evidence, page_xy=move(found.evidence.page_xy))
        return replace(found, evidence=page, marks=marks)
    place = found.rectified
    flat = replace(place, centers_xy=move(place.centers_xy), outline_xy=move(place.outline_xy))
    evidence: Any = found.evidence
    return replace(found, evidence=replace(evidence, rectified=flat))


def _jpeg(bgr: NDArray[np.uint8]) -> str:
    return "data:image/jpeg;base64," + b64encode(jpeg(bgr, QUALITY)).decode("ascii")
