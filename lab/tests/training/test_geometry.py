"""The training examples of the network that finds circles, shield and lines of a print."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch


def test_a_period_and_what_is_in_it_are_shown_alike() -> None:
    from lab.training.geometry import TASK, centres, example, inside

    shown = example(961_900_000)
    period, maps, *_ = (part.numpy() for part in TASK.batch(np.random.default_rng(1), [shown] * 3))
    assert period.shape == (3, 8, 96, 96)
    assert maps.sum((2, 3)) == pytest.approx(np.tile(maps[0].sum((1, 2)), (3, 1)), rel=0.02)
    assert maps[:, 1].mean() == pytest.approx(inside(shown.shield).mean(), rel=0.02)
    across = np.array([[0.49, 0.0]])
    assert centres(across) == pytest.approx(centres(across - (1, 0)), abs=1e-6)


def test_it_learns_and_is_exported() -> None:
    import onnxruntime
    import torch

    from lab.training.geometry import TASK, example
    from lab.training.making import to_onnx

    torch.manual_seed(0)
    net, batch = TASK.net(), TASK.batch(np.random.default_rng(0), [example(961_900_001)] * 2)
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    losses = []
    for _ in range(4):
        parts = TASK.loss(net(batch[0]), batch)
        losses.append(sum(part.item() for part in parts.values()))
        optimizer.zero_grad()
        sum(parts.values()).backward()
        optimizer.step()
    assert losses[-1] < 0.7 * losses[0]
    session = onnxruntime.InferenceSession(to_onnx("geometry", net, "1"))
    with torch.inference_mode():
        expected = net.eval()(batch[0])
    for found, true in zip(session.run(None, {"period": batch[0].numpy()}), expected, strict=True):
        assert found == pytest.approx(true.numpy(), abs=0.2)
