"""The trainer of all networks, with exact resumption.

Everything in a step (examples, augmentation, learning rate, dropout) is a function of its number
and of the state before it. So an interrupted and resumed training ends with the same weights as an
uninterrupted one.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import pickle
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import cv2
import msgspec
import numpy as np
import torch
from msgspec import structs
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, Dataset

from kdscan.errors import UsageError
from lab.training.marks_networks import InkNet
from lab.training.recipe import Training
from lab.training.supply import RenderedSupply, RenderPool, Supply
from lab.training.task import Batch, Task, as_floats

Weights = Mapping[str, Any]


class State(msgspec.Struct, frozen=True):
    """What a checkpoint says of itself: the steps done and the hyperparameters."""

    step: int
    training: Training


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def save(folder: Path, state: State, **parts: Weights) -> None:
    """Write the checkpoint of a step, and remove earlier ones."""
    home = folder / f"{state.step:08d}"
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, weights in parts.items():
        torch.save(weights, part / f"{name}.pt")
    (part / "state.json").write_bytes(msgspec.json.encode(state))
    shutil.rmtree(home, ignore_errors=True)
    part.rename(home)
    for old in _steps(folder):
        if old != home:
            shutil.rmtree(old)


def _steps(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("[0-9]" * 8) if path.is_dir())


def latest(folder: Path) -> tuple[State, Path] | None:
    """The latest checkpoint and its folder; None if there is none. Raises UsageError for an invalid
    one."""
    if not (steps := _steps(folder)):
        return None
    try:
        return msgspec.json.decode((steps[-1] / "state.json").read_bytes(), type=State), steps[-1]
    except (OSError, msgspec.DecodeError) as error:
        why = f"{steps[-1]} is no state of a training of this version; remove it"
        raise UsageError(why) from error


def load(home: Path, name: str) -> dict[str, Any]:
    """One part of a checkpoint; raises UsageError if it is corrupt."""
    return _load(home / f"{name}.pt", f"{home} is broken; remove it")


def _load(path: Path, remedy: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, EOFError, OSError, RuntimeError, TypeError) as error:
        raise UsageError(remedy) from error
    return found


_UNREADABLE = (RuntimeError, TypeError, AttributeError, LookupError, ValueError)


def load_weights(net: nn.Module, path: Path) -> None:
    """Load a checkpoint, or the stored weights of a version (.npz), into a network. They may be its
    own; for marks, also those of a narrower network; for ink, also those of marks, whose feature
    maps it uses. Raises UsageError for anything else."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file of weights")
    remedy = f"{path} is no checkpoint of a {type(net).__name__} of this version"
    try:
        if path.suffix == ".npz":
            with np.load(path) as data:
                weights = {name: torch.from_numpy(data[name]).float() for name in data.files}
        else:
            weights = _load(path, remedy)
        if isinstance(net, InkNet) and "coat.weight" in weights:
            own = net.state_dict()
            weights = own | {name: value for name, value in weights.items() if name in own}
        missing, foreign = net.load_state_dict(weights, strict=False)
    except (*_UNREADABLE, OSError, BadZipFile) as error:
        raise UsageError(remedy) from error
    if foreign or any(not name.endswith(COUNTER) for name in missing):
        raise UsageError(remedy)


COUNTER = "num_batches_tracked"
"""Suffix of the batch norms' counters, which are not used and not stored."""


def keep_weights(path: Path, weights: Weights) -> None:
    """Store the weights of a version by name, matrices and kernels in half precision."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: value.numpy() for name, value in weights.items() if not name.endswith(COUNTER)}
    halved = {n: v.astype(np.float16) if v.ndim > 1 else v for n, v in arrays.items()}
    np.savez_compressed(path, **halved)


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
    training: Training,
    supply: Supply,
    folder: Path,
    *,
    start: Path | None = None,
    device: str = "cpu",
    loaders: int = 1,
    painters: int = 1,
    save_every_s: float = 180.0,
) -> nn.Module:
    """Train a network, or go on with the training in `folder`, of which only the number of steps
    may differ; returns it with the moving average of its weights, in evaluation mode.

    folder: for the state; the averaged weights are also written beside it, as FOLDER.pt.
    start: initial weights, random by default: a checkpoint, or the stored weights of a version.
    loaders: processes that make samples. painters: processes that render examples, if supply is a
    `RenderedSupply`.
    Raises UsageError for a device that torch cannot use, for an invalid start, and for a state of
    other settings.
    """
    try:
        torch.empty(0, device=device)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        why = str(error).partition("\n")[0]
        raise UsageError(f"this torch cannot use --device {device} ({why}); cpu works") from error
    checkpoint = latest(folder)
    if checkpoint and structs.replace(checkpoint[0].training, steps=training.steps) != training:
        why = f"{folder} was begun with other settings ({checkpoint[0].training})"
        raise UsageError(f"{why}; continue with the same ones, or use another --out")

    torch.manual_seed(training.seed)
    torch.set_num_threads(1)
    torch.backends.cudnn.benchmark = True  # all batches have the same shape
    _keep_freed_memory()
    net = task.net()
    if checkpoint is None and start is not None:
        load_weights(net, start)
    net = net.to(device, memory_format=torch.channels_last)
    average = AveragedModel(
        net, multi_avg_fn=partial(_update_average, training.average), use_buffers=True
    )
    learned = [p for p in net.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in learned if p.ndim > 1], "weight_decay": WEIGHT_DECAY},
        {"params": [p for p in learned if p.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW([group for group in groups if group["params"]], lr=1.0)
    step = 0
    if checkpoint is not None:
        step, home = checkpoint[0].step, checkpoint[1]
        net.load_state_dict(load(home, "network"))
        average.module.load_state_dict(load(home, "average"))
        average.n_averaged.fill_(step)
        optimizer.load_state_dict(load(home, "optimizer"))

    def keep(done: int) -> None:
        parts = {"network": net, "average": average.module, "optimizer": optimizer}
        weights = {name: part.state_dict() for name, part in parts.items()}
        save(folder, State(done, training), **weights)
        # write a checkpoint atomically
        path = folder.with_suffix(".pt")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        torch.save(dict(average.module.state_dict()), part)
        part.replace(path)

    log = _ProgressLog(training.steps)
    saved = time.monotonic()
    with ExitStack() as stack:
        samples = _Samples(task, training, supply)
        for number, batch in log.timed(_batches(stack, samples, step, loaders, painters)):
            parts = _step(task, training, net, optimizer, batch, number)
            average.update_parameters(net)
            log.update(number, parts)
            if time.monotonic() - saved > save_every_s and number + 1 < training.steps:
                keep(number + 1)
                saved = time.monotonic()
    if step < training.steps:
        keep(training.steps)
    ready: nn.Module = average.module.eval()
    return ready


def rate_at(training: Training, step: int) -> float:
    """The learning rate of a step."""
    rising = max(1.0, WARMUP * training.steps)
    if step < rising:
        return training.rate * (0.04 + 0.96 * step / rising)
    done = (step - rising) / max(1.0, training.steps - rising)
    return training.rate * (0.5 + 0.5 * math.cos(math.pi * min(1.0, done))) + 1e-8


def _step(
    task: Task,
    training: Training,
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    number: int,
) -> dict[str, Tensor]:
    """One step; returns the parts of the loss."""
    device = next(net.parameters()).device
    seen = tuple(part.to(device, non_blocking=True) for part in batch)
    torch.manual_seed(1_000_003 * training.seed + number)
    net.train()
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.momentum = NORM_MOMENTUM
            learns = layer.weight.requires_grad
            layer.train(learns and number < (1 - FROZEN_NORMS) * training.steps)
    with _autocast(device):
        out = net(*(as_floats(part) for part in seen[: task.n_inputs]))
    parts = task.loss(out if isinstance(out, tuple) else (out,), seen)
    optimizer.zero_grad(set_to_none=True)
    torch.stack(list(parts.values())).sum().backward()
    # A loss that is not a number ends the training before it spoils weights or checkpoints.
    nn.utils.clip_grad_norm_(net.parameters(), 2.0, error_if_nonfinite=True)
    for group in optimizer.param_groups:
        group["lr"] = rate_at(training, number)
    optimizer.step()
    return parts


def _autocast(device: torch.device) -> torch.autocast:
    """Mixed precision with bfloat16 on devices with native support, where it takes half the time;
    on others (an EPYC without AVX-512) it would take ten times as long, and is disabled."""
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
    """The batches, indexed by step."""

    def __init__(self, task: Task, training: Training, supply: Supply) -> None:
        self.task, self.training, self.supply = task, training, supply

    def __getitem__(self, step: int) -> Batch:
        rng = np.random.default_rng([self.training.seed, step])
        return self.task.batch(rng, self.supply.examples(step, self.training.batch))


def _batches(
    stack: ExitStack, samples: _Samples, first: int, loaders: int, painters: int
) -> Iterator[tuple[int, Batch]]:
    """The steps from `first` on and their batches, made in other processes."""
    # One thread per process. Set here, not in the workers: OpenCV's threads do not survive the
    # fork, and a worker that tries to stop them would wait forever.
    cv2.setNumThreads(1)
    training, supply = samples.training, samples.supply
    steps: Any = range(first, training.steps)
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
    if isinstance(supply, RenderedSupply) and first < training.steps:
        painting = stack.enter_context(
            RenderPool(supply, training.steps * training.batch, painters)
        )
        painting.schedule(first * training.batch)
    for step, batch in zip(steps, batches, strict=True):
        if painting is not None:
            painting.schedule(step * training.batch)
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
