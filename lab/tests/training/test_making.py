"""The recipe of each network runs, and its result can be used for reading and further training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kdscan.inference.store import Models
from lab.training import recipe_path, weights_path
from lab.training.recipe import load_recipe

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch

MODELS = Path(__file__).parents[3] / "models"
SHIPPED = sorted(path.stem for path in recipe_path(MODELS, "").parent.glob("*.toml"))


def pictures(network: str) -> list[np.ndarray]:
    from lab.training.making import INPUTS

    rng = np.random.default_rng(0)
    return [rng.random(shape, np.float32) for shape in INPUTS[network].values()]


def spoken(network: str, models: Path) -> list[np.ndarray]:
    """What a published network says of some noise."""
    return list(Models(models)._open(network)[0](*pictures(network)))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_weights_that_are_kept_are_those_that_ship(name: str) -> None:
    """What ships is rounded to 8 bits, and these to half precision."""
    from lab.training.making import calibrated_network
    from lab.training.tasks import TASKS
    from lab.training.trainer import load_weights

    network = load_recipe(MODELS, name).network
    net = TASKS[network].net().eval()
    load_weights(net, weights_path(MODELS, name))
    found = json.loads((MODELS / name / "measured.json").read_text("utf-8"))
    ready = calibrated_network(network, net, found.get("temperatures", {}))
    with torch.inference_mode():
        said = ready(*(torch.from_numpy(seen) for seen in pictures(network)))
    for ours, theirs in zip(
        said if isinstance(said, tuple) else (said,), spoken(network, MODELS), strict=True
    ):
        near = 0.05 * max(1.0, float(np.abs(theirs).max()))
        assert np.abs(ours.numpy() - theirs).mean() < near


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ink-2", "refine-6", "spellbook-3"])
def test_the_least_effort_makes_a_model(tmp_path: Path, name: str) -> None:
    from lab.training.making import make
    from lab.training.tasks import Material

    recipe = load_recipe(MODELS, name)
    into = tmp_path / "models"
    found = make(recipe, MODELS, into, Material(tmp_path), effort=1e-3)
    assert found["figures"]
    assert all(np.isfinite(part).all() for part in spoken(recipe.network, into))

    # Once more: it is trained already, so that nothing is drawn and the same weights come of it.
    weights = weights_path(into, name).read_bytes()
    again = make(recipe, MODELS, tmp_path / "again", Material(tmp_path), effort=1e-3)
    assert again == found
    assert weights_path(tmp_path / "again", name).read_bytes() == weights


@pytest.mark.slow
@pytest.mark.parametrize("network", ["tiles", "squares"])
def test_kingdoms_held_back_are_learned_after_measuring(tmp_path: Path, network: str) -> None:
    from lab.tests.synth.test_kingdoms import board
    from lab.training.making import make
    from lab.training.recipe import HeldBack, Recipe, Training
    from lab.training.tasks import Material
    from lab.training.trainer import latest

    how = Training(6, 8, 3e-3, average=0, photos=6, again=1.0)
    recipe = Recipe(network, "9", "", how, HeldBack(kingdoms="0/2"))
    boards = [board(kingdom=str(number)) for number in range(2)]
    found = make(recipe, MODELS, tmp_path / "models", Material(tmp_path, boards=boards))
    assert found["figures"]["of"] == 1
    trained = [latest(tmp_path / f"{network}-9" / part) for part in ("run", "again")]
    assert [state and state[0].step for state in trained] == [6, 6]
    assert all(np.isfinite(part).all() for part in spoken(network, tmp_path / "models"))
