"""The networks: where the shields of marks lie, and that what ships says what was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


def taught() -> Any:
    """A network in which all that starts at nothing counts."""
    from lab.training.marks_networks import MarksNet

    torch.manual_seed(3)
    net = MarksNet().eval()
    with torch.no_grad():
        net.position.normal_(0, 0.5)
        for context in (net.context8, net.context16):
            context.edges.weight.normal_(0, 0.2)
            context.out[1].weight.fill_(1.0)
    return net


def some_crops(sheets: int) -> tuple[Any, Any]:
    return torch.rand(sheets, 35, 1, 128, 128), torch.rand(sheets, 35, 3, 64, 64)


def test_what_ships_says_what_was_trained() -> None:
    import onnxruntime

    from lab.training.making import calibrated_network, to_onnx

    net = taught()
    with torch.no_grad():
        for norm in (m for m in net.modules() if isinstance(m, torch.nn.BatchNorm2d)):
            norm.running_mean.normal_(0, 0.1)
            norm.running_var.uniform_(0.5, 2)
    crops = some_crops(1)
    ink, coarse = (part[0] for part in crops)
    warmth = {"coat": 1.25, "crosses": 0.8}
    ready = calibrated_network("marks", net, warmth)
    with torch.no_grad():
        coat, crosses, castle, offset, _ = net(*crops)
        said = ready(ink, coarse)
    meant = coat / 1.25, crosses / 0.8, castle, offset
    for a, b in zip(said, meant, strict=True):
        assert torch.allclose(a, b, atol=1e-4)
    session = onnxruntime.InferenceSession(to_onnx("marks", ready, "1"))
    shipped = session.run(None, {"ink": ink.numpy(), "coarse": coarse.numpy()})
    for a, b in zip(shipped, meant, strict=True):  # 8 bits a weight
        assert torch.allclose(torch.tensor(a), b, atol=0.1)


@pytest.mark.parametrize("network", ["cover", "ink"])
def test_the_published_network_says_what_the_trained_one_says(network: str) -> None:
    import onnxruntime

    from lab.training.making import INPUTS, to_onnx
    from lab.training.tasks import TASKS

    torch.manual_seed(2)
    net = TASKS[network].net().eval()
    seen = {name: torch.rand(shape) for name, shape in INPUTS[network].items()}
    session = onnxruntime.InferenceSession(to_onnx(network, net, "1"))
    (said,) = session.run(None, {name: part.numpy() for name, part in seen.items()})
    with torch.no_grad():
        expected = net(*seen.values()).numpy()
    assert said.shape == expected.shape
    assert abs(said - expected).max() < 0.02 * abs(expected).max()


@pytest.mark.parametrize("recipe", ["ink-2", "marks-19", "refine-6", "tiles-4"])
def test_a_recipe_can_start_from_its_parent(recipe: str) -> None:
    from lab.training import weights_path
    from lab.training.recipe import load_recipe
    from lab.training.tasks import TASKS
    from lab.training.trainer import load_weights

    models = Path(__file__).parents[3] / "models"
    made = load_recipe(models, recipe)
    load_weights(TASKS[made.network].net(), weights_path(models, made.parent_name))
