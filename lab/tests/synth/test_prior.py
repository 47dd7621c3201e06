"""The counts over simulated games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.prior import EMPTY, MARKS, from_json, load
from lab.synth.prior import count, main, to_json


def test_the_packaged_counts_are_whole() -> None:
    prior = load()
    total = sum(prior.alone.values())
    assert total == 100_000 * 2 * 34
    assert sum(prior.beside.values()) == 2 * 100_000 * (2 * 54 + 4)
    assert sum(prior.probability(mark) for mark in MARKS) == pytest.approx(1)
    # The dice know filled and checked coats with no cross or two, never with one.
    assert prior.probability((Coat.FILLED, 2)) > 10 * prior.probability((Coat.FILLED, 1))
    # Equal coats seek each other.
    near = {mark: prior.beside[mark, "line"] for mark in MARKS if (mark, "line") in prior.beside}
    line = prior.probability((Coat.LINE, 0)) * sum(near.values())
    assert near[Coat.LINE, 0] > line > near[EMPTY]


def test_counting_is_repeatable_and_round_trips() -> None:
    one = count(4, seed=3)
    assert one == count(4, seed=3) != count(4, seed=4)
    data = to_json(one, 4, 3)
    assert data["command"] == "python -m lab.synth.prior --games 4 --seed 3"
    again = from_json(json.loads(json.dumps(data)))
    assert all(again.alone[mark] == one.alone.get(mark, 0) for mark in MARKS)
    assert all(again.beside[key] == number for key, number in one.beside.items())


def test_the_command_writes_the_file(tmp_path: Path) -> None:
    main(games=2, seed=5, output=tmp_path / "prior.json")
    data = json.loads((tmp_path / "prior.json").read_text("utf-8"))
    assert (data["games"], data["seed"]) == (2, 5)
    assert sum(data["alone"].values()) == 2 * 2 * 34
