"""The network that reads spellbooks: training and measurement, ten minutes on one core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.picture import sigmoid
from kdscan.inference.store import StruckBy
from lab.synth.fields import F64, Rng
from lab.training.measure import best_temperature, expected_calibration_error
from lab.training.networks import Attention, Calibrated, conv
from lab.training.spellbook_examples import IN_PLACE_MM, BookExample
from lab.training.task import Batch, Task

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
    images = np.stack([e.crops for e in examples]).astype(np.float32) / 255
    images *= rng.uniform(0.75, 1.25, (len(examples), 1, 3, 1, 1)).astype(np.float32)
    images += 0.02 * rng.standard_normal(images.shape, np.float32)
    across, down = (1 - 2 * int(rng.integers(2)) for _ in range(2))
    seen = np.ascontiguousarray(images[..., ::down, ::across])
    labels = [
        np.stack([e.marked, e.passed, e.is_square, e.off_mm < IN_PLACE_MM], 1) for e in examples
    ]
    return (
        torch.from_numpy(seen.reshape(-1, *seen.shape[2:])).half(),
        torch.from_numpy(np.concatenate(labels).astype(np.float32)),
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


TASK = Task(SpellNet, batch, loss, size=8, steps=4000, rate=2e-3)


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
    x, y = torch.tensor(np.array(features)), torch.tensor(np.array(labels, float))
    w = torch.tensor([0.3, 0.3, 0.3, 0.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([w], max_iter=200)

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = F.binary_cross_entropy_with_logits(x @ w, y) + 1e-3 * (w[:3] ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    largest, second, mean, bias = (round(float(v), 4) for v in w.detach())
    return StruckBy(largest, second, mean, bias)


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
