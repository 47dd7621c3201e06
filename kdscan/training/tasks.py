"""What each network learns: its samples, its loss and its schedule."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.synth.fields import Rng
from kdscan.training import augment, cover, separator, spellbook
from kdscan.training.dataset import Example
from kdscan.training.guesses import refine_sample
from kdscan.training.kingdom_samples import squares_sample, tiles_sample
from kdscan.training.kingdoms import KingdomExample
from kdscan.training.networks import LocateNet, MarksNet, RefineNet, SquaresNet, TilesNet
from kdscan.training.task import Batch, Task


def _images(views: list[Any]) -> Tensor:
    """(B, 3, H, W) uint8; they become floats in the training process."""
    return torch.from_numpy(np.ascontiguousarray(np.stack(views).transpose(0, 3, 1, 2)))


def locate_batch(rng: Rng, examples: list[Example]) -> Batch:
    """Thumbnails (B, 3, 384, 384) and votes (B, 3, 48, 48); some photos hold two maps."""
    samples = [augment.locate_sample(rng, e) for e in examples]
    for i in range(len(samples)):
        if rng.random() < 0.15:
            samples[i] = augment.mosaic(rng, samples[i], samples[i - 1])
    return _images([s[0] for s in samples]), torch.from_numpy(np.stack([s[1] for s in samples]))


def locate_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the mask; Laplace likelihood of the place.

    Which way is up can be invisible in a thumbnail, and refining settles it later:
    most of the place's loss takes the better of both ways for each photo.
    """
    on, place, doubt = (o.float() for o in out)
    mask, uv = batch[1][:, :1], batch[1][:, 1:]
    found = F.binary_cross_entropy_with_logits(on, mask)
    count = mask.sum((1, 2, 3)).clamp(min=1)

    def likelihood(target: Tensor) -> Tensor:
        error = (place - target).abs().sum(1, keepdim=True)
        nll = error * torch.exp(-doubt) + 2 * doubt
        return (nll * mask).sum((1, 2, 3)) / count

    true, flipped = likelihood(uv), likelihood(-uv)
    where = 0.8 * torch.minimum(true, flipped) + 0.2 * true
    return {"on": 3 * found, "place": where.mean()}


IN_PLACE = 0.3
"""A cell that is off by less than this, in cells and each direction, is where it should be."""


def refine_batch(rng: Rng, examples: list[Example]) -> Batch:
    """Coarse views (B, 3, 224, 288), offsets and presence (B, 3, 5, 7), upright (B, 1)."""
    samples = [refine_sample(rng, e) for e in examples]
    up = torch.tensor([[float(s[2])] for s in samples])
    return _images([s[0] for s in samples]), torch.from_numpy(np.stack([s[1] for s in samples])), up


def refine_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Offsets where a cell is there, whether it is, and which way is up."""
    offset, there, up = (o.float() for o in out)
    target, real = batch[1][:, :2], batch[1][:, 2:]
    near = real * (target.abs().amax(1, keepdim=True) < IN_PLACE).float()
    error = F.smooth_l1_loss(offset, target, beta=0.05, reduction="none")
    shown = (real.mean((1, 2, 3)) > 0.5).float()[:, None]
    upright = F.binary_cross_entropy_with_logits(up, batch[2], reduction="none")
    return {
        "offset": 10 * (error * real).sum() / real.sum().clamp(min=1) / 2,
        "there": 0.5 * F.binary_cross_entropy_with_logits(there, near),
        "up": 3 * (upright * shown).sum() / shown.sum().clamp(min=1),
    }


def marks_batch(rng: Rng, examples: list[Example]) -> Batch:
    """Crops (S, 35, C, 160, 160) of whole sheets, where shields lie (S, 34, 2), what they hold
    (S, 34), castle (S, 1), spots, and offsets of the crops from their cells (S, 35, 2)."""
    samples = zip(*(augment.marks_sample(rng, e) for e in examples), strict=True)
    cells, spots, places, offsets = (torch.from_numpy(np.stack(part)) for part in samples)
    return (
        cells.half(),  # 32 MB rather than 64 between two processes; floats again before they count
        places,
        torch.from_numpy(np.stack([e.coat for e in examples])),
        torch.from_numpy(np.stack([e.crosses for e in examples])),
        torch.tensor([[float(e.castle)] for e in examples]),
        spots,
        offsets,
    )


SMALL_PX = 96
"""Side of crops that cost 2.7 times less than whole ones, for the first part of a training."""


def smaller_marks(batch: Batch) -> Batch:
    """The same sheets in crops of `SMALL_PX` pixels."""
    cells, places, coat, crosses, castle, spots, offsets = batch
    few = F.interpolate(cells.flatten(0, 1).float(), (SMALL_PX, SMALL_PX), mode="area")
    side = SMALL_PX // augment.SPOT_STRIDE
    where = F.interpolate(spots, (side, side), mode="area")
    return (
        few.view(*cells.shape[:3], SMALL_PX, SMALL_PX),
        places,
        coat,
        crosses,
        castle,
        where,
        offsets,
    )


def marks_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of coat and crosses; where crosses lie helps; the castle counts little, and how
    far the crops lie off is learned beside the rest (see `MarksNet`).

    Shields that are `UNKNOWN` count nowhere: that is torch's own number for such labels.
    """
    coat, crosses, castle, offsets, spots = (o.float() for o in out)
    return {
        "coat": F.cross_entropy(coat.flatten(0, 1), batch[2].flatten()),
        "crosses": F.cross_entropy(crosses.flatten(0, 1), batch[3].flatten()),
        "castle": 0.1 * F.binary_cross_entropy_with_logits(castle, batch[4]),
        "spots": 5 * _known_spots(spots[:, :, 0], batch[5]),
        "astray": 5 * _known_offsets(offsets, batch[6], batch[5]),
    }


def _known_spots(logits: Tensor, true: Tensor) -> Tensor:
    """Binary cross entropy where it is known where the crosses lie; -1 elsewhere."""
    known = (true >= 0).float()
    loss: Tensor = F.binary_cross_entropy_with_logits(logits, true.clamp(min=0), weight=known)
    return loss


def _known_offsets(logits: Tensor, true: Tensor, spots: Tensor) -> Tensor:
    """Smooth L1 where offsets are known: where it is known where crosses lie."""
    known = (spots.amax((1, 2, 3)) >= 0).float()[:, None, None]
    loss: Tensor = (known * F.smooth_l1_loss(logits, true, beta=0.02, reduction="none")).mean()
    return loss


def tiles_batch(rng: Rng, examples: list[KingdomExample]) -> Batch:
    """Thumbnails (B, 3, 384, 384) and votes (B, 6, 48, 48)."""
    samples = [tiles_sample(rng, e) for e in examples]
    return _images([s[0] for s in samples]), torch.from_numpy(np.stack([s[1] for s in samples]))


def tiles_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the mask; Laplace likelihood of the centre; how the square is turned."""
    on, place, doubt, turn = (o.float() for o in out)
    mask = batch[1][:, :1]
    count = mask.sum().clamp(min=1)
    error = (place - batch[1][:, 1:3]).abs().sum(1, keepdim=True)
    where = ((error * torch.exp(-doubt) + 2 * doubt) * mask).sum() / count
    how = ((turn - batch[1][:, 3:]).abs().sum(1, keepdim=True) * mask).sum() / count
    return {"on": 3 * F.binary_cross_entropy_with_logits(on, mask), "place": where, "turn": how}


def squares_batch(rng: Rng, examples: list[KingdomExample]) -> Batch:
    """Crops (N, 3, 80, 80) of whole kingdoms and what they show (N,)."""
    samples = [squares_sample(rng, flat) for e in examples for flat in e.flats[:1]]
    images = _images(list(np.concatenate([s[0] for s in samples])))
    return images, torch.from_numpy(np.concatenate([s[1] for s in samples]))


def squares_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the kind."""
    return {"kind": F.cross_entropy(out[0].float(), batch[1])}


TASKS: dict[str, Task] = {
    "locate": Task(LocateNet, locate_batch, locate_loss, 16, 5100, 2e-3),
    "refine": Task(RefineNet, refine_batch, refine_loss, 32, 27103, 2e-3),
    "marks": Task(
        MarksNet, marks_batch, marks_loss, 6, 65085, 2e-3, shown=2, smaller=smaller_marks
    ),
    "tiles": Task(TilesNet, tiles_batch, tiles_loss, 12, 1500, 3e-3),
    "ink": separator.TASK,
    "cover": cover.TASK,
    "spellbook": spellbook.TASK,
    "squares": Task(SquaresNet, squares_batch, squares_loss, 7, 1500, 3e-3),
}
