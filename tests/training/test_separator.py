"""What the network that tells ink from print is shown, and how it is judged."""

from __future__ import annotations

from functools import cache
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
    from kdscan.training.dataset import init_worker
    from kdscan.training.ink_examples import ink_example

    init_worker(None, None)
    return ink_example(SEED, 0)


def ink_of(packed: bytes) -> NDArray[np.uint8]:
    grey = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(grey, np.uint8)


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    return float((one & other).sum() / (one | other).sum())


def test_the_same_seed_draws_the_same_sheet_and_its_ink_is_where_it_is_dark() -> None:
    from kdscan.training.dataset import unpack
    from kdscan.training.ink_examples import ink_example

    again = ink_example(SEED - 5, 5)
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

    from kdscan.training.dataset import jpeg
    from kdscan.training.ink_examples import ink_sample
    from kdscan.training.separator import FLAT_HW

    ink = ink_of(example().ink)
    black = cv2.merge([np.asarray(255 - ink, np.uint8)] * 3)
    plain = replace(example(), filled=jpeg(np.asarray(black, np.uint8)))
    flat, mask = ink_sample(np.random.default_rng(seed), plain)
    assert flat.shape == (*FLAT_HW, 3) and mask.shape == FLAT_HW
    grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    paper = cv2.dilate(cv2.GaussianBlur(grey, (0, 0), 2), np.ones((151, 151), np.uint8))
    assert overlap(grey < 0.5 * paper, mask > 0.5) > 0.6


def test_the_published_network_says_what_the_trained_one_says() -> None:
    import onnxruntime

    from kdscan.training.export import to_onnx
    from kdscan.training.separator import FLAT_HW, InkNet

    torch.manual_seed(2)
    net = InkNet().eval()
    sheets = torch.rand(2, 3, *FLAT_HW)
    session = onnxruntime.InferenceSession(to_onnx("ink", net, "1"))
    (said,) = session.run(None, {"image": sheets.numpy()})
    with torch.no_grad():
        expected = net(sheets).numpy()
    assert said.shape == (2, 1, *FLAT_HW)
    assert np.abs(said - expected).max() < 0.02 * np.abs(expected).max()


def test_what_all_cells_share_is_seen_everywhere() -> None:
    """A mark that stands in every cell but one is missed there; one in a single cell is not told
    from what it would be."""
    from kdscan.training.separator import FLAT_HW, STRIDE, CellContext

    common = CellContext(1).eval()
    with torch.no_grad():
        common.mix.weight.zero_()
        common.mix.weight[0, 1] = 1  # the mean of the cells alone
        common.mix.bias.zero_()
    x = torch.zeros(1, 1, FLAT_HW[0] // STRIDE, FLAT_HW[1] // STRIDE)
    for row in range(5):
        for col in range(7):
            x[0, 0, 4 + 32 * row + 10, 4 + 32 * col + 20] = float((row, col) != (1, 1))
    with torch.no_grad():
        shared = common(x) - x
    assert shared[0, 0, 4 + 32 + 10, 4 + 32 + 20] == pytest.approx(34 / 35)
    assert (shared > 0.5).sum() == 35
    assert shared[0, 0, 4 + 10, 4 + 21] == 0


@pytest.mark.parametrize(("sign", "auc", "iou"), [(1, 1.0, 1.0), (-1, 0.0, 0.0)])
def test_figures_of_one_who_knows_and_of_one_who_says_the_opposite(
    sign: int, auc: float, iou: float
) -> None:
    from kdscan.training.ink_examples import ink_sample
    from kdscan.training.separator import ink_figures

    rng = np.random.default_rng(0)
    known = [ink_sample(rng, example())[1]]

    def net(batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        return (np.asarray(sign * 9 * np.sign(known[0] - 0.5), np.float32)[None, None],)

    figures = ink_figures(net, [example()])
    assert figures["auc"] == pytest.approx(auc, abs=0.01)
    assert figures["iou"] == pytest.approx(iou, abs=0.03)
