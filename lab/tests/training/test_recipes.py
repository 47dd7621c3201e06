"""What is shipped can be made again, and everything that describes it agrees."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from kdscan.errors import UsageError
from kdscan.inference.store import NETWORKS, Models
from lab.training import cards
from lab.training.recipe import load_recipe
from lab.training.weights import weights_path

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "models"
SHIPPED = cards.shipped(MODELS)


def test_cards_and_tables_are_made_from_what_ships() -> None:
    """`python -m lab.training cards` writes them."""
    for path, text in cards.pages(ROOT).items():
        assert path.read_text("utf-8") == text, path


def test_the_readme_tells_of_the_models_that_ship() -> None:
    assert set(cards.load_reading(MODELS).models) <= set(SHIPPED.values())


@pytest.mark.parametrize("network", NETWORKS)
def test_what_was_measured_is_the_file_that_ships(network: str) -> None:
    models, name = Models(MODELS), SHIPPED[network]
    found = cards.measured(MODELS, name)
    assert found["sha256"] == models.manifest["models"][network]["sha256"]
    assert found["bytes"] == len(models.path(network).read_bytes())
    assert f"{found['name']}-{found['version']}" == name
    assert found["figures"]
    held = load_recipe(MODELS, name).held_back
    assert held.count or held.kingdoms or network == "squares"


@pytest.mark.parametrize("network", NETWORKS)
def test_training_starts_from_the_weights_that_a_recipe_names(network: str) -> None:
    recipe = load_recipe(MODELS, SHIPPED[network])
    if recipe.parent is not None:
        kept = weights_path(MODELS, recipe.parent_name)
        assert hashlib.sha256(kept.read_bytes()).hexdigest() == recipe.parent.weights
    with np.load(weights_path(MODELS, recipe.name)) as weights:
        held = sum(weights[name].size for name in weights if "running_" not in name)
        assert held == cards.measured(MODELS, recipe.name)["parameters"]


def test_ink_is_told_by_the_features_of_marks_as_they_are() -> None:
    recipe = load_recipe(MODELS, SHIPPED["ink"])
    with (
        np.load(weights_path(MODELS, recipe.name)) as ink,
        np.load(weights_path(MODELS, recipe.parent_name)) as marks,
    ):
        shared = set(ink.files) & set(marks.files)
        assert {"fine.0.weight", "context16.out.1.running_mean"} <= shared
        assert all(np.array_equal(ink[name], marks[name]) for name in shared)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ((r"steps = \d+", "steps = true"), "Expected `int`"),
        ((r"steps = \d+", ""), "missing required field `steps`"),
        ((r"steps = \d+", "steps = 0"), "more than 0"),
        ((r"views = \d+", 'views = "many"'), "Invalid"),
        ((r"\bviews", "veiws"), "unknown field `veiws`"),
        ((r'version = "\d+"', 'version = "99"'), "rename the file"),
        ((r'network = "marks"', 'network = "mark"'), r"recipe of mark-\d+"),
        ((r"\[training\]", "[training"), "end of a table"),
    ],
)
def test_a_recipe_that_says_no_such_thing_is_refused(
    tmp_path: Path, wrong: tuple[str, str], complaint: str
) -> None:
    name = SHIPPED["marks"]
    right = (MODELS / f"recipes/{name}.toml").read_text("utf-8")
    text, changed = re.subn(*wrong, right, count=1)
    assert changed
    path = tmp_path / f"recipes/{name}.toml"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=complaint):
        load_recipe(tmp_path, name)


def test_a_recipe_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=", ".join(sorted(SHIPPED.values()))):
        load_recipe(MODELS, "marks-99")


def test_a_page_that_says_something_else_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        f"# It\n\n{cards.GENERATED}\n| old |\n\nThe end.\n", "utf-8"
    )
    shutil.copytree(MODELS, tmp_path / "models", ignore=shutil.ignore_patterns("*.onnx"))
    for recipe in (tmp_path / "lab/recipes").glob("ink-*.toml"):
        text = recipe.read_text("utf-8")
        recipe.write_text(re.sub(r"steps = \d+", "steps = 7", text), "utf-8")
    changed = {path.relative_to(tmp_path).as_posix() for path in cards.write(tmp_path)}
    assert changed == {"README.md", "models/README.md", f"models/{SHIPPED['ink']}/card.md"}
    text = (tmp_path / "README.md").read_text("utf-8")
    assert "old" not in text and text.endswith("|\n\nThe end.\n")
    assert not cards.write(tmp_path)
    (tmp_path / "README.md").write_text("# It\n", "utf-8")
    with pytest.raises(UsageError, match="no place for its table"):
        cards.write(tmp_path)
