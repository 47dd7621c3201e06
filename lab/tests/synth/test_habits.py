"""Habits of drawing: some are held out of training, and many hands copy the dice."""

from __future__ import annotations

import numpy as np

from lab.synth.hands.habits import HABITS, PARTS, any_habit
from lab.synth.hands.sketch import Hand


def test_a_fifth_of_the_habits_is_held_out_and_never_drawn_by_lot() -> None:
    held = [habit.held_out for part in PARTS for habit in HABITS[part].values()]
    assert len(held) >= 100
    assert 0.18 < np.mean(held) < 0.25
    rng = np.random.default_rng(0)
    for part in PARTS:
        drawn = {any_habit(part, dice, rng) for dice in (True, False) for _ in range(600)}
        assert not any(HABITS[part][name].held_out for name in drawn), part
        assert len(drawn) > 0.7 * sum(not h.held_out for h in HABITS[part].values()), part
    for seed in range(300):
        traits = Hand.random(np.random.default_rng(seed)).traits
        assert not any(HABITS[part][traits.habits[part]].held_out for part in PARTS)
