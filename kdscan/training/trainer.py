"""Trains any network, and goes on where it was broken off.

All that happens in a step follows from the step's number and the state before it: the examples and
how they are shown, the learning rate, what is dropped out. So a training that is broken off and
goes on ends with the weights of one that was not.
"""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, Dataset

from kdscan.errors import UsageError
from kdscan.training import state
from kdscan.training.state import Run
from kdscan.training.supply import Drawn, Painters, Supply
from kdscan.training.task import Batch, Task, as_floats

RISING = 0.1
"""Share of the steps in which the learning rate rises, before it falls as a cosine."""

FROZEN = 0.1
"""Share of the steps, the last ones, in which batch norms stand still: a batch holds few designs,
and a network that reads sees none beside its own."""

NORM_MOMENTUM = 0.02
"""Share of a batch in the running figures of a batch norm."""

DECAY = 0.02
"""Weight decay of matrices and kernels; norms and biases have none."""

AHEAD = 4
"""Batches that are made before they are needed."""


def train(
    task: Task,
    run: Run,
    supply: Supply,
    folder: Path,
    *,
    start: Path | None = None,
    resume: bool = False,
    device: str = "cpu",
    loaders: int = 1,
    painters: int = 1,
    save_every_s: float = 180.0,
) -> nn.Module:
    """Train a network; returns the moving average of its weights, ready for use.

    folder: where the state is kept; what it is left with is written beside it, as FOLDER.pt, too.
    start: what to go on from, rather than random weights: a checkpoint, or the weights kept of a
    version. resume: go on with the training in `folder` if there is one.
    loaders: processes that make samples. painters: that draw examples, where supply is `Drawn`.
    Raises UsageError for a start that is neither, for a training that is there and is not to
    be resumed, and for one that was made otherwise than `run` says.
    """
    kept = state.latest(folder)
    if kept is not None:
        _check(folder, kept[1], run, resume)
    torch.manual_seed(run.seed)
    torch.set_num_threads(1)
    _keep_memory()
    net = task.net()
    if kept is None and start is not None:
        state.load_weights(net, start)
    net = net.to(device, memory_format=torch.channels_last)
    average = AveragedModel(net, multi_avg_fn=partial(_move, run.average), use_buffers=True)
    optimizer = _optimizer(net)
    step = 0
    if kept is not None:
        step, _, home = kept
        net.load_state_dict(state.load(home, "network"))
        average.module.load_state_dict(state.load(home, "average"))
        average.n_averaged.fill_(step)
        optimizer.load_state_dict(state.load(home, "optimizer"))

    def save(done: int) -> None:
        parts = {"network": net, "average": average.module, "optimizer": optimizer}
        state.save(folder, done, run, **{name: part.state_dict() for name, part in parts.items()})
        state.write_weights(folder.with_suffix(".pt"), average.module.state_dict())

    watch = _Watch(step, run.steps)
    saved = time.monotonic()
    with ExitStack() as stack:
        for number, batch in _batches(stack, task, run, supply, step, loaders, painters):
            parts = _step(task, run, net, optimizer, batch, number)
            average.update_parameters(net)
            watch.see(number, parts)
            if time.monotonic() - saved > save_every_s and number + 1 < run.steps:
                save(number + 1)
                saved = time.monotonic()
    if step < run.steps:
        save(run.steps)
    ready: nn.Module = average.module.eval()
    return ready


def _check(folder: Path, before: Run, run: Run, resume: bool) -> None:
    if not resume:
        why = f"{folder} holds a training already: --resume goes on with it, another --out"
        raise UsageError(f"{why} begins anew")
    if replace(before, steps=run.steps, parent=run.parent) != run:
        raise UsageError(f"{folder} was begun otherwise ({before}); go on as it was begun")


def rate_at(run: Run, step: int) -> float:
    """The learning rate of a step."""
    rising = max(1.0, RISING * run.steps)
    if step < rising:
        return run.rate * (0.04 + 0.96 * step / rising)
    done = (step - rising) / max(1.0, run.steps - rising)
    return run.rate * (0.5 + 0.5 * math.cos(math.pi * min(1.0, done))) + 1e-8


def _optimizer(net: nn.Module) -> torch.optim.Optimizer:
    heavy = [p for p in net.parameters() if p.ndim > 1]
    light = [p for p in net.parameters() if p.ndim < 2]
    groups = [{"params": heavy, "weight_decay": DECAY}, {"params": light, "weight_decay": 0.0}]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=1.0)


def _step(
    task: Task,
    run: Run,
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    number: int,
) -> dict[str, Tensor]:
    """One step; returns the parts of the loss."""
    device = next(net.parameters()).device
    seen = tuple(part.to(device, non_blocking=True) for part in batch)
    if task.smaller is not None and number < run.small * run.steps:
        seen = task.smaller(seen)
    torch.manual_seed(1_000_003 * run.seed + number)
    net.train()
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.momentum = NORM_MOMENTUM
            layer.train(number < (1 - FROZEN) * run.steps)
    with quickest(device):
        out = net(*(as_floats(part) for part in seen[: task.shown]))
    parts = task.loss(out if isinstance(out, tuple) else (out,), seen)
    optimizer.zero_grad(set_to_none=True)
    torch.stack(list(parts.values())).sum().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 2.0)
    for group in optimizer.param_groups:
        group["lr"] = rate_at(run, number)
    optimizer.step()
    return parts


def quickest(device: torch.device | str = "cpu") -> torch.autocast:
    """Multiplies in bfloat16 where the device does so by itself, which takes half the time of 32
    bits; on processors that do not it takes ten times as long (an EPYC without AVX-512), and
    nothing is changed.
    """
    kind = torch.device(device).type
    if kind == "cuda":
        itself = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        can = torch.cpu.get_capabilities()
        itself = can.get("avx512_bf16") or can.get("amx_bf16") or can.get("bf16")
    return torch.autocast(kind, dtype=torch.bfloat16, enabled=bool(itself))


def _move(
    longest: int, averaged: Sequence[Tensor], now: Sequence[Tensor], number: Tensor | int
) -> None:
    """Move the average: it reaches back a tenth of the steps so far, at most `longest`."""
    share = max(1 / longest, 10 / (10 + int(number))) if longest else 1.0
    for a, b in zip(averaged, now, strict=True):
        a.lerp_(b, share) if a.dtype.is_floating_point else a.copy_(b)


class _Samples(Dataset[Batch]):
    """The batch of each step."""

    def __init__(self, task: Task, run: Run, supply: Supply) -> None:
        self.task, self.run, self.supply = task, run, supply

    def __getitem__(self, step: int) -> Batch:
        rng = np.random.default_rng([self.run.seed, step])
        return self.task.batch(rng, self.supply.examples(step, self.task.size))


def _batches(
    stack: ExitStack, task: Task, run: Run, supply: Supply, first: int, loaders: int, painters: int
) -> Iterator[tuple[int, Batch]]:
    """The steps from `first` on and their batches, made in other processes."""
    # A process a core. Here, not in the workers: OpenCV's threads do not survive the fork, and a
    # worker that wants them gone waits for them for ever.
    cv2.setNumThreads(1)
    steps: Any = range(first, run.steps)
    loader = DataLoader(
        _Samples(task, run, supply),
        batch_size=None,
        sampler=steps,
        num_workers=loaders,
        prefetch_factor=AHEAD if loaders else None,
    )
    batches = iter(loader)
    painting = None
    if isinstance(supply, Drawn) and first < run.steps:
        painting = stack.enter_context(Painters(supply, run.steps * task.size, painters))
        painting.keep_up(first * task.size)
    for step, batch in zip(steps, batches, strict=True):
        if painting is not None:
            painting.keep_up(step * task.size)
        yield step, batch


class _Watch:
    """Tells how it goes, on stderr."""

    def __init__(self, first: int, steps: int) -> None:
        self.first, self.steps = first, steps
        self.began = time.perf_counter()
        self.shown: dict[str, float] = {}

    def see(self, number: int, parts: dict[str, Tensor]) -> None:
        for name, value in parts.items():
            self.shown[name] = 0.98 * self.shown.get(name, value.item()) + 0.02 * value.item()
        if number % 100 == 99:
            speed = (time.perf_counter() - self.began) / (number + 1 - self.first)
            losses = "  ".join(f"{name} {value:.4f}" for name, value in self.shown.items())
            line = f"{number + 1:6d}/{self.steps}  {speed:.2f} s a step  {losses}"
            print(line, file=sys.stderr, flush=True)


def _keep_memory() -> None:
    """Have glibc keep large arrays rather than hand them back and ask for them again at each step,
    which takes a sixth to a third of the time of a step of marks; elsewhere nothing is changed."""
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    trim_threshold, mmap_max = -1, -4  # numbers of malloc.h
    mallopt(mmap_max, 0)
    mallopt(trim_threshold, 2**31 - 1)
