"""The counts over simulated games."""

from __future__ import annotations

import json
from pathlib import Path

from kdscan.marks.boards import prior_counts
from lab.synth.prior import count, main


def test_the_packaged_counts_are_whole() -> None:
    alone, beside = prior_counts()
    assert alone.sum() == 100_000 * 2 * 34
    assert beside.sum() == 2 * 100_000 * (2 * 54 + 4)
    # The dice know filled coats with no cross or two, never with one.
    assert alone[5, 2] > 10 * alone[5, 1]
    # Equal coats seek each other.
    assert (beside[:, 3] / alone.sum(1)).argmax() == 3


def test_counting_is_repeatable_and_the_command_writes_it(tmp_path: Path) -> None:
    first = count(4, seed=3)
    assert first == count(4, seed=3) != count(4, seed=4)
    main(games=4, seed=3, output=tmp_path / "prior.json")
    assert json.loads((tmp_path / "prior.json").read_text("utf-8")) == first
    assert sum(map(sum, first["alone"])) == 4 * 2 * 34
