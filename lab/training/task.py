"""The interface between the trainer and the networks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from kdscan.imaging.picture import Network
from lab.synth.fields import F32, Rng


class RandomTensors:
    """A generator of random tensors on a device, determined by its seed (0 … 2^63 - 1)."""

    def __init__(self, seed: int, device: torch.device | str = "cpu") -> None:
        self.device = torch.device(device)
        self._generator = torch.Generator(self.device)
        self._generator.manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """Float32, with mean 0 and standard deviation 1."""
        return torch.randn(*shape, device=self.device, generator=self._generator)

    def uniform(self, *shape: int) -> Tensor:
        """Float32, from 0 to 1."""
        return torch.rand(*shape, device=self.device, generator=self._generator)

    def integers(self, end: int, *shape: int) -> Tensor:
        """Int64, from 0 to `end` - 1."""
        return torch.randint(end, shape, device=self.device, generator=self._generator)

    def happens(self, chance: Tensor) -> Tensor:
        """(B, 1, 1, 1) float32: 1 with the probabilities `chance` (B,), else 0."""
        return (self.uniform(len(chance)) < chance).float().view(-1, 1, 1, 1)

    def chosen(self, chance: Tensor) -> Tensor:
        """(N,) int64: random indices of a batch, each included with probability `chance` (B,)."""
        return torch.nonzero(self.uniform(len(chance)) < chance)[:, 0]


Batch = tuple[Tensor, ...]


@dataclass(frozen=True)
class Task:
    """How one network is trained.

    net: creates it with random weights. batch: collates augmented samples of examples; the
    generator is its only source of randomness. loss: its parts by name, from the network's outputs
    and the batch. size: examples in a batch. steps, rate: defaults of the schedule's length and the
    highest learning rate. n_inputs: number of the batch's leading tensors that are inputs of the
    network. views: augments a whole batch on the network's device, if `batch` does not.
    """

    net: Callable[[], nn.Module]
    batch: Callable[[Rng, list[Any]], Batch]
    loss: Callable[[tuple[Tensor, ...], Batch], dict[str, Tensor]]
    size: int
    steps: int
    rate: float
    n_inputs: int = 1
    views: Callable[[RandomTensors, Batch], Batch] | None = None


def as_floats(images: Tensor) -> Tensor:
    """A network's input: uint8 pictures are scaled to 0..1."""
    if images.dtype == torch.uint8:
        layout = torch.channels_last if images.ndim == 4 else torch.preserve_format
        return images.float().to(memory_format=layout) / 255
    return images.float()


def as_network(net: nn.Module) -> Network:
    """A trained network with the interface of an ONNX session."""
    net.eval()

    def network(*batches: F32) -> tuple[F32, ...]:
        with torch.inference_mode():
            found = net(*(torch.from_numpy(np.array(batch, order="C")) for batch in batches))
            outs = found if isinstance(found, tuple) else (found,)
            return tuple(out.numpy() for out in outs)

    return network
