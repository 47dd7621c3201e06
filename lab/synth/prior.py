"""Counts marks over simulated games, for the prior of reading.

python -m lab.synth.prior --games 100000 --seed 1
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import typer

from kdscan.marks.boards import PRIOR
from kdscan.rules import neighbours
from kdscan.rules.duel.board import CASTLE, CELLS, COATS, MAX_CROSSES
from kdscan.rules.duel.players import greedy_player, play_game, random_player

GREEDY_SHARE = 0.8
"""Share of players in the simulated games who play for points; the others play at random."""


def count(games: int, seed: int) -> dict[str, Any]:
    """The data file's content, from that many games."""
    rng = random.Random(seed)
    alone = np.zeros((len(COATS), MAX_CROSSES + 1), np.int64)
    beside = np.zeros((len(COATS), len(COATS) + 1), np.int64)
    for _ in range(games):
        one, two = (
            greedy_player if rng.random() < GREEDY_SHARE else random_player for _ in range(2)
        )
        for board in play_game(rng, (one, two)).maps:
            coats = dict.fromkeys(CELLS, 0) | {CASTLE: len(COATS)}
            coats |= {cell: COATS.index(shield.coat) for cell, shield in board.items()}
            for cell in CELLS:
                alone[coats[cell], board[cell].crosses if cell in board else 0] += 1
                for near in neighbours(cell):
                    if near in coats:
                        beside[coats[cell], coats[near]] += 1
    return {
        "what": "counts over both maps of simulated finished games; alone: of none and each coat "
        "with 0 to 4 crosses; beside: of these while a neighbour holds each, the castle last",
        "command": f"python -m lab.synth.prior --games {games} --seed {seed}",
        "games": games,
        "seed": seed,
        "greedy_share": GREEDY_SHARE,
        "alone": alone.tolist(),
        "beside": beside.tolist(),
    }


def main(games: int = 100_000, seed: int = 1, output: Path = PRIOR) -> None:
    """Count anew and write the data file."""
    output.write_text(json.dumps(count(games, seed), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    typer.run(main)
