"""The network that reads spellbooks: training and measurement, ten minutes on one core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.arrays import sigmoid
from kdscan.imaging.picture import Photo
from kdscan.inference.store import StruckBy
from kdscan.paper.book import BookLayout, marked_places
from kdscan.sheets.spellbook.read import PX_PER_MM, crops, find_books, flatten_book
from lab.synth.fields import F32, F64, U8, Bools, Rng, f32, log_uniform, scaled, u8
from lab.synth.hands.book import draw_spellbook, played_book, wild_book
from lab.synth.photo.camera import LEVELS, compress, photograph
from lab.synth.scene import own_book
from lab.training.augment import relight
from lab.training.measure import (
    best_temperature,
    expected_calibration_error,
    logistic_regression,
)
from lab.training.networks import Attention, Calibrated, conv
from lab.training.task import Batch, Task

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
    marked: Bools
    passed: Bools
    is_square: Bools
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
    return u8(np.clip(seen * 255 + 0.5, 0, 255))


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
    small = scaled(page, scale)
    small = relight(rng, u8(small))
    if rng.random() < 0.5:
        small = compress(small, int(rng.integers(40, 92)))
    w, h = (round(side * PX_PER_MM) for side in layout.page_mm)
    off = rng.normal(0, rng.choice([0.06, 0.15, 0.3]), (6, 8, 2)) + rng.normal(0, 0.08, 2)
    if rng.random() < 0.25:  # the mesh is off
        off = off + rng.normal(0, rng.uniform(0.5, 5), (6, 8, 2)) * (rng.random((6, 8, 1)) < 0.5)
    bend = cv2.resize(f32(off), (w, h), interpolation=cv2.INTER_CUBIC)
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    mm = np.dstack([x + 0.5, y + 0.5]) / PX_PER_MM + bend
    where = f32(mm * px - 0.5)
    flat: Any = cv2.remap(
        small, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    at = np.array([center for _, center, _ in marked_places(layout)]) * PX_PER_MM
    here = bend[tuple(np.clip(at.astype(int), 0, (w - 1, h - 1)).T[::-1])]
    seen = _packed(crops(flat, layout))
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
    seen = _packed(crops(flatten_book(photo, book, PX_PER_MM), book.layout))
    return BookExample(seen, **_labels(layout, truth), off_mm=off)


PLACES = 72
"""Number of places that can be marked in a spellbook, determined by the game on any page."""


class SpellNet(nn.Module):
    """The crops of a page's places → whether each is marked, struck through, and in place.

    (P * 72, 3, 32, 96), P whole pages in the order of `marked_places` → logits (P * 72, 3).
    Each place is classified by itself first and then in the context of its page: a stroke that
    zigzags through empty squares looks like single marks.
    """

    def __init__(self) -> None:
        super().__init__()
        w, depth = 16, 64
        self.body = nn.Sequential(
            conv(3, w, 2), conv(w, 2 * w, 2), conv(2 * w, 3 * w, 2), conv(3 * w, w, kernel=1)
        )
        self.token = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(w * 48, depth))
        self.position = nn.Parameter(torch.randn(PLACES, depth) * 0.1)
        self.attention = nn.Sequential(Attention(depth), Attention(depth))
        self.head = nn.Linear(2 * depth, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        alone = self.token(self.body(x))
        tokens = alone.reshape(-1, PLACES, alone.shape[-1]) + self.position
        beside = self.attention(tokens).reshape(alone.shape)
        return (self.head(torch.cat([alone, beside], 1)),)


def batch(rng: Rng, examples: list[BookExample]) -> Batch:
    """Crops (P * 72, 3, 32, 96) of whole pages, mirrored and relit at random; and (P * 72, 4)
    whether each place is marked, struck through, a square, and within `IN_PLACE_MM`."""
    images = f32(np.stack([e.crops for e in examples])) / 255
    images *= f32(rng.uniform(0.75, 1.25, (len(examples), 1, 3, 1, 1)))
    images += 0.02 * rng.standard_normal(images.shape, np.float32)
    across, down = (1 - 2 * int(rng.integers(2)) for _ in range(2))
    seen = np.ascontiguousarray(images[..., ::down, ::across])
    labels = [
        np.stack([e.marked, e.passed, e.is_square, e.off_mm < IN_PLACE_MM], 1) for e in examples
    ]
    return (
        torch.from_numpy(seen.reshape(-1, *seen.shape[2:])).half(),
        torch.from_numpy(f32(np.concatenate(labels))),
    )


def loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the three logits; marks count only if the place is where it should be."""
    marked, passed, is_square, there = batch[1].T
    targets = {"marked": (marked, there), "passed": (passed, there * is_square)}
    targets["there"] = (there, torch.ones_like(there))
    return {
        name: F.binary_cross_entropy_with_logits(out[0].float()[:, head], true, weight) / 3
        for head, (name, (true, weight)) in enumerate(targets.items())
    }


TASK = Task(SpellNet, batch, loss)


def logits(net: nn.Module, example: BookExample) -> F64:
    """(N, 3), averaged over the crop and its mirror images, as the reader does."""
    x = torch.from_numpy(example.crops).float() / 255
    with torch.no_grad():
        views = [net(v)[0] for v in (x, torch.flip(x, [3]), torch.flip(x, [2]))]
    return np.asarray(torch.stack(views).mean(0).numpy(), np.float64)


def fit_struck(net: nn.Module, examples: list[BookExample]) -> StruckBy:
    """Logistic regression from the squares' struck-through logits to struck lines."""
    features, labels = [], []
    for example in examples:
        out = logits(net, example)[:, 1]
        for ids, struck in example.struck:
            ordered = np.sort(out[list(ids)])
            features.append([ordered[-1], ordered[-2], ordered.mean(), 1.0])
            labels.append(struck)
    prior = 2e-3 * len(labels) * np.array([1, 1, 1, 1e-9])
    fit = logistic_regression(np.array(features), np.array(labels), np.zeros(4), prior)
    return StruckBy(*fit)


def temperature(net: nn.Module, examples: list[BookExample], head: int) -> float:
    """The best temperature of a head's logits: 0 marked, 2 in place."""
    z, y = [], []
    for example in examples:
        near = example.off_mm < IN_PLACE_MM
        out = logits(net, example)[:, head]
        z.append(out if head == 2 else out[near])
        y.append(near if head == 2 else example.marked[near])
    logit = np.concatenate(z)
    both = np.stack([np.zeros_like(logit), logit], 1)
    return best_temperature(both, np.concatenate(y).astype(np.int64))


def figures(net: nn.Module, struck_by: StruckBy, examples: list[BookExample]) -> dict[str, Any]:
    """Accuracy of places and lines, and the network's confidence in its errors."""
    count: Counter[str] = Counter()
    said = []
    for example in examples:
        out = logits(net, example)
        near = example.off_mm < IN_PLACE_MM
        right = (out[:, 0] > 0) == example.marked
        p = sigmoid(np.abs(out[:, 0]))
        there = sigmoid(out[:, 2])
        sure = p * there + (1 - there) / 2
        count["places"] += len(right)
        count["in_place"] += int(near.sum())
        count["wrong"] += int((~right).sum())
        count["wrong_in_place"] += int((~right & near).sum())
        count["wrong_and_sure"] += int((~right & (sure > 0.98)).sum())
        count["unsure"] += int((sure <= 0.98).sum())
        said.append(np.stack([sure, right], 1))
        for ids, struck in example.struck:
            count["lines"] += 1
            count["lines_wrong"] += (struck_by.logit(out[list(ids), 1]) > 0) != struck
    error = expected_calibration_error(*np.concatenate(said).T)
    return dict(count) | {"expected_calibration_error": round(error, 5)}


def measure(net: nn.Module, held: Sequence[BookExample]) -> dict[str, Any]:
    """Calibrate on one half of the held-out photos, measure on the other."""
    tuning, testing = list(held[::2]), list(held[1::2])
    temperatures = {"marked": temperature(net, tuning, 0), "passed": 1.0}
    temperatures["there"] = temperature(net, tuning, 2)
    calibrated = Calibrated(net, (torch.tensor([*temperatures.values()]),))
    struck_by = fit_struck(calibrated, tuning)
    return {
        "temperatures": temperatures,
        "figures": figures(calibrated, struck_by, testing),
        "struck_by": asdict(struck_by),
    }
