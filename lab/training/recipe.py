"""Recipes: how each version of a network is made, in `lab/recipes/NAME-VERSION.toml`.

Of one, nobody recorded how often its examples were used; making it again uses today's default
instead, and says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from kdscan.errors import UsageError
from kdscan.inference.store import NETWORKS
from lab.training.weights import recipe_path

UNKNOWN: Literal["unknown"] = "unknown"


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
    views: int | Literal["unknown"] = 0
    photos: int = 0
    pages: int = 0
    again: float = 0.0


class HeldBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The held-out examples for measurement and calibration.

    seed, count: first seed and number of synthetic examples. kingdoms: photographed ones, "0/3" for
    every third; "" for none.
    """

    seed: int = 0
    count: int = 0
    kingdoms: str = ""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a network; about: its data, their licences, and what no field says."""

    network: str
    version: str
    about: str
    training: Training
    held_back: HeldBack
    parent: Parent | None = None

    @property
    def name(self) -> str:
        """NETWORK-VERSION, as folders and files are named."""
        return f"{self.network}-{self.version}"

    @property
    def parent_name(self) -> str:
        """The parent's NETWORK-VERSION, "" without one."""
        parent = self.parent
        return f"{parent.network or self.network}-{parent.version}" if parent else ""

    def unknown(self) -> list[str]:
        """Names of the hyperparameters that were not recorded."""
        fields = msgspec.structs.asdict(self.training)
        return [name for name, value in fields.items() if value == UNKNOWN]


def load_recipe(models: Path, name: str) -> Recipe:
    """The recipe lab/recipes/NAME.toml beside `models`.

    Raises UsageError for a missing or invalid one.
    """
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
