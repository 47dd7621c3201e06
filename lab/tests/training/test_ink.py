"""The training examples of the network that separates ink from print, and how it is evaluated."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch

SEED = 9_900_000


@cache
def example() -> Any:
    from lab.training.dataset import init_worker
    from lab.training.ink_examples import ink_example

    init_worker(None, None)
    return ink_example(SEED)


def ink_of(packed: bytes) -> NDArray[np.uint8]:
    grey = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(grey, np.uint8)


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum() / (one | other).sum())


def test_the_same_seed_draws_the_same_sheet_and_its_ink_is_where_it_is_dark() -> None:
    from lab.training.dataset import unpack
    from lab.training.ink_examples import ink_example

    again = ink_example(SEED)
    assert (again.filled, again.ink) == (example().filled, example().ink)
    filled, ink = unpack(example().filled), ink_of(example().ink)
    assert filled.shape[:2] == ink.shape
    assert 0.01 < (ink > 127).mean() < 0.5
    around = cv2.dilate((ink > 0).astype(np.uint8), np.ones((25, 25), np.uint8)) > 0
    grey = cv2.cvtColor(filled, cv2.COLOR_BGR2GRAY)
    assert grey[ink > 250].mean() + 10 < grey[around & (ink == 0)].mean()


@pytest.mark.parametrize("seed", range(6))
def test_a_sheet_and_its_ink_are_shown_alike(seed: int) -> None:
    from dataclasses import replace

    from lab.training.dataset import jpeg
    from lab.training.ink_examples import ink_batch, ink_views
    from lab.training.random_tensors import RandomTensors

    black = cv2.merge([np.asarray(255 - ink_of(example().ink), np.uint8)] * 3)
    plain = replace(example(), filled=jpeg(np.asarray(black, np.uint8)))
    ink, coarse, drawn = ink_views(
        RandomTensors(seed), ink_batch(np.random.default_rng(seed), [plain])
    )
    assert ink.shape == (1, 35, 1, 128, 128) and coarse.shape == (1, 35, 3, 64, 64)
    assert drawn.shape == (1, 35, 128, 128)
    assert overlap(ink[0, :, 0].float().numpy() > 0.4, drawn[0].numpy() > 0.5) > 0.6


def test_it_learns_on_the_features_of_marks_and_leaves_them_as_they_are(tmp_path: Path) -> None:
    from lab.training.marks_networks import InkNet, MarksNet
    from lab.training.state import keep_weights, load_weights

    torch.manual_seed(1)
    marks = MarksNet()
    keep_weights(tmp_path / "marks-1.npz", marks.state_dict())
    net = InkNet()
    load_weights(net, tmp_path / "marks-1.npz")
    kept = net.context16.mix[0].weight
    assert torch.allclose(kept, marks.context16.mix[0].weight, atol=1e-3)
    ink, coarse = torch.rand(2, 35, 1, 128, 128), torch.rand(2, 35, 3, 64, 64)
    net(ink, coarse).square().mean().backward()
    learns = {name.split(".")[0] for name, p in net.named_parameters() if p.grad is not None}
    assert learns == {"up16", "up8", "pixels", "up4", "out"}


@pytest.mark.parametrize(("sign", "auc", "iou"), [(1, 1.0, 1.0), (-1, 0.0, 0.0)])
def test_figures_of_one_who_knows_and_of_one_who_says_the_opposite(
    sign: int, auc: float, iou: float
) -> None:
    from lab.training.ink import ink_figures
    from lab.training.ink_examples import ink_batch, ink_views
    from lab.training.random_tensors import RandomTensors

    drawn = ink_views(RandomTensors(0), ink_batch(np.random.default_rng(0), [example()]))[2].numpy()

    def net(*_: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        return (np.asarray(sign * 9 * np.sign(drawn - 0.5), np.float32),)

    figures = ink_figures(net, [example()])
    assert figures["auc"] == pytest.approx(auc, abs=0.01)
    assert figures["iou"] == pytest.approx(iou, abs=0.03)
