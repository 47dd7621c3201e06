"""Where weights for further training are kept."""

from __future__ import annotations

from pathlib import Path


def weights_path(models: Path, name: str) -> Path:
    """The file of a version's weights for training: `models`/weights/NAME.npz."""
    return models / "weights" / f"{name}.npz"
