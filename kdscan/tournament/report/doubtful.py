"""What a report shows beside a sheet: each place to look at, as it is in the photo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.game.grid import cell_name
from kdscan.kinds.common.board import cell_corners
from kdscan.kinds.duel_map.doubts import doubts
from kdscan.kinds.kingdom.doubts import square_doubts
from kdscan.locale import Words
from kdscan.records import AnyReading, BookMark, KingdomReading, Photo, SpellbookReading
from kdscan.tournament.words import book_place, shield_name, square_name

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
    if isinstance(found, SpellbookReading):
        for mark in found.marks:
            if mark.review:
                yield Doubtful(
                    book_place(w, mark.key), _marked(mark, w), _crop(photo, _around(mark))
                )
        return
    corners = cell_corners(found.rectified.centers_xy)
    for (row, col), choices in _cells(found, w):
        quad = corners[[row, row, row + 1, row + 1], [col, col + 1, col + 1, col]]
        yield Doubtful(cell_name((row, col)), choices, _crop(photo, quad))


def _cells(
    found: AnyReading, w: Words
) -> Iterator[tuple[tuple[int, int], tuple[tuple[str, float], ...]]]:
    assert not isinstance(found, SpellbookReading)
    if isinstance(found, KingdomReading):
        for doubt in square_doubts(found):
            square = doubt.square
            read = square_name(w, square.terrain, square.crowns), square.confidence
            others = ((square_name(w, *kind), p) for kind, p in doubt.alternatives)
            yield (square.row, square.col), (read, *others)
        return
    for one in doubts(found):
        cell = one.cell
        read = shield_name(w, cell.coat, cell.crosses), cell.confidence
        others = ((shield_name(w, *marks), p) for marks, p in one.alternatives)
        yield (cell.row, cell.col), (read, *others)


def _marked(mark: BookMark, w: Words) -> tuple[tuple[str, float], ...]:
    yes, no = w.t("marked"), w.t("blank")
    read, other = (yes, no) if mark.marked else (no, yes)
    return (read, mark.confidence), (other, 1 - mark.confidence)


def _around(mark: BookMark) -> Quad:
    """A square around a place, or around the middle of a line."""
    middle = np.mean(mark.at_xy, axis=0)
    reach = 1.5 * mark.reach_px
    if len(mark.at_xy) > 1:  # a line: as much of it as there is
        long = float(np.linalg.norm(np.subtract(mark.at_xy[0], mark.at_xy[-1])))
        reach = max(reach, long / 2 + mark.reach_px)
    return np.asarray(middle + reach * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]))


def _crop(photo: Photo, quad: Quad) -> NDArray[np.uint8]:
    wide = quad.mean(0) + 1.1 * (quad - quad.mean(0))
    side = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * CROP_PX - 0.5
    flat = cv2.getPerspectiveTransform(wide.astype(np.float32), side)
    return np.asarray(
        cv2.warpPerspective(photo.bgr, flat, (CROP_PX, CROP_PX), flags=cv2.INTER_AREA), np.uint8
    )
