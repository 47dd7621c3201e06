"""Publishing a trained network: metrics on held-out examples, temperatures, ONNX file, weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from kdscan.imaging.picture import Network
from kdscan.inference.store import FORMAT
from lab.training import ink_reader, kingdom_figures, spellbook
from lab.training.cover import cover_figures
from lab.training.export import to_onnx
from lab.training.ink import ink_figures
from lab.training.marks_inference import MarksInference
from lab.training.marks_networks import MarksNet
from lab.training.measure import (
    best_temperature,
    locate_figures,
    marks_figures,
    marks_logits,
    refine_figures,
)
from lab.training.networks import Calibrated
from lab.training.state import keep_weights
from lab.training.task import as_network
from lab.training.weights import weights_path

FIGURES: dict[str, Callable[[Network, Sequence[Any]], dict[str, float]]] = {
    "ink": ink_figures,
    "ink_reader": ink_reader.figures,
    "cover": cover_figures,
    "locate": locate_figures,
    "refine": refine_figures,
    "tiles": kingdom_figures.tiles_figures,
}
"""Metrics of networks that are not calibrated."""


def _marks(net: nn.Module, held: Sequence[Any]) -> dict[str, Any]:
    logits = marks_logits(as_network(MarksInference(cast(MarksNet, net))), held)
    coat, crosses, true_coat, true_crosses = logits
    temperatures = {
        "coat": best_temperature(coat, true_coat),
        "crosses": best_temperature(crosses, true_crosses),
    }
    return {"temperatures": temperatures, "figures": marks_figures(logits)}


MEASURES: dict[str, Callable[[nn.Module, Sequence[Any]], dict[str, Any]]] = {
    "marks": _marks,
    "spellbook": spellbook.measure,
    "squares": kingdom_figures.measure_squares,
}
"""Metrics and temperatures of the other networks."""


def measure(network: str, net: nn.Module, held: Sequence[Any]) -> dict[str, Any]:
    """Metrics of a network on held-out examples, and temperatures if it is calibrated; empty
    without examples."""
    if not held:
        return {"figures": {}}
    net = net.eval()
    if network in MEASURES:
        return MEASURES[network](net, held)
    return {"figures": FIGURES[network](as_network(net), held)}


def calibrated_network(
    network: str, net: nn.Module, temperatures: Mapping[str, float]
) -> nn.Module:
    """The network to export: without auxiliary outputs, its logits divided by the temperatures of
    `measure`."""
    if isinstance(net, MarksNet):
        heads = (temperatures.get("coat", 1.0), temperatures.get("crosses", 1.0), 1.0, 1.0)
        return Calibrated(MarksInference(net), heads)
    if network == "spellbook":
        return Calibrated(net, (torch.tensor([*temperatures.values()] or [1.0]),))
    return Calibrated(net, tuple(temperatures.values())) if temperatures else net


def publish(
    network: str, version: str, net: nn.Module, found: Mapping[str, Any], models: Path
) -> None:
    """Write a network as `models`/NETWORK-VERSION with the results of `measure`, and its weights
    for further training, and enter the version in the manifest."""
    name = f"{network}-{version}"
    keep_weights(weights_path(models, name), net.state_dict())
    metadata = {key: json.dumps(found[key]) for key in ("struck_by",) if key in found}
    ready = calibrated_network(network, net.eval(), found.get("temperatures", {}))
    data = to_onnx(network, ready, version, metadata)
    digest = hashlib.sha256(data).hexdigest()
    home = models / name
    home.mkdir(parents=True, exist_ok=True)
    (home / "model.onnx").write_bytes(data)
    about = {"name": network, "version": version, "sha256": digest, "bytes": len(data)}
    about |= {"parameters": sum(p.numel() for p in net.parameters()), **found}
    (home / "measured.json").write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    path = models / "manifest.json"
    manifest: dict[str, Any] = {"format": FORMAT, "models": {}}
    if path.exists():
        manifest = json.loads(path.read_text("utf-8"))
    manifest["models"][network] = {"file": f"{name}/model.onnx", "sha256": digest}
    manifest["models"] = dict(sorted(manifest["models"].items()))
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
