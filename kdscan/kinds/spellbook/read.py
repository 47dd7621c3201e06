"""Stage: a spellbook laid flat → what is marked on it, and how far to trust that.

Every place that can be marked is looked at alone, beside the same place of the blank
page, scaled so that squares, circles and boxes look alike. One small network says
whether it is marked, whether a stroke passes through it, and whether it lies there at
all; a line is struck when strokes pass through its squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.book_place import BookPlace
from kdscan.inference.store import Models
from kdscan.kinds.spellbook.code import read_book_code
from kdscan.kinds.spellbook.interpret import interpret
from kdscan.kinds.spellbook.place import PlacedBook, blank_page, find_books, flatten_book
from kdscan.marks.crops import planes
from kdscan.records import BookMark, Photo, SpellbookEvidence, SpellbookReading
from kdscan.records.arrays import Floats, Network
from kdscan.records.book import StruckBy
from kdscan.sheet.book import BookLayout, marked_places

PX_PER_MM = 4.0
"""Resolution of the flattened page that crops are cut from."""
CROP_WH, CROP_REACH = (96, 32), 1.55
"""Pixels of a crop, and how far up and down it reaches from its place's centre, in halves of
that place; to the sides it reaches three times as far, because strokes go along lines."""


DOUBTFUL = 0.5
"""A place whose chance to be wrong is above this share of the accepted risk asks for a look."""


def crops(photo: Photo, book: PlacedBook) -> NDArray[np.float32]:
    """What the network sees: (N, 3, 32, 96) float32, a crop a place of `marked_places`.

    The planes are ink, the blank page's ink, and colour, as in `kdscan.marks.crops`.
    """
    return crops_of(flatten_book(photo, book, PX_PER_MM), book.layout)


def crops_of(flat_bgr: NDArray[np.uint8], layout: BookLayout) -> NDArray[np.float32]:
    """As `crops`, of a page that lies flat already, at `PX_PER_MM`."""
    ink, color = planes(flat_bgr)
    printed, _ = planes(blank_page(layout, PX_PER_MM))
    stack = np.dstack([ink, printed[: ink.shape[0], : ink.shape[1]], color])
    out = []
    for _, (x, y), half in marked_places(layout):
        high = max(CROP_WH[1], round(2 * CROP_REACH * half * PX_PER_MM))
        size = (high * CROP_WH[0] // CROP_WH[1], high)
        cut = cv2.getRectSubPix(stack, size, (x * PX_PER_MM - 0.5, y * PX_PER_MM - 0.5))
        small = cv2.resize(cut, CROP_WH, interpolation=cv2.INTER_AREA)
        out.append(small.transpose(2, 0, 1))
    return np.ascontiguousarray(out, np.float32)


def read_books(photo: Photo, models: Models, risk: float) -> tuple[SpellbookReading, ...]:
    """Read every spellbook of ours in a photo; see `read_book`."""
    places = find_books(photo)
    return tuple(read_book(photo, one, models.spellbook, models.struck_by, risk) for one in places)


def read_book(
    photo: Photo, book: PlacedBook, network: Network, struck_by: StruckBy, risk: float
) -> SpellbookReading:
    """Read one spellbook, with the code that is printed on it.

    network: `crops` → logits (N, 3): that a place is marked, that a stroke passes through,
        that the place lies where it was looked for.
    risk: accepted probability that what asks for no review is wrong.
    """
    seen = crops(photo, book)
    views = (seen, seen[..., ::-1], seen[:, :, ::-1])
    outs = [network(np.ascontiguousarray(view))[0] for view in views]
    logits = np.asarray(np.mean(outs, axis=0), np.float64)
    marks = tuple(_marks(book, logits, struck_by, risk))
    code = read_book_code(photo, book)
    return interpret(SpellbookEvidence(book.layout.name, book.outline_xy, marks, code))


def _marks(
    book: PlacedBook, logits: Floats, struck_by: StruckBy, risk: float
) -> Iterator[BookMark]:
    places = list(marked_places(book.layout))
    there = 1 / (1 + np.exp(-logits[:, 2]))
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
    p = 1 / (1 + np.exp(-abs(logit)))
    sure = float(p * there + (1 - there) / 2)
    points = tuple((float(x), float(y)) for x, y in at_xy)
    return BookMark(place, points, float(reach), logit > 0, sure, sure < 1 - risk * DOUBTFUL)
