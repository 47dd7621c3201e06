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

from kdscan.marks.posterior import PRIOR
from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from kdscan.rules.grid import neighbours

GREEDY_SHARE = 0.8
"""Share of players in the simulated games who play for points; the others play at random."""

_CASTLE = "castle"


def count(games: int, seed: int) -> dict[str, Any]:
    """The data file's content: counts over both maps of that many games of each mark ("empty", or
    coat:crosses), alone and beside each coat, an empty shield or the castle."""
    rng = random.Random(seed)
    alone: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = {side: Counter() for side in ("empty", _CASTLE, *Coat)}
    for _ in range(games):
        one, two = (
            greedy_player if rng.random() < GREEDY_SHARE else random_player for _ in range(2)
        )
        for board in play_game(rng, (one, two)).maps:
            marks = dict.fromkeys(CELLS, "empty")
            marks |= {cell: f"{shield.coat}:{shield.crosses}" for cell, shield in board.items()}
            names = {cell: mark.split(":")[0] for cell, mark in marks.items()} | {CASTLE: _CASTLE}
            for cell, mark in marks.items():
                alone[mark] += 1
                for near in neighbours(cell):
                    if near in names:
                        beside[names[near]][mark] += 1
    return {
        "what": "counts over both maps of simulated finished games",
        "command": f"python -m lab.synth.prior --games {games} --seed {seed}",
        "games": games,
        "seed": seed,
        "greedy_share": GREEDY_SHARE,
        "alone": alone,
        "beside": beside,
    }


def main(games: int = 100_000, seed: int = 1, output: Path = PRIOR) -> None:
    """Count anew and write the data file."""
    output.write_text(json.dumps(count(games, seed), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
