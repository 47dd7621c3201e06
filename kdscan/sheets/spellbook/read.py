"""Stage: registered spellbook → marks with probabilities.

Every place that can be marked is classified by itself, beside the same place of the blank page,
scaled so that squares, circles and boxes look alike. One small network predicts whether it is
marked, whether a stroke passes through it, and whether the crop shows the place at all; a line is
struck if strokes pass through its squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.qr import read_printed
from kdscan.inference.store import Models
from kdscan.marks.crops import planes
from kdscan.paper.book import BookLayout, marked_places
from kdscan.records import BookMark, Photo, SpellbookEvidence, SpellbookReading
from kdscan.records.arrays import Floats, Network, sigmoid
from kdscan.records.book import StruckBy
from kdscan.rules.duel.book_place import BookPlace
from kdscan.sheets.spellbook.interpret import interpret
from kdscan.sheets.spellbook.place import (
    PX_PER_MM,
    PlacedBook,
    blank_page,
    find_books,
    flatten_book,
)

CROP_WH, CROP_REACH = (96, 32), 1.55
"""Width and height of a crop in pixels, and its half height relative to half the place's side. A
crop is three times as wide as it is high, because strokes run along lines."""

DOUBT_SHARE = 0.5
"""A place is marked for review if its probability of being wrong exceeds this share of the risk."""


def crops(photo: Photo, book: PlacedBook) -> NDArray[np.float32]:
    """The network's input: (N, 3, 32, 96) float32, a crop for each of `marked_places`.

    The planes are ink, the blank page's ink, and colour, as in `kdscan.marks.crops`.
    """
    return crops_of(flatten_book(photo, book, PX_PER_MM), book.layout)


def crops_of(flat_bgr: NDArray[np.uint8], layout: BookLayout) -> NDArray[np.float32]:
    """Like `crops`, for a page (H, W, 3) that is already rectified, at `PX_PER_MM`."""
    ink, color = planes(flat_bgr)
    printed, _ = planes(blank_page(layout, PX_PER_MM))
    stack = np.dstack([ink, printed[: ink.shape[0], : ink.shape[1]], color])
    out = []
    for _, (x, y), half in marked_places(layout):
        high = max(CROP_WH[1], round(2 * CROP_REACH * half * PX_PER_MM))
        size = (high * CROP_WH[0] // CROP_WH[1], high)
        crop = cv2.getRectSubPix(stack, size, (x * PX_PER_MM - 0.5, y * PX_PER_MM - 0.5))
        small = cv2.resize(crop, CROP_WH, interpolation=cv2.INTER_AREA)
        out.append(small.transpose(2, 0, 1))
    return np.ascontiguousarray(out, np.float32)


def read_books(photo: Photo, models: Models, risk: float) -> tuple[SpellbookReading, ...]:
    """Read every spellbook with a built-in layout in a photo; see `read_book`."""
    places = find_books(photo)
    return tuple(read_book(photo, one, models.spellbook, models.struck_by, risk) for one in places)


def read_book(
    photo: Photo, book: PlacedBook, network: Network, struck_by: StruckBy, risk: float
) -> SpellbookReading:
    """Read one spellbook and its printed code.

    network: `crops` → logits (N, 3): that a place is marked, that a stroke passes through it, that
        the crop shows the place at all.
    risk: accepted probability that a reading which is not marked for review is wrong.
    """
    seen = crops(photo, book)
    views = (seen, seen[..., ::-1], seen[:, :, ::-1])
    outs = [network(np.ascontiguousarray(view))[0] for view in views]
    logits = np.asarray(np.mean(outs, axis=0), np.float64)
    marks = tuple(_marks(book, logits, struck_by, risk))
    code = read_book_code(photo, book)
    return interpret(SpellbookEvidence(book.layout.name, book.outline_xy, marks, code))


def read_book_code(photo: Photo, book: PlacedBook) -> str | None:
    """The text of a spellbook's printed code, or None if none can be read."""
    code = book.layout.code
    return None if code is None else read_printed(photo, code, book.to_photo)


def _marks(
    book: PlacedBook, logits: Floats, struck_by: StruckBy, risk: float
) -> Iterator[BookMark]:
    places = list(marked_places(book.layout))
    there = sigmoid(logits[:, 2])
    xy = book.to_photo(np.array([at for _, at, _ in places]))
    edge = book.to_photo(np.array([(x + half, y) for _, (x, y), half in places]))
    reach = np.linalg.norm(edge - xy, axis=1)
    row: list[int] = []
    for i, (place, _, _) in enumerate(places):
        if place.part == "square":
            row.append(i)
        yield _mark(place, (xy[i],), reach[i], float(logits[i, 0]), float(there[i]), risk)
        if place.part == "used":  # a line's squares come before its circle
            ends = xy[row[0]], xy[row[-1]]
            struck = replace(place, part="struck")
            logit = struck_by.logit(logits[row, 1])
            yield _mark(struck, ends, reach[row[0]], logit, float(there[row].min()), risk)
            row = []


def _mark(
    place: BookPlace,
    at_xy: tuple[Floats, ...],
    reach: float,
    logit: float,
    there: float,
    risk: float,
) -> BookMark:
    p = float(sigmoid(abs(logit)))
    confidence = float(p * there + (1 - there) / 2)
    points = tuple((float(x), float(y)) for x, y in at_xy)
    review = confidence < 1 - risk * DOUBT_SHARE
    return BookMark(place, points, float(reach), logit > 0, confidence, review)
