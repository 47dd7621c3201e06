"""Random numbers for batches of pictures, generated on the device that uses them."""

from __future__ import annotations

import torch
from torch import Tensor


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
