"""Makes a version of a network from its recipe."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from kdscan.errors import UsageError
from kdscan.imaging.picture import Network
from kdscan.inference.store import FORMAT
from lab.training import ink_reader, kingdoms, spellbook
from lab.training.cover import cover_figures
from lab.training.export import to_onnx
from lab.training.ink import ink_figures
from lab.training.marks_networks import MarksInference, MarksNet
from lab.training.measure import (
    best_temperature,
    locate_figures,
    marks_figures,
    marks_logits,
    refine_figures,
)
from lab.training.networks import Calibrated
from lab.training.recipe import UNKNOWN, Recipe
from lab.training.sources import Material, held_back, split, supply
from lab.training.supply import VIEWS
from lab.training.task import as_network
from lab.training.tasks import TASKS
from lab.training.trainer import Run, digest, keep_weights, load_weights, train
from lab.training.weights import weights_path

FIGURES: dict[str, Callable[[Network, Sequence[Any]], dict[str, float]]] = {
    "ink": ink_figures,
    "ink_reader": ink_reader.figures,
    "cover": cover_figures,
    "locate": locate_figures,
    "refine": refine_figures,
    "tiles": kingdoms.tiles_figures,
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
    "squares": kingdoms.measure_squares,
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


MIN_COUNT = 6
"""Least number of steps or examples, however small the effort."""


def scaled(usual: int, effort: float) -> int:
    """A number of a recipe, scaled by the effort."""
    return max(MIN_COUNT, round(usual * effort)) if usual else 0


def run_of(recipe: Recipe, start: Path | None, effort: float) -> Run:
    """The training run of a recipe; start: its parent's weights."""
    training = recipe.training
    run = Run(
        recipe.network,
        scaled(training.steps, effort),
        training.rate,
        training.batch,
        seed=training.seed,
        parent=digest(start) if start else "",
        count=scaled(training.count, effort),
        views=VIEWS if training.views == UNKNOWN else training.views,
        average=training.average,
    )
    return run.trimmed()


def start_of(recipe: Recipe, models: Path) -> Path | None:
    """The weights of a recipe's parent; None without a parent.

    Raises UsageError if they are missing or have another checksum.
    """
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
    trained: Path | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train, measure and publish a version as `into`/NAME; returns the measurements.

    models: the folder with its parent's weights. effort: share of the steps and examples.
    trained: final checkpoint of a training by this recipe, to be used instead of training again.
    An interrupted training in the material's folder is resumed. Raises UsageError for a recipe that
    cannot be followed.
    """
    if unknown := recipe.unknown():
        print(f"{recipe.name}: {', '.join(unknown)} unknown, the usual taken", file=sys.stderr)
    network, home = recipe.network, material.folder / recipe.name
    boards, back = split(material.boards, recipe.held_back.kingdoms)
    material = replace(material, boards=boards)
    net: nn.Module = TASKS[network].net()
    if trained is not None:
        load_weights(net, trained)
    else:
        start = start_of(recipe, models)
        run = run_of(recipe, start, effort)
        net = _train(recipe, run, start, replace(material, folder=home / "run"), effort, device)
    count = scaled(recipe.held_back.count, effort)
    count += count % 2  # spellbooks: one half for calibration, the other for measurement
    held = replace(material, folder=home, boards=back)
    found = measure(network, net, held_back(network, recipe.held_back.seed, count, held))
    if back and trained is None and (share := recipe.training.again):
        start = home / "run.pt"
        more = replace(run, steps=scaled(run.steps, share), parent=digest(start))
        material = replace(material, folder=home / "again", boards=[*boards, *back])
        net = _train(recipe, more, start, material, effort, device)
    publish(network, recipe.version, net, found, into)
    return found


def _train(
    recipe: Recipe, run: Run, start: Path | None, material: Material, effort: float, device: str
) -> nn.Module:
    photos, pages = (
        scaled(number, effort) for number in (recipe.training.photos, recipe.training.pages)
    )
    shown = supply(run, material, photos=photos, pages=pages)
    task, folder = TASKS[recipe.network], material.folder
    return train(task, run, shown, folder, start=start, resume=True, device=device).cpu()
