"""A network that goes on from another one keeps of it what its task says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("kept", [0.0, 0.4, 1.0])
def test_a_share_of_the_weights_before_is_kept(tmp_path: Path, kept: float) -> None:
    from kdscan.training.fit import Batch, Task, fit

    torch.manual_seed(1)
    before = torch.nn.Linear(1, 1)
    torch.save(before.state_dict(), tmp_path / "start.pt")

    def batch(rng: object, examples: list[int]) -> Batch:
        return (torch.ones(2, 1),)

    def loss(out: Any, batch: Batch) -> dict[str, Any]:
        return {"far from five": (out - 5).abs().mean()}

    def taught(share: float) -> float:
        task = Task(lambda: torch.nn.Linear(1, 1), batch, loss, 2, 20, 0.1, kept=share)
        return said(fit(task, [1, 2], start=tmp_path / "start.pt"))

    def said(net: Any) -> float:
        return float(net(torch.ones(1, 1)))

    assert said(before) + 0.5 < taught(0.0)
    expected = kept * said(before) + (1 - kept) * taught(0.0)
    assert taught(kept) == pytest.approx(expected, abs=1e-4)
