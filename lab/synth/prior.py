"""Counts marks over simulated games, for the prior of reading.

python -m lab.synth.prior --games 100000 --seed 1
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import typer

from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.rules.duel.coats import Coat, Marks
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from kdscan.rules.duel.prior import EMPTY, MARKS, PATH, Prior, mark_key
from kdscan.rules.grid import neighbours

GREEDY_SHARE = 0.8
"""Share of players in the simulated games who play for points; the others play at random."""

_CASTLE = "castle"


def count(games: int, seed: int) -> Prior:
    """Play that many games and count the marks on both maps of each."""
    rng = random.Random(seed)
    alone: Counter[Marks] = Counter()
    beside: Counter[tuple[Marks, str]] = Counter()
    for _ in range(games):
        one, two = (
            greedy_player if rng.random() < GREEDY_SHARE else random_player for _ in range(2)
        )
        for board in play_game(rng, (one, two)).maps:
            marks = dict.fromkeys(CELLS, EMPTY)
            marks |= {cell: (shield.coat, shield.crosses) for cell, shield in board.items()}
            names = {cell: coat or "empty" for cell, (coat, _) in marks.items()} | {CASTLE: _CASTLE}
            for cell, mark in marks.items():
                alone[mark] += 1
                for near in neighbours(cell):
                    if near in names:
                        beside[mark, names[near]] += 1
    return Prior(dict(alone), dict(beside))


def to_json(prior: Prior, games: int, seed: int) -> dict[str, Any]:
    """The data file's content."""
    sides = ("empty", _CASTLE, *Coat)
    return {
        "what": "counts over both maps of simulated finished games",
        "command": f"python -m lab.synth.prior --games {games} --seed {seed}",
        "games": games,
        "seed": seed,
        "greedy_share": GREEDY_SHARE,
        "alone": {mark_key(mark): prior.alone.get(mark, 0) for mark in MARKS},
        "beside": {
            side: {mark_key(mark): prior.beside.get((mark, side), 0) for mark in MARKS}
            for side in sides
        },
    }


def main(games: int = 100_000, seed: int = 1, output: Path = PATH) -> None:
    """Count anew and write the data file."""
    data = to_json(count(games, seed), games, seed)
    output.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
