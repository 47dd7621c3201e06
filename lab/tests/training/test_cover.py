"""The occlusion network's training examples, and how it is evaluated."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kdscan.marks.network import COVER_HW, COVER_PX

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch


@cache
def examples() -> list[Any]:
    from lab.training.dataset import flat_example

    return [flat_example(9_700_000 + number, None) for number in range(2)]


def test_hidden_places_look_otherwise_and_open_ones_as_they_did() -> None:
    from lab.synth import patches
    from lab.training.dataset import unpack

    flat = unpack(examples()[0].flat)[: COVER_HW[0], : COVER_HW[1]]
    rng = np.random.default_rng(3)
    hidden_somewhere = 0
    for _ in range(12):
        seen, hidden = patches.with_things(rng, flat, flat, COVER_PX)
        changed = np.abs(seen.astype(float) - flat).mean(-1)
        assert seen.shape == flat.shape and hidden.shape == COVER_HW
        if (hidden > 0.5).sum() > 200:
            hidden_somewhere += 1
            assert changed[hidden > 0.9].mean() > 1.5 * changed[hidden == 0].mean()
    assert hidden_somewhere > 4
