"""The ink reader's sheets, and that its network learns from them and can be published."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kdscan.templates.ink_reader import inputs, reduced

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch


@cache
def sheets() -> list[Any]:
    from lab.training.ink_sheets import SHEETS, ink_sheet

    drawn = [ink_sheet(9_000_001 * SHEETS + number) for number in range(5)]
    return [sheet for sheet in drawn if sheet is not None]


def test_ink_is_where_circles_are_crossed_out_and_shields_filled() -> None:
    assert len(sheets()) >= 3
    for sheet in sheets():
        cells, _, rounds, _, _ = inputs(reduced(sheet.ink_picture()), sheet.printed())
        known = (sheet.crossed >= 0).all(1)
        assert known.mean() > 0.5
        assert (sheet.crossed[known].sum(1) == sheet.crosses[known]).all()
        ink = rounds[..., 8:16, 8:16].mean((2, 3))[:, : len(sheet.cell.circles)]
        crossed = sheet.crossed[:, : ink.shape[1]]
        if (crossed == 1).any():
            assert ink[crossed == 1].mean() > 2 * ink[crossed == 0].mean()
        drawn = cells[:, 0].mean((1, 2))
        if (sheet.coat == 0).any():
            assert np.median(drawn[sheet.coat > 0]) > np.median(drawn[sheet.coat == 0])


def test_a_few_steps_bring_the_loss_down() -> None:
    from lab.training.ink_reader import TASK

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    net, sample = TASK.net(), TASK.batch(rng, sheets())
    again = TASK.batch(np.random.default_rng(0), sheets())
    assert all(torch.equal(a, b) for a, b in zip(sample, again, strict=True))
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    values = []
    for _ in range(8):
        seen = [p.float() / 255 if p.dtype == torch.uint8 else p for p in sample[: TASK.n_inputs]]
        parts = TASK.loss(net(*seen), sample)
        total = torch.stack(list(parts.values())).sum()
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        values.append({name: float(part) for name, part in parts.items()})
    assert sum(values[-1].values()) < 0.8 * sum(values[0].values())


def test_the_published_network_and_the_trained_one_agree() -> None:
    import onnxruntime

    from lab.training.ink_reader import TASK, figures
    from lab.training.making import INPUTS, to_onnx
    from lab.training.task import as_network

    torch.manual_seed(2)
    net = TASK.net().eval()
    session = onnxruntime.InferenceSession(to_onnx("ink_reader", net, "1"))

    def published(*batches: Any) -> Any:
        return session.run(None, dict(zip(INPUTS["ink_reader"], batches, strict=True)))

    ours, theirs = figures(as_network(net), sheets()), figures(published, sheets())
    assert ours["sheets"] == len(sheets())
    assert ours["coat_loss"] == pytest.approx(theirs["coat_loss"], rel=0.01)
    assert ours["crosses_loss"] == pytest.approx(theirs["crosses_loss"], rel=0.01)
