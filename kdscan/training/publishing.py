"""A trained network → its figures on held-back examples, temperatures, ONNX file and weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from kdscan.records.arrays import Network
from kdscan.training import kingdom_figures, spellbook
from kdscan.training.cover import cover_figures
from kdscan.training.export import Calibrated, to_onnx
from kdscan.training.export import publish as write
from kdscan.training.marks_at_work import MarksAtWork
from kdscan.training.measure import (
    locate_figures,
    marks_figures,
    marks_logits,
    marks_temperatures,
    refine_figures,
)
from kdscan.training.networks import MarksNet
from kdscan.training.recipe import weights_path
from kdscan.training.separator import ink_figures
from kdscan.training.state import keep_weights
from kdscan.training.task import as_network

FIGURES: dict[str, Callable[[Network, Sequence[Any]], dict[str, float]]] = {
    "ink": ink_figures,
    "cover": cover_figures,
    "locate": locate_figures,
    "refine": refine_figures,
}
"""Figures of a network on examples held back."""


def _marks(net: nn.Module, held: Sequence[Any]) -> dict[str, Any]:
    logits = marks_logits(as_network(MarksAtWork(cast(MarksNet, net))), held)
    coat, crosses = marks_temperatures(logits)
    return {"temperatures": {"coat": coat, "crosses": crosses}, "figures": marks_figures(logits)}


MEASURES: dict[str, Callable[[nn.Module, Sequence[Any]], dict[str, Any]]] = {
    "marks": _marks,
    "spellbook": spellbook.measure,
    "tiles": kingdom_figures.measure_tiles,
    "squares": kingdom_figures.measure_squares,
}
"""Networks that are measured otherwise than by `FIGURES`, or calibrated."""


def measure(network: str, net: nn.Module, held: Sequence[Any]) -> dict[str, Any]:
    """Figures of a network on examples that it never learned from, and its temperatures, for those
    that have any; none of them where nothing was held back."""
    if not held:
        return {"figures": {}}
    net = net.eval()
    if network in MEASURES:
        return MEASURES[network](net, held)
    return {"figures": FIGURES[network](as_network(net), held)}


def calibrated(network: str, net: nn.Module, temperatures: Mapping[str, float]) -> nn.Module:
    """What is published of a network: without what training alone needs, its logits divided by the
    temperatures of `measure`."""
    if isinstance(net, MarksNet):
        heads = (temperatures.get("coat", 1.0), temperatures.get("crosses", 1.0), 1.0, 1.0)
        return Calibrated(MarksAtWork(net), heads)
    if network == "spellbook":
        return Calibrated(net, (torch.tensor([*temperatures.values()] or [1.0]),))
    return Calibrated(net, tuple(temperatures.values())) if temperatures else net


def publish(
    network: str, version: str, net: nn.Module, found: Mapping[str, Any], models: Path
) -> None:
    """Write a network as `models`/NETWORK-VERSION, with what `measure` found, and the weights to go
    on from."""
    name = f"{network}-{version}"
    keep_weights(weights_path(models, name), net.state_dict())
    metadata = {key: json.dumps(found[key]) for key in ("struck_by",) if key in found}
    ready = calibrated(network, net.eval(), found.get("temperatures", {}))
    about = {"parameters": sum(p.numel() for p in net.parameters()), **found}
    write(models, network, version, to_onnx(network, ready, version, metadata), about)
