"""Training of the models; needs the extra `train`."""

from __future__ import annotations

from pathlib import Path


def weights_path(models: Path, name: str) -> Path:
    """The file of a version's weights for training: lab/weights/NAME.npz beside `models`."""
    return models.parent / "lab" / "weights" / f"{name}.npz"


def recipe_path(models: Path, name: str) -> Path:
    """The file of a version's recipe: lab/recipes/NAME.toml beside `models`."""
    return models.parent / "lab" / "recipes" / f"{name}.toml"
