"""How each version of a network was made, and is made again: `models/recipes/NAME-VERSION.toml`.

What the history of a version does not say is `UNKNOWN` there; who makes it again takes today's
usual value instead, and is told so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from kdscan.errors import UsageError
from kdscan.inference.store import NETWORKS

Unknown = Literal["unknown"]
UNKNOWN: Unknown = "unknown"

Value = TypeVar("Value", int, float)


class Parent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version of the same network that training went on from.

    model: SHA-256 of its model.onnx. weights: of its file in `models/weights`, which training
    starts from; None where it was not kept.
    """

    version: str
    model: str
    weights: str | None = None


class Training(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How it learned.

    steps: after which the learning rate has come down to nothing. batch: examples a step.
    rate: the highest learning rate. average: steps that the moving average of the weights reaches
    back at most, 0 for none. seed: of the training; the seeds of its examples follow from it.
    count, views: examples drawn at a time, and how often each is shown. small: share of the steps
    with small crops, for marks. photos, pages: examples that are drawn once and shown again and
    again, of spellbooks and kingdoms. again: share of the steps that are trained once more, after
    measuring, with the kingdoms that were held back too.
    """

    steps: int
    batch: int
    rate: float
    average: int | Unknown
    seed: int | Unknown = 0
    count: int | Unknown = 0
    views: int | Unknown = 0
    small: float = 0.0
    photos: int = 0
    pages: int = 0
    again: float = 0.0


class HeldBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What it was measured and calibrated on.

    seed, count: the first seed and the number of synthetic examples. kingdoms: photographed ones,
    "0/3" for each third; none where nothing was held back.
    """

    seed: int = 0
    count: int = 0
    kingdoms: str = ""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a network; about: its data, their licences, and what the values do not say."""

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

    def unknown(self) -> list[str]:
        """The values of its training that nobody knows any more."""
        fields = msgspec.structs.asdict(self.training)
        return [name for name, value in fields.items() if value == UNKNOWN]


def load_recipe(models: Path, name: str) -> Recipe:
    """The recipe `models`/recipes/NAME.toml.

    Raises UsageError where there is none and for one that does not say what it should.
    """
    path = models / "recipes" / f"{name}.toml"
    try:
        recipe = msgspec.toml.decode(path.read_bytes(), type=Recipe)
    except OSError as error:
        known = ", ".join(sorted(other.stem for other in path.parent.glob("*.toml")))
        raise UsageError(f"there is no recipe {path}; there are: {known or 'none'}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    if recipe.name != name:
        raise UsageError(f"{path} is the recipe of {recipe.name}; name the file so")
    if recipe.network not in NETWORKS:
        raise UsageError(f"{path}: network is one of {', '.join(NETWORKS)}")
    if recipe.training.steps < 1 or recipe.training.batch < 1 or recipe.training.rate <= 0:
        raise UsageError(f"{path}: steps, batch and rate are more than nothing")
    return recipe


def or_usual(value: Value | Unknown, usual: Value) -> Value:
    """A value of a recipe, the usual one where it is unknown."""
    return usual if isinstance(value, str) else value


def weights_path(models: Path, name: str) -> Path:
    """Where the weights of a version are kept for training: `models`/weights/NAME.npz."""
    return models / "weights" / f"{name}.npz"
