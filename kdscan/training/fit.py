"""Trains one network on rendered examples."""

from __future__ import annotations

import copy
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset

from kdscan.errors import UsageError
from kdscan.training import augment
from kdscan.training.dataset import Example
from kdscan.training.guesses import refine_sample
from kdscan.training.kingdom_samples import squares_sample, tiles_sample
from kdscan.training.kingdoms import KingdomExample
from kdscan.training.networks import LocateNet, MarksNet, RefineNet, SquaresNet, TilesNet
from kdscan.training.precision import quickest
from kdscan.training.restore import restore

Batch = tuple[Tensor, ...]

RESTORING = 8
"""Batches that a published model sees before it is trained on: its norms are measured."""


@dataclass(frozen=True)
class Task:
    """How one network is trained: its samples, its loss and its schedule.

    shown: how many of a batch's tensors the network sees, the first ones.
    kept: the share of the weights that it went on from in those that it is left with. The mean of
        both reads better than either, see README.md.
    """

    net: Callable[[], nn.Module]
    batch: Callable[[np.random.Generator, list[Any]], Batch]
    loss: Callable[[tuple[Tensor, ...], Batch], dict[str, Tensor]]
    size: int
    steps: int
    rate: float
    shown: int = 1
    kept: float = 0.0


def _images(views: list[Any]) -> Tensor:
    """(B, 3, H, W) uint8; they become floats in the training process."""
    return torch.from_numpy(np.ascontiguousarray(np.stack(views).transpose(0, 3, 1, 2)))


def locate_batch(rng: np.random.Generator, examples: list[Example]) -> Batch:
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


def refine_batch(rng: np.random.Generator, examples: list[Example]) -> Batch:
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


def marks_batch(rng: np.random.Generator, examples: list[Example]) -> Batch:
    """Crops (S, 35, C, 160, 160) of whole sheets, where shields lie (S, 34, 2), what they hold
    (S, 34), castle (S, 1), spots, and how far astray the crops are (S, 35, 2)."""
    samples = zip(*(augment.marks_sample(rng, e) for e in examples), strict=True)
    cells, spots, places, astray = (torch.from_numpy(np.stack(part)) for part in samples)
    return (
        cells,
        places,
        torch.from_numpy(np.stack([e.coat for e in examples])),
        torch.from_numpy(np.stack([e.crosses for e in examples])),
        torch.tensor([[float(e.castle)] for e in examples]),
        spots,
        astray,
    )


def marks_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of coat and crosses; where crosses lie helps; the castle counts little, and how
    far the crops are astray is learned beside the rest (see `MarksNet`).

    Shields that are `UNKNOWN` count nowhere: that is torch's own number for such labels.
    """
    coat, crosses, castle, astray, spots = (o.float() for o in out)
    return {
        "coat": F.cross_entropy(coat.flatten(0, 1), batch[2].flatten()),
        "crosses": F.cross_entropy(crosses.flatten(0, 1), batch[3].flatten()),
        "castle": 0.1 * F.binary_cross_entropy_with_logits(castle, batch[4]),
        "spots": 5 * _known_spots(spots[:, :, 0], batch[5]),
        "astray": 5 * _known_astray(astray, batch[6], batch[5]),
    }


def _known_spots(said: Tensor, true: Tensor) -> Tensor:
    """Binary cross entropy where it is known where the crosses lie; -1 elsewhere."""
    known = (true >= 0).float()
    loss: Tensor = F.binary_cross_entropy_with_logits(said, true.clamp(min=0), weight=known)
    return loss


def _known_astray(said: Tensor, true: Tensor, spots: Tensor) -> Tensor:
    """Smooth L1 where it is known how far crops are astray: where it is known where crosses lie."""
    known = (spots.amax((1, 2, 3)) >= 0).float()[:, None, None]
    loss: Tensor = (known * F.smooth_l1_loss(said, true, beta=0.02, reduction="none")).mean()
    return loss


def tiles_batch(rng: np.random.Generator, examples: list[KingdomExample]) -> Batch:
    """Thumbnails (B, 3, 384, 384) and votes (B, 6, 48, 48)."""
    samples = [tiles_sample(rng, e) for e in examples]
    return _images([s[0] for s in samples]), torch.from_numpy(np.stack([s[1] for s in samples]))


def tiles_loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of the mask; Laplace likelihood of the centre; how the square is laid."""
    on, place, doubt, laid = (o.float() for o in out)
    mask = batch[1][:, :1]
    count = mask.sum().clamp(min=1)
    error = (place - batch[1][:, 1:3]).abs().sum(1, keepdim=True)
    where = ((error * torch.exp(-doubt) + 2 * doubt) * mask).sum() / count
    how = ((laid - batch[1][:, 3:]).abs().sum(1, keepdim=True) * mask).sum() / count
    return {
        "on": 3 * F.binary_cross_entropy_with_logits(on, mask),
        "place": where,
        "laid": how,
    }


def squares_batch(rng: np.random.Generator, examples: list[KingdomExample]) -> Batch:
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
    "marks": Task(MarksNet, marks_batch, marks_loss, 6, 65085, 2e-3, shown=2),
    "marks-own": Task(MarksNet, marks_batch, marks_loss, 6, 3000, 4e-4, shown=2, kept=0.4),
    "tiles": Task(TilesNet, tiles_batch, tiles_loss, 12, 1500, 3e-3),
    "squares": Task(SquaresNet, squares_batch, squares_loss, 7, 1500, 3e-3),
}


class _Stream(IterableDataset[Batch]):
    """Batches without end, from examples in a random order."""

    def __init__(self, task: Task, examples: list[Any], seed: int) -> None:
        self.task, self.examples, self.seed = task, examples, seed

    def __iter__(self) -> Iterator[Batch]:
        info = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self.seed, info.id if info else 0])
        while True:
            order = rng.permutation(len(self.examples))
            for i in range(0, len(order) - self.task.size + 1, self.task.size):
                yield self.task.batch(
                    rng, [self.examples[j] for j in order[i : i + self.task.size]]
                )


def stream(task: Task, examples: list[Any], seed: int, workers: int = 1) -> DataLoader[Batch]:
    """Batches without end, made in worker processes."""
    # A process a core. Here, not in the workers: OpenCV's threads do not survive the fork, and a
    # worker that wants them gone waits for them for ever.
    cv2.setNumThreads(1)
    source = _Stream(task, examples, seed)
    return DataLoader(source, batch_size=None, num_workers=workers, prefetch_factor=4)


def load_weights(net: nn.Module, path: Path) -> None:
    """Fill a network with a checkpoint's weights; raises UsageError for anything else."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such checkpoint; python -m kdscan.training fit")
    try:
        net.load_state_dict(torch.load(path))
    except (pickle.UnpicklingError, EOFError, RuntimeError, TypeError, AttributeError) as error:
        kind = type(net).__name__
        raise UsageError(f"{path} is no checkpoint of a {kind} of this version") from error


def fit(
    task: Task,
    examples: list[Any],
    *,
    seed: int = 0,
    steps: int | None = None,
    checkpoint: Path | None = None,
    start: Path | None = None,
    workers: int = 1,
) -> nn.Module:
    """Train a network; returns the moving average of its weights, ready for use.

    A checkpoint is written now and then, so that a long run can be looked at.
    start: what to go on from, rather than random weights: a checkpoint, or the model.onnx of
    a published model of this task. Raises UsageError for a start that is neither, and where
    there are not even examples for one batch.
    """
    if len(examples) < task.size:
        why = f"{len(examples)} examples are too few: a batch has {task.size}; render more"
        raise UsageError(why)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    steps = steps or task.steps
    net = task.net().to(memory_format=torch.channels_last)
    if start is not None and start.suffix == ".onnx":
        some = islice(stream(task, examples, seed, workers), RESTORING)
        restore(net, start, [_as_floats(batch[0]) for batch in some])
    elif start is not None:
        load_weights(net, start)
    first, average = copy.deepcopy(net), copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=task.rate, weight_decay=0.02)
    rising = max(0.1, 2 / steps)  # torch divides by the steps that rise, less one
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, task.rate, total_steps=steps, pct_start=rising
    )
    began = time.perf_counter()
    shown: dict[str, float] = {}
    for step, batch in enumerate(stream(task, examples, seed, workers)):
        if step == steps:
            break
        net.train()
        with quickest():
            out = net(*(_as_floats(part) for part in batch[: task.shown]))
        parts = task.loss(out, batch)
        optimizer.zero_grad(set_to_none=True)
        torch.stack(list(parts.values())).sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        _average(average, net, min(0.998, (1 + step) / (20 + step)))
        for name, value in parts.items():
            shown[name] = 0.98 * shown.get(name, value.item()) + 0.02 * value.item()
        if step % 100 == 99:
            speed = (time.perf_counter() - began) / (step + 1)
            losses = "  ".join(f"{k} {v:.4f}" for k, v in shown.items())
            print(
                f"{step + 1:6d}/{steps}  {speed:.2f} s a step  {losses}",
                file=sys.stderr,
                flush=True,
            )
            if checkpoint is not None:
                torch.save(average.state_dict(), checkpoint)
    if start is not None:
        _average(average, first, 1 - task.kept)
    return average.eval()


def _as_floats(images: Tensor) -> Tensor:
    """Pictures as a network takes them: bytes become 0..1."""
    if images.dtype == torch.uint8:
        return images.float().to(memory_format=torch.channels_last) / 255
    return images.float()


def _average(average: nn.Module, net: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for a, b in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
            if a.dtype.is_floating_point:
                a.lerp_(b, 1 - keep)
            else:
                a.copy_(b)
