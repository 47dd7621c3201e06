"""The occlusion network's training examples, and how it is evaluated."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.marks.network import COVER_HW, COVER_PX
from kdscan.rules.duel.board import CELLS

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


def test_of_each_cell_the_middle_counts() -> None:
    from lab.training.cover import hidden_shares

    mask = torch.zeros(1, 1, *COVER_HW, dtype=torch.uint8)
    left, top = 8 + 3 * COVER_PX, 8 + 1 * COVER_PX
    mask[..., top : top + COVER_PX, left : left + COVER_PX // 2] = 255  # half of the cell (1, 3)
    mask[..., 8 + 4 * COVER_PX : 8 + 4 * COVER_PX + 8, 8:100] = 255  # the rim of two others
    shares = hidden_shares(mask)[0]
    assert shares[1, 3] == pytest.approx(0.5)
    assert shares.sum() == pytest.approx(0.5)


def test_a_few_steps_bring_the_loss_down() -> None:
    from lab.training.cover import CoverNet, batch, loss

    torch.manual_seed(0)
    net = CoverNet().train()
    shown = batch(np.random.default_rng(1), examples())
    optimizer = torch.optim.AdamW(net.parameters(), 3e-3)
    losses = []
    for _ in range(12):
        parts = loss(net(shown[0].float() / 255), shown)
        total = torch.stack(list(parts.values())).sum()
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        losses.append(float(total.detach()))
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize(("sign", "found"), [(1, 1.0), (-1, 0.0)])
def test_figures_of_one_who_knows_and_of_one_who_says_the_opposite(sign: int, found: float) -> None:
    from lab.training.cover import cover_figures, cover_sample, hidden_shares

    many = examples() * 8
    rng = np.random.default_rng(0)
    shares = []
    for one, other in zip(many, [*many[1:], many[0]], strict=True):
        hidden = cover_sample(rng, one, other)[1]
        mask = torch.from_numpy((hidden * 255).astype(np.uint8))[None, None]
        shares.append(hidden_shares(mask)[0].numpy())
    turn = iter(shares)

    def net(batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        assert batch.shape == (1, 3, *COVER_HW)
        return (np.asarray(sign * next(turn), np.float32)[None],)

    figures = cover_figures(net, many)
    assert figures["found_at_1_percent"] == found
    assert figures["shields"] == sum(one[at] > 0.12 for one in shares for at in CELLS) > 0


def test_what_all_cells_share_is_seen_everywhere() -> None:
    """A mark that stands in every cell but one is missed there; one in a single cell is not told
    from what it would be."""
    from lab.training.cover import CellContext

    common = CellContext(1, 32).eval()
    with torch.no_grad():
        common.mix.weight.zero_()
        common.mix.weight[0, 1] = 1  # the mean of the cells alone
        common.mix.bias.zero_()
    x = torch.zeros(1, 1, 168, 232)
    for row in range(5):
        for col in range(7):
            x[0, 0, 4 + 32 * row + 10, 4 + 32 * col + 20] = float((row, col) != (1, 1))
    with torch.no_grad():
        shared = common(x) - x
    assert shared[0, 0, 4 + 32 + 10, 4 + 32 + 20] == pytest.approx(34 / 35)
    assert (shared > 0.5).sum() == 35
    assert shared[0, 0, 4 + 10, 4 + 21] == 0
