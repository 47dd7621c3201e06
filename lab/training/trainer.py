"""The trainer of all networks, with exact resumption.

Everything in a step (examples, augmentation, learning rate, dropout) is a function of its number
and of the state before it. So an interrupted and resumed training ends with the same weights as an
uninterrupted one.
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
from lab.training import state
from lab.training.random_tensors import RandomTensors
from lab.training.state import Run
from lab.training.supply import RenderedSupply, RenderPool, Supply
from lab.training.task import Batch, Task, as_floats

WARMUP = 0.1
"""Share of the steps in which the learning rate rises, before it falls as a cosine."""

FROZEN_NORMS = 0.1
"""Final share of the steps in which batch norms use their running statistics: a batch contains few
designs, and at inference there is only one."""

NORM_MOMENTUM = 0.02
"""Momentum of the batch norms' running statistics."""

WEIGHT_DECAY = 0.02
"""Weight decay of matrices and kernels; norms and biases have none."""

PREFETCH = 4
"""Batches that each loader process prepares in advance."""


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
    """Train a network; returns it with the moving average of its weights, in evaluation mode.

    folder: for the state; the averaged weights are also written beside it, as FOLDER.pt.
    start: initial weights, random by default: a checkpoint, or the stored weights of a version.
    resume: continue the training in `folder` if there is one. loaders: processes that make samples.
    painters: processes that render examples, if supply is a `RenderedSupply`.
    Raises UsageError for a device that torch cannot use, for an invalid start, for an existing
    training without `resume`, and for one that differs from `run`.
    """
    _check_device(device)
    kept = state.latest(folder)
    if kept is not None:
        _check(folder, kept[1], run, resume)
    torch.manual_seed(run.seed)
    torch.set_num_threads(1)
    torch.backends.cudnn.benchmark = True  # all batches have the same shape
    _keep_freed_memory()
    net = task.net()
    if kept is None and start is not None:
        state.load_weights(net, start)
    net = net.to(device, memory_format=torch.channels_last)
    average = AveragedModel(
        net, multi_avg_fn=partial(_update_average, run.average), use_buffers=True
    )
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

    watch = _ProgressLog(run.steps)
    saved = time.monotonic()
    with ExitStack() as stack:
        samples = _Samples(task, run, supply, torch.device(device))
        for number, batch in watch.timed(_batches(stack, samples, step, loaders, painters)):
            parts = _step(task, run, net, optimizer, batch, number)
            average.update_parameters(net)
            watch.update(number, parts)
            if time.monotonic() - saved > save_every_s and number + 1 < run.steps:
                save(number + 1)
                saved = time.monotonic()
    if step < run.steps:
        save(run.steps)
    ready: nn.Module = average.module.eval()
    return ready


def _check_device(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        why = str(error).partition("\n")[0]
        raise UsageError(f"this torch cannot use --device {device} ({why}); cpu works") from error


def _check(folder: Path, before: Run, run: Run, resume: bool) -> None:
    if not resume:
        why = f"{folder} already contains a training: continue it with --resume, or use another"
        raise UsageError(f"{why} --out to begin a new one")
    if replace(before, steps=run.steps, parent=run.parent) != run:
        raise UsageError(
            f"{folder} was begun with other settings ({before}); continue with the same ones"
        )


def rate_at(run: Run, step: int) -> float:
    """The learning rate of a step."""
    rising = max(1.0, WARMUP * run.steps)
    if step < rising:
        return run.rate * (0.04 + 0.96 * step / rising)
    done = (step - rising) / max(1.0, run.steps - rising)
    return run.rate * (0.5 + 0.5 * math.cos(math.pi * min(1.0, done))) + 1e-8


def _optimizer(net: nn.Module) -> torch.optim.Optimizer:
    learned = [p for p in net.parameters() if p.requires_grad]
    heavy = [p for p in learned if p.ndim > 1]
    light = [p for p in learned if p.ndim < 2]
    groups = [
        {"params": heavy, "weight_decay": WEIGHT_DECAY},
        {"params": light, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=1.0)


def _seed(run: Run, step: int) -> int:
    return 1_000_003 * run.seed + step


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
    if task.views is not None and device.type != "cpu":
        seen = task.views(RandomTensors(_seed(run, number), device), seen)
    torch.manual_seed(_seed(run, number))
    net.train()
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.momentum = NORM_MOMENTUM
            learns = layer.weight.requires_grad
            layer.train(learns and number < (1 - FROZEN_NORMS) * run.steps)
    with _autocast(device):
        out = net(*(as_floats(part) for part in seen[: task.n_inputs]))
    parts = task.loss(out if isinstance(out, tuple) else (out,), seen)
    optimizer.zero_grad(set_to_none=True)
    torch.stack(list(parts.values())).sum().backward()
    # A loss that is not a number ends the training before it spoils weights or checkpoints.
    nn.utils.clip_grad_norm_(net.parameters(), 2.0, error_if_nonfinite=True)
    for group in optimizer.param_groups:
        group["lr"] = rate_at(run, number)
    optimizer.step()
    return parts


def _autocast(device: torch.device) -> torch.autocast:
    """Mixed precision with bfloat16 on devices with native support, where it takes half the time;
    on others (an EPYC without AVX-512) it would take ten times as long, and is disabled.
    """
    if device.type == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        known = torch.cpu.get_capabilities()
        native = known.get("avx512_bf16") or known.get("amx_bf16") or known.get("bf16")
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=bool(native))


def _update_average(
    longest: int, averaged: Sequence[Tensor], now: Sequence[Tensor], number: Tensor | int
) -> None:
    """Update the moving average, whose horizon is a tenth of the steps so far, at most
    `longest`."""
    share = max(1 / longest, 10 / (10 + int(number))) if longest else 1.0
    for a, b in zip(averaged, now, strict=True):
        a.lerp_(b, share) if a.dtype.is_floating_point else a.copy_(b)


class _Samples(Dataset[Batch]):
    """The batches, indexed by step; augmented here unless the network is on another device."""

    def __init__(self, task: Task, run: Run, supply: Supply, device: torch.device) -> None:
        self.task, self.run, self.supply = task, run, supply
        self.views = task.views if device.type == "cpu" else None

    def __getitem__(self, step: int) -> Batch:
        rng = np.random.default_rng([self.run.seed, step])
        batch = self.task.batch(rng, self.supply.examples(step, self.run.batch))
        if self.views is None:
            return batch
        return self.views(RandomTensors(_seed(self.run, step)), batch)


def _batches(
    stack: ExitStack, samples: _Samples, first: int, loaders: int, painters: int
) -> Iterator[tuple[int, Batch]]:
    """The steps from `first` on and their batches, made in other processes."""
    # One thread per process. Set here, not in the workers: OpenCV's threads do not survive the
    # fork, and a worker that tries to stop them would wait forever.
    cv2.setNumThreads(1)
    run, supply = samples.run, samples.supply
    steps: Any = range(first, run.steps)
    if isinstance(supply, RenderedSupply):
        supply.forget_failures()
    loader = DataLoader(
        samples,
        batch_size=None,
        sampler=steps,
        num_workers=loaders,
        prefetch_factor=PREFETCH if loaders else None,
    )
    batches = iter(loader)
    painting = None
    if isinstance(supply, RenderedSupply) and first < run.steps:
        painting = stack.enter_context(RenderPool(supply, run.steps * run.batch, painters))
        painting.schedule(first * run.batch)
    for step, batch in zip(steps, batches, strict=True):
        if painting is not None:
            painting.schedule(step * run.batch)
        yield step, batch


class _ProgressLog:
    """Prints to stderr, after the first step and every 100 steps: the time per step since the last
    line, how much of it was spent waiting for examples, and smoothed losses."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.since, self.waited, self.count = time.perf_counter(), 0.0, 0
        self.losses: dict[str, float] = {}

    def timed(self, batches: Iterator[tuple[int, Batch]]) -> Iterator[tuple[int, Batch]]:
        """The batches, with the time that they take to arrive counted."""
        asked = time.perf_counter()
        for numbered in batches:
            self.waited += time.perf_counter() - asked
            yield numbered
            asked = time.perf_counter()

    def update(self, number: int, parts: dict[str, Tensor]) -> None:
        first = not self.losses
        for name, value in parts.items():
            self.losses[name] = 0.98 * self.losses.get(name, value.item()) + 0.02 * value.item()
        self.count += 1
        if first or number % 100 == 99:
            now = time.perf_counter()
            speed, waited = (now - self.since) / self.count, self.waited / self.count
            text = "  ".join(f"{name} {value:.4f}" for name, value in self.losses.items())
            line = f"{number + 1:6d}/{self.steps}  {speed:.2f} s a step, {waited:.2f} waiting"
            print(f"{line}  {text}", file=sys.stderr, flush=True)
            self.since, self.waited, self.count = now, 0.0, 0


def _keep_freed_memory() -> None:
    """Have glibc keep freed memory instead of returning large arrays to the system in each step,
    which takes a sixth to a third of the time of a step of marks; no effect without glibc."""
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    trim_threshold, mmap_max = -1, -4  # numbers of malloc.h
    mallopt(mmap_max, 0)
    mallopt(trim_threshold, 2**31 - 1)
