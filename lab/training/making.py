"""Makes a version of a network from its recipe."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import nn

from kdscan.errors import UsageError
from lab.training.publishing import measure, publish
from lab.training.recipe import UNKNOWN, Recipe
from lab.training.sources import Material, held_back, split, supply
from lab.training.state import Run, digest, load_weights
from lab.training.supply import VIEWS
from lab.training.tasks import TASKS
from lab.training.trainer import train
from lab.training.weights import weights_path

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
