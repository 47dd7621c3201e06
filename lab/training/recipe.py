"""Recipes: how each version of a network is made, in `lab/recipes/NAME-VERSION.toml`; and the cards
of the models in use, written from recipes and published measurements.

Of two versions, nobody recorded how often their examples were used; their recipes hold today's
usual value instead, and say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from kdscan.errors import UsageError
from kdscan.inference.store import NETWORKS, Models
from lab.training import recipe_path, weights_path

MIN_COUNT = 6
"""Least number of steps or examples, however small the effort."""


def scaled(usual: int, effort: float) -> int:
    """A number of a recipe, scaled by the effort."""
    return max(MIN_COUNT, round(usual * effort)) if usual else 0


class Parent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version from which training started.

    model: SHA-256 of its model.onnx. weights: SHA-256 of its file in `lab/weights`; None if the
    weights were not kept. network: its name, "" if it is the same network.
    """

    version: str
    model: str
    weights: str | None = None
    network: str = ""


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hyperparameters.

    steps: length of the schedule. batch: examples per step. rate: the highest learning rate.
    average: largest horizon of the moving average of the weights in steps, 0 for none. seed: of the
    training, from which the examples' seeds follow. count, views: examples rendered in a block, and
    how often each is used. photos, pages: for spellbooks and kingdoms, numbers of examples rendered
    in advance. again: after measuring, train this share of the steps once more, with the held-out
    kingdoms too.
    """

    steps: int
    batch: int
    rate: float
    average: int
    seed: int = 0
    count: int = 0
    views: int = 0
    photos: int = 0
    pages: int = 0
    again: float = 0.0

    def scaled(self, effort: float) -> Training:
        """A share of the work, without examples in a block that no step would use."""
        numbers = ("steps", "count", "photos", "pages")
        less = {name: scaled(getattr(self, name), effort) for name in numbers}
        used = -(-less["steps"] * self.batch // self.views) if self.views else 0
        return structs.replace(self, **less | {"count": min(less["count"], used)})


class HeldBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The held-out examples for measurement and calibration. seed, count: first seed and number of
    synthetic examples. kingdoms: photographed ones, "0/3" for every third; "" for none."""

    seed: int = 0
    count: int = 0
    kingdoms: str = ""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a network; about: its data, their licences, and what no field says. unknown:
    names of hyperparameters that nobody recorded, for which the usual values stand."""

    network: str
    version: str
    about: str
    training: Training
    held_back: HeldBack
    parent: Parent | None = None
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """NETWORK-VERSION, as folders and files are named."""
        return f"{self.network}-{self.version}"

    @property
    def parent_name(self) -> str:
        """The parent's NETWORK-VERSION, "" without one."""
        parent = self.parent
        return f"{parent.network or self.network}-{parent.version}" if parent else ""


def load_recipe(models: Path, name: str) -> Recipe:
    """The recipe lab/recipes/NAME.toml beside `models`. Raises UsageError for a missing or invalid
    one."""
    path = recipe_path(models, name)
    try:
        recipe = msgspec.toml.decode(path.read_bytes(), type=Recipe)
    except OSError as error:
        known = ", ".join(sorted(other.stem for other in path.parent.glob("*.toml")))
        raise UsageError(f"there is no recipe {path}; there are: {known or 'none'}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    if recipe.name != name:
        raise UsageError(f"{path} is the recipe of {recipe.name}; rename the file")
    if recipe.network not in NETWORKS:
        raise UsageError(f"{path}: network must be one of {', '.join(NETWORKS)}")
    if recipe.training.steps < 1 or recipe.training.batch < 1 or recipe.training.rate <= 0:
        raise UsageError(f"{path}: steps, batch and rate must be more than 0")
    return recipe


def changed(recipe: Recipe, version: str, settings: Iterable[str]) -> Recipe:
    """The recipe of another version, "" for the same, with settings NAME=VALUE of its training.
    Raises UsageError for one that there is not."""
    values = structs.asdict(recipe.training) | dict(s.partition("=")[::2] for s in settings)
    try:
        training = msgspec.convert(values, Training, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"--set: {error}") from error
    return structs.replace(recipe, version=version or recipe.version, training=training)


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
    if recipe.unknown:
        parts.append(f"Nobody noted its {', '.join(recipe.unknown)}: the usual values are taken.")
    return "\n\n".join(parts) + "\n"


def _facts(recipe: Recipe, measured: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parent, training, held = recipe.parent, recipe.training, recipe.held_back
    yield "weights", f"{measured['parameters']:,} in {measured['bytes']:,} bytes"
    yield "SHA-256", f"`{measured['sha256']}`"
    if parent is not None:
        yield "goes on from", f"{recipe.parent_name.replace('-', ' ')}, `{parent.model}`"
    for name, value in structs.asdict(training).items():
        if value:
            yield FIELD_TITLES[name], "unknown" if name in recipe.unknown else _format(value)
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
