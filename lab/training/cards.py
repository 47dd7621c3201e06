"""Cards of the models in use, generated from their recipes and published measurements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kdscan.inference.store import Models
from lab.training.recipe import Recipe, load_recipe
from lab.training.weights import weights_path

GENERATED = "<!-- made by python -m lab.training cards -->"
FIELD_TITLES = {
    "steps": "steps",
    "batch": "examples a step",
    "rate": "highest learning rate",
    "average": "steps in the moving average of weights, at most",
    "seed": "seed",
    "count": "examples drawn at a time",
    "views": "showings of each",
    "photos": "photos drawn once",
    "pages": "pages drawn once",
    "again": "share of the steps trained once more with what was held back",
}
"""Titles of a recipe's fields in a model card."""


def shipped(models: Path) -> dict[str, str]:
    """The versions in use: network → NAME-VERSION; raises ModelError without a valid manifest."""
    used = Models(models).manifest["models"]
    files = {name: str(entry["file"]) for name, entry in used.items()}
    return {name: file.split("/")[0] for name, file in files.items()}


def card(recipe: Recipe, measured: Mapping[str, Any], trainable: bool) -> str:
    """The model card of a version, Markdown. trainable: whether its weights are stored for
    training."""
    figures = [(name, _format(value)) for name, value in measured["figures"].items()]
    parts = [
        f"# {recipe.network} {recipe.version}",
        GENERATED,
        _table("made", _facts(recipe, measured)),
        recipe.about.strip(),
        "## Measured",
        _table("held back", figures),
        f"`python -m lab.training make {recipe.name}` trains by this recipe again.",
    ]
    if trainable:
        parts.append(f"Training goes on from `lab/weights/{recipe.name}.npz`.")
    if missing := recipe.unknown():
        parts.append(f"Nobody noted its {', '.join(missing)}: the usual values are taken.")
    return "\n\n".join(parts) + "\n"


def _facts(recipe: Recipe, measured: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parent, training, held = recipe.parent, recipe.training, recipe.held_back
    yield "weights", f"{measured['parameters']:,} in {measured['bytes']:,} bytes"
    yield "SHA-256", f"`{measured['sha256']}`"
    if parent is not None:
        yield "goes on from", f"{recipe.parent_name.replace('-', ' ')}, `{parent.model}`"
    for name, value in msgspec.structs.asdict(training).items():
        if value:
            yield FIELD_TITLES[name], _format(value)
    if held.count:
        yield "held back", f"{held.count:,} from seed {held.seed:,}"
    if held.kingdoms:
        yield "held back", f"kingdoms, {held.kingdoms}"
    for head, value in measured.get("temperatures", {}).items():
        yield f"temperature of {head}", _format(value)


def _format(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 0.1 else f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join([f"| {title} |  |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


def pages(models: Path) -> dict[Path, str]:
    """The cards of the models in use: path → text."""
    cards = {}
    for name in shipped(models).values():
        trainable = weights_path(models, name).is_file()
        measured = json.loads((models / name / "measured.json").read_text("utf-8"))
        cards[models / name / "card.md"] = card(load_recipe(models, name), measured, trainable)
    return cards
