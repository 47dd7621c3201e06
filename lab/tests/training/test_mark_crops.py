"""The marks network is trained on what it will read, with matching targets."""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest

from kdscan.imaging.rectify import FLAT_PX
from kdscan.marks.crops import segment
from lab.synth.scene import make_photo, random_page
from lab.training.dataset import WIDE_MARGIN, Example, to_example, unpack

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

"""Pixels of a cell that the network sees."""


@cache
def example() -> Example:
    page = random_page(np.random.default_rng(3))
    return to_example(make_photo(3, "easy", page=page, size_wh=(1200, 900), messiness=0.0))


def drawn(examples: list[Example], seed: int = 0) -> Any:
    from lab.training.sheet_views import Sheets, samples
    from lab.training.task import RandomTensors
    from lab.training.tasks import marks_batch

    batch = marks_batch(np.random.default_rng(0), examples)
    return samples(RandomTensors(seed), Sheets(*batch[:4]))


@cache
def every_way() -> Any:
    return drawn([example()] * 10)


def test_crops_are_those_that_will_be_read() -> None:
    from lab.training.sheet_views import crops

    pad = round((WIDE_MARGIN - 0.125) * FLAT_PX)
    flat = np.ascontiguousarray(unpack(example().flat)[pad:-pad, pad:-pad])
    read = segment(flat)
    ink, coarse = crops(torch.from_numpy(flat.transpose(2, 0, 1)[None].copy()).float())
    assert ink[0].numpy() == pytest.approx(read.ink, abs=0.02)
    assert coarse[0].numpy() == pytest.approx(read.coarse, abs=0.03)
    assert np.ptp(read.ink) > 0.5


def test_spots_are_marked_in_the_shields_that_have_crosses() -> None:
    """Each cross within the crop is a blob of its own or touches another."""
    seen = []
    for spots in every_way().spots:
        for shield, crosses in zip(spots.numpy(), example().crosses, strict=True):
            blobs = cv2.connectedComponents(shield.astype(np.uint8))[0] - 1
            assert blobs <= crosses
            seen += [blobs > 0] * bool(crosses)
    assert np.mean(seen) > 0.97  # some sheets slip so far that a cross leaves its crop


def test_a_wider_network_starts_as_the_narrow_one() -> None:
    from lab.training.marks_networks import MarksNet, widen

    torch.manual_seed(1)
    narrow, wide = MarksNet(width=8).eval(), MarksNet(width=12).eval()
    with torch.no_grad():
        for context in (narrow.context8, narrow.context16):
            context.edges.weight.normal_(0, 0.2)
            context.out[1].weight.fill_(1.0)
        narrow.offset.out.weight.normal_()
    widen(wide, narrow.state_dict())
    crops = torch.rand(1, 35, 1, 128, 128), torch.rand(1, 35, 3, 64, 64)
    with torch.no_grad():
        for a, b in zip(narrow(*crops), wide(*crops), strict=True):
            assert torch.allclose(a, b, atol=1e-4)
    with pytest.raises(ValueError, match="does not fit"):
        widen(narrow, wide.state_dict())
