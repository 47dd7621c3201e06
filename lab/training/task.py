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

Batch = tuple[Tensor, ...]


@dataclass(frozen=True)
class Task:
    """How one network is trained.

    net: creates it with random weights. batch: collates augmented samples of examples; the
    generator is its only source of randomness. loss: its parts by name, from the network's outputs
    and the batch. n_inputs: number of the batch's leading tensors that are inputs of the network.
    """

    net: Callable[[], nn.Module]
    batch: Callable[[Rng, list[Any]], Batch]
    loss: Callable[[tuple[Tensor, ...], Batch], dict[str, Tensor]]
    n_inputs: int = 1


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
