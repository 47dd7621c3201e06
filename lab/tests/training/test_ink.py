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
    from lab.training.ink import ink_example

    init_worker(None, None)
    return ink_example(SEED)


def ink_of(packed: bytes) -> NDArray[np.uint8]:
    grey = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(grey, np.uint8)


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum() / (one | other).sum())


@pytest.mark.parametrize("seed", range(6))
def test_a_sheet_and_its_ink_are_shown_alike(seed: int) -> None:
    from dataclasses import replace

    from lab.training.dataset import jpeg
    from lab.training.ink import ink_batch

    black = cv2.merge([np.asarray(255 - ink_of(example().ink), np.uint8)] * 3)
    plain = replace(example(), filled=jpeg(np.asarray(black, np.uint8)))
    ink, coarse, drawn = ink_batch(np.random.default_rng(seed), [plain])
    assert ink.shape == (1, 35, 1, 128, 128) and coarse.shape == (1, 35, 3, 64, 64)
    assert drawn.shape == (1, 35, 128, 128)
    assert overlap(ink[0, :, 0].float().numpy() > 0.4, drawn[0].numpy() > 0.5) > 0.6


def test_it_learns_on_the_features_of_marks_and_leaves_them_as_they_are(tmp_path: Path) -> None:
    from lab.training.marks_networks import InkNet, MarksNet
    from lab.training.trainer import keep_weights, load_weights

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
