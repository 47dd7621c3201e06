"""Shields are dealt out among the sheets of other hands."""

from __future__ import annotations

import numpy as np

from kdscan.marks.crops import CellCrops
from lab.benchmarks.coherence import HANDS, dealt


def test_each_shield_is_read_once_beside_shields_of_33_other_hands() -> None:
    cells = np.arange(HANDS + 1, dtype=np.float32)[:, None, None, None]
    sheets = [CellCrops(100 * hand + cells, 100 * hand + cells) for hand in range(HANDS)]
    mixed = np.stack([sheet.ink[:, 0, 0, 0] for sheet in dealt(sheets)]).astype(int)
    assert (mixed % 100 == np.arange(HANDS + 1)).all(), "each lies in its own place"
    assert all(len(set(row)) == HANDS for row in mixed[:, :-1] // 100)
    assert len(np.unique(mixed[:, :-1])) == HANDS * HANDS
