"""Makes a version of a network from its recipe."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import torch
from msgspec import structs
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from kdscan.errors import UsageError
from kdscan.imaging.picture import Network
from kdscan.inference.store import FORMAT, MARKS
from kdscan.marks.crops import CHANNELS, COARSE_PX, INPUT_PX
from kdscan.marks.network import COVER_HW
from kdscan.rules.duel.board import CELLS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.kingdom.lattice import CROP_SQUARES, SIDE_PX
from kdscan.sheets.spellbook.read import CROP_WH
from kdscan.templates.features import PERIOD_PX
from kdscan.templates.ink_reader import CIRCLE_SIDE, MAX_CIRCLES, SIDE
from lab.synth.fields import f32
from lab.training import geometry, ink_reader, kingdoms, spellbook, weights_path
from lab.training.cover import cover_figures
from lab.training.ink import ink_figures
from lab.training.marks_networks import MarksNet, OneSheet
from lab.training.measure import (
    best_temperature,
    locate_figures,
    marks_figures,
    marks_logits,
    refine_figures,
)
from lab.training.networks import Calibrated
from lab.training.recipe import Recipe, scaled
from lab.training.task import as_network
from lab.training.tasks import TASKS, Material, held_back, split, supply
from lab.training.trainer import digest, keep_weights, train

INK_PLANES = (len(CELLS) + 1, 1, INPUT_PX, INPUT_PX)
COARSE_PLANES = (len(CELLS) + 1, len(CHANNELS), COARSE_PX, COARSE_PX)
"""Shapes of a sheet's crops, see `CellCrops`; a batch is always one sheet."""

INPUTS: dict[str, dict[str, tuple[int, ...]]] = {
    "locate": {"image": (1, 3, 288, 384)},
    "refine": {"image": (1, 3, 224, 288)},
    "ink": {"ink": (1, *INK_PLANES), "coarse": (1, *COARSE_PLANES)},
    "ink_reader": {
        "cells": (1, len(CELLS), 2, SIDE, SIDE),
        "shared": (1, 3, SIDE, SIDE),
        "rounds": (1, len(CELLS), MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE),
        "near": (1, MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE),
        "about": (1, MAX_CIRCLES + 2),
    },
    "cover": {"image": (1, 3, *COVER_HW)},
    "geometry": {"period": (1, 8, PERIOD_PX, PERIOD_PX)},
    "marks": {"ink": INK_PLANES, "coarse": COARSE_PLANES},
    "spellbook": {"image": (72, 3, *CROP_WH[::-1])},
    "tiles": {"image": (1, 3, 288, 384)},
    "squares": {"image": (25, 3, *2 * [round(CROP_SQUARES * SIDE_PX)])},
}
"""The inputs of each network by name, and their shapes."""

OUTPUTS = {
    "locate": ("on_grid", "place", "doubt"),
    "refine": ("offset", "there", "upright"),
    "ink": ("drawn",),
    "ink_reader": ("coat", "crosses", "crossed"),
    "cover": ("covered",),
    "geometry": ("maps", "style", "phases"),
    "marks": ("coat", "crosses", "castle", "offset"),
    "spellbook": ("marked_passed_there",),
    "tiles": ("on_square", "center", "doubt", "laid"),
    "squares": ("kind",),
}
LABELS = {
    "marks": MARKS,
    "ink_reader": MARKS,
    "squares": [f"{terrain} {crowns}" for terrain, crowns in SQUARE_CLASSES],
}


def to_onnx(
    name: str, net: nn.Module, version: str, metadata: dict[str, str] | None = None
) -> bytes:
    """Serialise a network with dynamic batch size and, for thumbnails, dynamic picture size.
    Networks for whole sheets have static shapes, because onnxruntime can then fuse more of them."""
    inputs = {key: torch.zeros(shape) for key, shape in INPUTS[name].items()}
    batch: dict[int, str] = {} if name in ("marks", "ink", "ink_reader") else {0: "batch"}
    in_axes, out_axes = batch, batch
    if name in ("locate", "tiles"):
        in_axes, out_axes = batch | {2: "height", 3: "width"}, batch | {2: "rows", 3: "cols"}
    dynamic = dict.fromkeys(inputs, in_axes) | dict.fromkeys(OUTPUTS[name], out_axes)
    buffer = io.BytesIO()
    torch.onnx.export(
        net.eval().to(memory_format=torch.contiguous_format),
        tuple(inputs.values()),
        buffer,
        input_names=list(inputs),
        output_names=list(OUTPUTS[name]),
        dynamic_axes=dynamic,
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load_model_from_string(buffer.getvalue())
    # Weight-only quantisation: matrices and kernels become int8 with a scale for each row (error at
    # most 1/254 of the row's largest weight), dequantised once when a session starts. (Of 10,200
    # shields, marks 12 read two differently than in 16 bits; log losses were equal to four digits.)
    graph = model.graph
    restoring, kept = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim < 2 or values.size < 512:
            kept.append(tensor)
            continue
        stored = tensor.name + "_stored"
        largest = np.abs(values).max(tuple(range(1, values.ndim)), keepdims=True)
        scale = f32(np.maximum(largest, 1e-12)) / 127
        kept.append(numpy_helper.from_array(np.round(values / scale).astype(np.int8), stored))
        kept.append(numpy_helper.from_array(scale, tensor.name + "_scale"))
        whole = tensor.name + "_whole"
        restoring.append(helper.make_node("Cast", [stored], [whole], to=TensorProto.FLOAT))
        restoring.append(helper.make_node("Mul", [whole, tensor.name + "_scale"], [tensor.name]))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    nodes = restoring + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    labels = json.dumps(LABELS.get(name))
    about = {"name": name, "version": version, "labels": labels} | (metadata or {})
    helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


FIGURES: dict[str, Callable[[Network, Sequence[Any]], dict[str, float]]] = {
    "ink": ink_figures,
    "ink_reader": ink_reader.figures,
    "cover": cover_figures,
    "geometry": geometry.figures,
    "locate": locate_figures,
    "refine": refine_figures,
    "tiles": kingdoms.tiles_figures,
}
"""Metrics of networks that are not calibrated."""


def _marks(net: nn.Module, held: Sequence[Any]) -> dict[str, Any]:
    logits = marks_logits(as_network(OneSheet(cast(MarksNet, net))), held)
    coat, crosses, true_coat, true_crosses = logits
    temperatures = {
        "coat": best_temperature(coat, true_coat),
        "crosses": best_temperature(crosses, true_crosses),
    }
    return {"temperatures": temperatures, "figures": marks_figures(logits)}


MEASURES: dict[str, Callable[[nn.Module, Sequence[Any]], dict[str, Any]]] = {
    "marks": _marks,
    "spellbook": spellbook.measure,
    "squares": lambda net, boards: kingdoms.measure_squares(as_network(net), boards),
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
        return Calibrated(OneSheet(net), heads)
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


def start_of(recipe: Recipe, models: Path) -> Path | None:
    """The weights of a recipe's parent; None without a parent. Raises UsageError if they are
    missing or have another checksum."""
    parent = recipe.parent
    if parent is None:
        return None
    path = weights_path(models, recipe.parent_name)
    if parent.weights is None or not path.is_file():
        raise UsageError(f"{path}: the weights from which {recipe.name} was trained are missing")
    if digest(path) != parent.weights:
        raise UsageError(f"{path} is not the file of weights from which {recipe.name} was trained")
    return path


def make(
    recipe: Recipe,
    models: Path,
    into: Path,
    material: Material,
    *,
    effort: float = 1.0,
    start: Path | None = None,
    **how: Any,
) -> dict[str, Any]:
    """Train, measure and publish a version as `into`/NAME; returns the measurements.

    models: the folder with its parent's weights. effort: share of the steps and examples. start:
    initial weights in place of the parent's. how: of `train`. An interrupted training in the
    material's folder is resumed. Raises UsageError for a recipe that cannot be followed.
    """
    if recipe.unknown:
        print(
            f"{recipe.name}: {', '.join(recipe.unknown)} unknown, the usual taken", file=sys.stderr
        )
    network, home = recipe.network, material.folder / recipe.name
    boards, back = split(material.boards, recipe.held_back.kingdoms)
    task, training = TASKS[network], recipe.training.scaled(effort)
    shown = replace(material, folder=home / "run", boards=boards)
    examples = supply(network, training, shown)
    start = start or start_of(recipe, models)
    net = train(task, training, examples, shown.folder, start=start, **how).cpu()
    count = scaled(recipe.held_back.count, effort)
    count += count % 2  # spellbooks: one half for calibration, the other for measurement
    held = replace(material, folder=home, boards=back)
    found = measure(network, net, held_back(network, recipe.held_back.seed, count, held))
    if back and training.again:
        training = structs.replace(training, steps=scaled(training.steps, training.again))
        shown = replace(material, folder=home / "again")
        start, examples = home / "run.pt", supply(network, training, shown)
        net = train(task, training, examples, shown.folder, start=start, **how).cpu()
    publish(network, recipe.version, net, found, into)
    return found
