"""Checkpoints of a training, written atomically to a folder:

FOLDER/00012000/{network,average,optimizer}.pt   after so many steps; no file has more than 16 MB
FOLDER/00012000/run.json                         how it is trained, see `Run`
"""

from __future__ import annotations

import hashlib
import json
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import nn

from kdscan.errors import UsageError
from lab.training.marks_networks import InkNet, MarksNet
from lab.training.widen import widen

Weights = Mapping[str, Any]

LONGEST_MEAN = 5000
"""Default of the largest horizon, in steps, of the moving average of the weights."""


@dataclass(frozen=True)
class Run:
    """Hyperparameters of a training; only `steps` may change when it is resumed, and `parent`,
    whose weights are not read again.

    steps: length of the schedule. rate: the highest learning rate. batch: examples per step.
    parent: SHA-256 of the initial weights' file, "" for random weights. count, views: examples in a
    block and how often each is used, 0 for a fixed set; see `supply`. average: largest horizon of
    the moving average of the weights, 0 for none.
    """

    name: str
    steps: int
    rate: float
    batch: int
    seed: int = 0
    parent: str = ""
    count: int = 0
    views: int = 0
    average: int = LONGEST_MEAN

    def trimmed(self) -> Run:
        """The run without examples in its block that no step would use."""
        used = -(-self.steps * self.batch // self.views) if self.views else 0
        return replace(self, count=min(self.count, used))


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def save(folder: Path, step: int, run: Run, **parts: Weights) -> None:
    """Write the checkpoint of step `step`, and remove earlier ones."""
    home = folder / f"{step:08d}"
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, state in parts.items():
        torch.save(state, part / f"{name}.pt")
    (part / "run.json").write_text(json.dumps(asdict(run) | {"step": step}, indent=1), "utf-8")
    shutil.rmtree(home, ignore_errors=True)
    part.rename(home)
    for old in _steps(folder):
        if old != home:
            shutil.rmtree(old)


def _steps(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("[0-9]" * 8) if path.is_dir())


def latest(folder: Path) -> tuple[int, Run, Path] | None:
    """Step, run and folder of the latest checkpoint; None if there is none.

    Raises UsageError for an invalid one.
    """
    if not (kept := _steps(folder)):
        return None
    try:
        kept_run = json.loads((kept[-1] / "run.json").read_text("utf-8"))
        step = int(kept_run.pop("step"))
        return step, Run(**kept_run), kept[-1]
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{kept[-1]} is no state of a training of this version; remove it"
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
        raise UsageError(f"{path}: there is no such checkpoint; python -m lab.training fit")
    remedy = f"{path} is no checkpoint of a {type(net).__name__} of this version"
    try:
        known = _kept(path) if path.suffix == ".npz" else _load(path, remedy)
        if isinstance(net, MarksNet) and len(known["token.weight"][0]) < net.token.in_features:
            widen(net, known)
            return
        if isinstance(net, InkNet) and "coat.weight" in known:
            own = net.state_dict()
            known = own | {name: value for name, value in known.items() if name in own}
        missing, foreign = net.load_state_dict(known, strict=False)
    except (*_UNREADABLE, OSError, BadZipFile) as error:
        raise UsageError(remedy) from error
    if foreign or any(not name.endswith(COUNTER) for name in missing):
        raise UsageError(remedy)


COUNTER = "num_batches_tracked"
"""Suffix of the batch norms' counters, which are not used and not stored."""


def keep_weights(path: Path, weights: Weights) -> None:
    """Store the weights of a version by name, matrices and kernels in half precision."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: value.numpy() for name, value in weights.items() if not name.endswith(COUNTER)}
    halved = {n: v.astype(np.float16) if v.ndim > 1 else v for n, v in kept.items()}
    np.savez_compressed(path, **halved)


def _kept(path: Path) -> dict[str, Any]:
    with np.load(path) as data:
        return {name: torch.from_numpy(data[name]).float() for name in data.files}


def write_weights(path: Path, weights: Weights) -> None:
    """Write a checkpoint atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    torch.save(dict(weights), part)
    part.replace(path)
