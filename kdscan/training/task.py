"""What the trainer has to know of a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from kdscan.records.arrays import Network
from kdscan.synth.fields import F32, Rng

Batch = tuple[Tensor, ...]


@dataclass(frozen=True)
class Task:
    """How one network is trained.

    net: makes it, with fresh weights. batch: samples of some examples, made with this generator
    alone. loss: its parts, from what the network says and the batch.
    size: examples in a batch. steps, rate: how many batches, and the highest learning rate.
    shown: how many of a batch's tensors the network sees, the first ones.
    smaller: a batch with pictures of fewer pixels, which cost less; None where there is no such.
    """

    net: Callable[[], nn.Module]
    batch: Callable[[Rng, list[Any]], Batch]
    loss: Callable[[tuple[Tensor, ...], Batch], dict[str, Tensor]]
    size: int
    steps: int
    rate: float
    shown: int = 1
    smaller: Callable[[Batch], Batch] | None = None


def as_floats(images: Tensor) -> Tensor:
    """Pictures as a network takes them: bytes become 0..1."""
    if images.dtype == torch.uint8:
        return images.float().to(memory_format=torch.channels_last) / 255
    return images.float()


def as_network(net: nn.Module) -> Network:
    """A trained network as the vision stages call it."""
    net.eval()

    def network(*batches: F32) -> tuple[F32, ...]:
        with torch.inference_mode():
            found = net(*(torch.from_numpy(np.ascontiguousarray(batch)) for batch in batches))
            outs = found if isinstance(found, tuple) else (found,)
            return tuple(out.numpy() for out in outs)

    return network
