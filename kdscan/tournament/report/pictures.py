"""Pictures of a report: each sheet with its reading drawn over it, each doubtful shield."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import KdscanError
from kdscan.game.duel.coats import Coat
from kdscan.keeping import recall_map
from kdscan.overlay import cell_corners, draw_overlay
from kdscan.pipeline import correct
from kdscan.records import Photo, SheetReading
from kdscan.report import Doubt, doubts
from kdscan.tournament.current import cell_of
from kdscan.tournament.results import Result
from kdscan.tournament.store import Store
from kdscan.vision.decode import Marks
from kdscan.vision.photo import decode

LONGEST_PX, QUALITY = 1000, 72
"""Size and JPEG quality of a sheet's picture: some 150 KB, readable on a large screen."""

CROP_PX = 144
"""Side of a doubtful shield's picture."""

_AROUND = 0.13
"""Paper shown around the grid, as a share of its size."""


@dataclass(frozen=True)
class Pictures:
    """sheet: data URI of the whole sheet, None if its photo is lost. doubts: with data URIs."""

    sheet: str | None
    size_wh: tuple[int, int]
    doubts: tuple[tuple[Doubt, str], ...]


NOTHING = Pictures(None, (0, 0), ())


class Album:
    """Opens photos of a store as rows ask for them; remembers the last one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: tuple[str, int] | None = None
        self._photo: Photo | None = None

    def pictures(self, row: Result) -> Pictures:
        """What to show of a row of the results."""
        if row.sheet is None or row.photo is None or not row.sheet.data["outline"]:
            return NOTHING
        photo = self._open(row)
        if photo is None:
            return NOTHING
        outline = np.array(row.sheet.data["outline"], np.float64)
        shown, scale, origin = _cut_out(photo, outline)
        sheet = _reading(row)
        if sheet is None:
            return Pictures(_jpeg(shown.bgr), (shown.width, shown.height), ())
        moved = _moved(sheet, origin, scale)
        drawn = np.asarray(draw_overlay(shown, [moved])[: shown.height], np.uint8)
        crops = tuple((doubt, _jpeg(_crop(photo, sheet, doubt))) for doubt in doubts(sheet))
        return Pictures(_jpeg(drawn), (shown.width, shown.height), crops)

    def _open(self, row: Result) -> Photo | None:
        assert row.photo is not None
        key = (row.photo.sha256, row.page)
        if key != self._last:
            self._last, self._photo = key, None
            try:
                data = self._store.photos.get(row.photo.sha256, row.photo.suffix)
                self._photo = decode(data, row.file.name)[row.page]
            except (KdscanError, OSError):
                return None  # the report is worth having without this picture
        return self._photo


def _reading(row: Result) -> SheetReading | None:
    """The sheet as it stands, for those kinds that can be recalled."""
    assert row.sheet is not None
    if row.sheet.kept is None or row.sheet.kind != "duel_map":
        return None
    sheet = recall_map(row.sheet.kept)
    cells = dict(_corrections(row))
    return correct(sheet, cells) if cells else sheet


def _corrections(row: Result) -> Iterator[tuple[tuple[int, int], Marks]]:
    assert row.data is not None
    now = {(c["row"], c["col"]): c for c in row.data["cells"]}
    for field in row.said:
        if field.startswith("cell:"):
            cell = now[cell_of(field)]
            coat = Coat(cell["coat"]) if cell["coat"] else None
            yield cell_of(field), (coat, cell["crosses"])


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


def _moved(sheet: SheetReading, origin: NDArray[np.float64], scale: float) -> SheetReading:
    """The sheet in the coordinates of the picture that was cut out."""
    place = sheet.rectified
    centers, outline = (
        (xy - origin + 0.5) * scale - 0.5 for xy in (place.centers_xy, place.outline_xy)
    )
    return replace(sheet, rectified=replace(place, centers_xy=centers, outline_xy=outline))


def _crop(photo: Photo, sheet: SheetReading, doubt: Doubt) -> NDArray[np.uint8]:
    """A shield with its circles, flat and upright."""
    corners = cell_corners(sheet.rectified.centers_xy)
    r, c = doubt.cell.row, doubt.cell.col
    quad = corners[[r, r, r + 1, r + 1], [c, c + 1, c + 1, c]]
    quad = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(quad.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )


def _jpeg(bgr: NDArray[np.uint8]) -> str:
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return "data:image/jpeg;base64," + b64encode(data.tobytes()).decode("ascii")
