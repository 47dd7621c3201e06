"""Examples for the network that reads spellbooks: drawn pages, some of them photographed.

Most pages are drawn and degraded in memory. The others pass through the simulated camera and the
reader's own detection. All crops are made as in `kdscan.sheets.spellbook.read`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo
from kdscan.paper.book import BookLayout, marked_places
from kdscan.sheets.spellbook.read import PX_PER_MM, crops, crops_of, find_books
from lab.synth.fields import F32, F64, U8, Rng, log_uniform
from lab.synth.hands.book import draw_spellbook, played_book, wild_book
from lab.synth.own import own_book
from lab.synth.photo.camera import LEVELS, photograph
from lab.synth.photo.sensor import compress
from lab.training.augment import relight

IN_PLACE_MM = 1.0
"""A place can still be read if it is at most this far from where it was looked for."""


@dataclass(frozen=True, eq=False)
class BookExample:
    """One page as the reader saw it.

    crops: (N, 3, 32, 96) uint8, ink and colour times 255. marked, passed: (N,) bool;
    is_square: (N,) bool. struck: each line's squares (indices into the other fields), and whether
    the line is struck through. off_mm: (N,) how far off each place was looked for.
    """

    crops: U8
    marked: NDArray[np.bool_]
    passed: NDArray[np.bool_]
    is_square: NDArray[np.bool_]
    struck: tuple[tuple[tuple[int, ...], bool], ...]
    off_mm: F64


def _labels(layout: BookLayout, truth: dict[str, bool]) -> dict[str, Any]:
    places = [place for place, _, _ in marked_places(layout)]
    keys = [str(place) for place in places]
    rows: dict[str, list[int]] = {}
    for i, place in enumerate(places):
        if place.part == "square":
            rows.setdefault(str(replace(place, part="struck")), []).append(i)
    return {
        "marked": np.array([truth[key] for key in keys]),
        "passed": np.array([truth.get(key.replace("squares", "passed"), False) for key in keys]),
        "is_square": np.array([place.part == "square" for place in places]),
        "struck": tuple((tuple(ids), truth[struck]) for struck, ids in rows.items()),
    }


def _packed(seen: F32) -> U8:
    return np.asarray(np.clip(seen * 255 + 0.5, 0, 255), np.uint8)


def _drawn(seed: int) -> tuple[Rng, BookLayout, U8, float, dict[str, bool]]:
    """The generator of a seed; a page's layout, the page filled in, its pixels per mm and truth."""
    rng = np.random.default_rng([seed, 7])
    layout, blank, px_per_mm = own_book()
    book = played_book(rng) if rng.random() < 0.5 else wild_book(rng)
    untidy = rng.uniform(0, 1)
    page, truth = draw_spellbook(blank, layout, book, rng, px_per_mm=px_per_mm, messiness=untidy)
    return rng, layout, page, px_per_mm, truth


def page_example(seed: int) -> BookExample:
    """A drawn page, made coarser, relit and slightly displaced."""
    rng, layout, page, drawn_px, truth = _drawn(seed)
    px = log_uniform(rng, 2.0, 4.8)
    scale = px / drawn_px
    small = cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = relight(rng, np.asarray(small, np.uint8))
    if rng.random() < 0.5:
        small = compress(small, int(rng.integers(40, 92)))
    w, h = (round(side * PX_PER_MM) for side in layout.page_mm)
    off = rng.normal(0, rng.choice([0.06, 0.15, 0.3]), (6, 8, 2)) + rng.normal(0, 0.08, 2)
    if rng.random() < 0.25:  # the mesh is off
        off = off + rng.normal(0, rng.uniform(0.5, 5), (6, 8, 2)) * (rng.random((6, 8, 1)) < 0.5)
    bend = cv2.resize(off.astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    mm = np.dstack([x + 0.5, y + 0.5]) / np.float32(PX_PER_MM) + bend
    where = (mm * np.float32(px) - np.float32(0.5)).astype(np.float32)
    flat: Any = cv2.remap(
        small, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    at = np.array([center for _, center, _ in marked_places(layout)]) * PX_PER_MM
    here = bend[tuple(np.clip(at.astype(int), 0, (w - 1, h - 1)).T[::-1])]
    seen = _packed(crops_of(flat, layout))
    off_mm = np.linalg.norm(here, axis=1).astype(np.float64)
    return BookExample(seen, **_labels(layout, truth), off_mm=off_mm)


def photo_example(seed: int) -> BookExample | None:
    """A photographed page as found by the reader, None if it is not found; levels alternate."""
    level = list(LEVELS)[seed % len(LEVELS)]
    rng, layout, page, _, truth = _drawn(seed)
    whole = rng.random() < 0.7  # otherwise its markers may be cut off or under a hand
    width, height = layout.page_mm
    rim = (4.0, 5.0) if whole else (15.0, 20.0)
    must_see = (rim[0], rim[1], width - 2 * rim[0], height - 2 * rim[1])
    shot = photograph(
        page, layout.page_mm, rng, level=level, size_wh=(2016, 1512), grid_mm=must_see
    )
    photo = Photo(shot.bgr)
    found = find_books(photo)
    if not found:
        return None
    book = max(found, key=lambda one: float(one.fit.mean()))
    at = np.array([center for _, center, _ in marked_places(layout)])
    true = shot.page_to_photo(at)
    px = np.linalg.norm(shot.page_to_photo(at + (1.0, 0.0)) - true, axis=1)
    off = np.linalg.norm(book.to_photo(at) - true, axis=1) / px
    seen = _packed(crops(photo, book))
    return BookExample(seen, **_labels(layout, truth), off_mm=off)
