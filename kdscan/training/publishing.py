"""A network's checkpoint → its figures on held-back examples, temperatures, ONNX file and card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from kdscan.training.export import Calibrated, to_onnx
from kdscan.training.export import publish as write
from kdscan.training.measure import FIGURES, as_network, marks_figures, marks_logits, temperatures
from kdscan.training.networks import MarksNet
from kdscan.training.state import load_weights
from kdscan.training.tasks import TASKS


def publish(
    name: str,
    checkpoint: Path,
    held: Sequence[Any],
    models: Path,
    version: str,
    about: Mapping[str, object],
) -> dict[str, object]:
    """Publish a network as `models`/NAME-VERSION; returns its card, figures and all.

    name: of `TASKS`. held: examples that it never learned from. about: what else the card says.
    Raises UsageError when `checkpoint` holds no such network.
    """
    task = TASKS[name]
    net = task.net()
    load_weights(net, checkpoint)
    card: dict[str, object] = {
        "batch": task.size,
        **about,
        "parameters": sum(p.numel() for p in net.parameters()),
    }
    published: nn.Module = net.eval()
    if task.net is MarksNet:
        said = marks_logits(as_network(net), held)
        warmth = temperatures(said)
        card |= {"temperatures": {"coat": warmth[0], "crosses": warmth[1]}}
        card["figures"] = marks_figures(said)
        published = Calibrated(net, (*warmth, 1.0, 1.0))
    else:
        card["figures"] = FIGURES[name](as_network(net), held)
    write(models, name, version, to_onnx(name, published, version), card)
    return card
