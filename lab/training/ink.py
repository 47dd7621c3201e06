"""The ink segmentation network, `InkNet`: its batches, loss, schedule and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.imaging.formats import png
from kdscan.imaging.picture import FLAT_PX, Network
from kdscan.marks.crops import CROP_CELLS, INPUT_PX, crop_cell, resized, segment
from kdscan.rules.duel.board import Board
from lab.synth.fields import U8, Rng, f32, lit, looked_up, u8
from lab.synth.scene import inked_page
from lab.training.dataset import WIDE_MARGIN, jpeg, random_own_page, unpack, worker_strokes
from lab.training.marks_networks import InkNet
from lab.training.sheet_views import degraded, random_map
from lab.training.task import Batch, Task

MIN_INK, FULL_INK = 0.03, 0.12
"""Shares of light absorbed by ink that map to 0 and 1 in the target."""

OWN_SHARE, CLEAN_SHARE = 0.08, 0.1
"""Share of sheets with our own design, and of sheets with hardly any ink."""


@dataclass(frozen=True, eq=False)
class InkExample:
    """A rectified sheet, `FLAT_PX` pixels per cell, with margin `WIDE_MARGIN`. filled: JPEG. ink:
    PNG, grey, 0 for none and 255 for ink."""

    filled: bytes
    ink: bytes


def ink_example(seed: int) -> InkExample:
    """The sheet of a seed; call `dataset.init_worker` first."""
    rng = np.random.default_rng([seed, 6])
    page = random_own_page(rng) if rng.random() < OWN_SHARE else None
    clean = (Board(), False) if rng.random() < CLEAN_SHARE else None
    sheet = inked_page(
        rng, page=page, wild=rng.random() < 0.5, played=clean, strokes=worker_strokes()
    )
    filled = sheet.flat(sheet.page.bgr, FLAT_PX, WIDE_MARGIN)
    ink = np.clip(
        (sheet.flat(sheet.ink, FLAT_PX, WIDE_MARGIN) - MIN_INK) / (FULL_INK - MIN_INK), 0, 1
    )
    mask = u8(np.round(ink * 255))
    return InkExample(jpeg(filled), png(mask))


def ink_batch(rng: Rng, examples: list[InkExample]) -> Batch:
    """Degraded views of the sheets in random light, slightly out of place and randomly mirrored:
    ink (B, 35, 1, 128, 128), coarse planes (B, 35, 3, 64, 64), and which part of each pixel of a
    crop was drawn, (B, 35, 128, 128), 0..1."""
    samples = []
    for example in examples:
        at = random_map(rng)
        view = degraded(rng, looked_up(add_shadow(rng, unpack(example.filled)), at), 1.0)
        mask = looked_up(unpack(example.ink, cv2.IMREAD_GRAYSCALE), at)
        down, across = (int(rng.choice((1, -1))) for _ in range(2))
        crops, drawn = segment(view[::down, ::across]), f32(mask[::down, ::across] / 255)
        parts = [resized(crop_cell(drawn, *cell), INPUT_PX) for cell in CROP_CELLS]
        samples.append((crops.ink, crops.coarse, np.stack(parts)))
    ink, coarse, drawn = (torch.from_numpy(np.stack(p)) for p in zip(*samples, strict=True))
    return ink.half(), coarse.half(), drawn


def add_shadow(rng: Rng, flat: U8) -> U8:
    """Darken half of the sheets, some of them with a shadow's edge across."""
    if rng.random() < 0.5:
        return flat
    h, w = flat.shape[:2]
    light = np.full((h, w), rng.uniform(0.45, 1.0), np.float32)
    if rng.random() < 0.5:
        angle, soft = rng.uniform(0, 2 * np.pi), rng.uniform(0.005, 0.05) * w
        x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        far = (x - w / 2) * np.cos(angle) + (y - h / 2) * np.sin(angle)
        edge = np.clip((far - rng.uniform(-0.3, 0.3) * w) / soft, -20, 20)
        light = f32(light * (1 - rng.uniform(0.1, 0.4) / (1 + np.exp(-edge))))
    return lit(flat, light)


def loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of each pixel, and Dice loss of each sheet."""
    logits, true = out[0].float(), batch[2].float()
    p = torch.sigmoid(logits)
    shared = 2 * (p * true).sum((1, 2, 3)) + 100
    both = p.sum((1, 2, 3)) + true.sum((1, 2, 3)) + 100
    return {
        "ink": F.binary_cross_entropy_with_logits(logits, true),
        "dice": 0.3 * (1 - shared / both).mean(),
    }


TASK = Task(InkNet, ink_batch, loss, n_inputs=2)


def ink_figures(net: Network, examples: Sequence[InkExample]) -> dict[str, float]:
    """Over the pixels of all crops: area under the ROC curve, intersection over union, true and
    false positive rates."""
    rng = np.random.default_rng(0)
    drawn, blank = np.zeros(1001), np.zeros(1001)
    for example in examples:
        ink, coarse, mask = (part.float().numpy() for part in ink_batch(rng, [example]))
        (logits,) = net(ink, coarse)
        p = np.round(1000 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(int)
        drawn += np.bincount(p[mask > 0.5], minlength=1001)
        blank += np.bincount(p[mask < 0.05], minlength=1001)
    seen, wrong = drawn[501:].sum() / drawn.sum(), blank[501:].sum() / blank.sum()
    below = np.cumsum(blank) - blank / 2
    return {
        "auc": float((drawn * below).sum() / drawn.sum() / blank.sum()),
        "iou": float(drawn[501:].sum() / (drawn.sum() + blank[501:].sum())),
        "ink_seen": float(seen),
        "print_taken": float(wrong),
        "sheets": len(examples),
    }
