"""What is shipped can be made again, and everything that describes it agrees."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kdscan.errors import UsageError
from kdscan.inference.store import NETWORKS, Models
from lab.training import recipe, recipe_path, weights_path
from lab.training.recipe import load_recipe

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"
SHIPPED = recipe.shipped(MODELS)


def measured(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((MODELS / name / "measured.json").read_text("utf-8"))
    return figures


def test_cards_are_made_from_what_ships() -> None:
    """`python -m lab.training cards` writes them."""
    for path, text in recipe.pages(MODELS).items():
        assert path.read_text("utf-8") == text, path


@pytest.mark.parametrize("network", NETWORKS)
def test_what_was_measured_is_the_file_that_ships(network: str) -> None:
    models, name = Models(MODELS), SHIPPED[network]
    figures = measured(name)
    assert figures["sha256"] == models.manifest["models"][network]["sha256"]
    assert figures["bytes"] == len(models.path(network).read_bytes())
    assert f"{figures['name']}-{figures['version']}" == name
    assert figures["figures"]


@pytest.mark.parametrize("network", NETWORKS)
def test_training_starts_from_the_weights_that_a_recipe_names(network: str) -> None:
    recipe = load_recipe(MODELS, SHIPPED[network])
    if recipe.parent is not None:
        parent = weights_path(MODELS, recipe.parent_name)
        assert hashlib.sha256(parent.read_bytes()).hexdigest() == recipe.parent.weights
    with np.load(weights_path(MODELS, recipe.name)) as weights:
        stored = sum(weights[name].size for name in weights if "running_" not in name)
        assert stored == measured(recipe.name)["parameters"]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ((r"steps = \d+", "steps = true"), "Expected `int`"),
        ((r"steps = \d+", "steps = 0"), "more than 0"),
        ((r"\bviews", "veiws"), "unknown field `veiws`"),
        ((r'version = "\d+"', 'version = "99"'), "rename the file"),
        ((r'network = "marks"', 'network = "mark"'), r"recipe of mark-\d+"),
    ],
)
def test_a_recipe_with_a_mistake_is_refused(
    tmp_path: Path, wrong: tuple[str, str], complaint: str
) -> None:
    name = SHIPPED["marks"]
    text, changed = re.subn(*wrong, recipe_path(MODELS, name).read_text("utf-8"), count=1)
    assert changed
    path = recipe_path(tmp_path / "models", name)
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=complaint):
        load_recipe(tmp_path / "models", name)


def test_a_missing_recipe_is_named_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=SHIPPED["marks"]):
        load_recipe(MODELS, "marks-99")
