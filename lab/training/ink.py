"""The ink segmentation network, `InkNet`: its batches, loss, schedule and metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.imaging.picture import Network
from lab.training.ink_examples import InkExample, ink_batch, ink_views
from lab.training.marks_networks import InkNet
from lab.training.random_tensors import RandomTensors
from lab.training.task import Batch, Task


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


TASK = Task(InkNet, ink_batch, loss, size=4, steps=1500, rate=3e-3, n_inputs=2, views=ink_views)


def ink_figures(net: Network, examples: Sequence[InkExample]) -> dict[str, float]:
    """Over the pixels of all crops: area under the ROC curve, intersection over union, true and
    false positive rates."""
    rng, random = np.random.default_rng(0), RandomTensors(0)
    drawn, blank = np.zeros(1001), np.zeros(1001)
    for example in examples:
        ink, coarse, mask = (
            part.float().numpy() for part in ink_views(random, ink_batch(rng, [example]))
        )
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
