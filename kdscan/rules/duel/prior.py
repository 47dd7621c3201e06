"""Frequencies of marks on finished maps, counted over simulated games.

The counts are in `prior.json`, with the seed and the command that made them:

    python -m kdscan.rules.duel.prior --games 100000 --seed 1
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kdscan.rules.duel.board import CASTLE, CELLS, MAX_CROSSES, Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import neighbours

Mark = tuple[Coat | None, int]
"""Contents of a square: coat (None for empty) and crosses."""

EMPTY: Mark = (None, 0)

MARKS: tuple[Mark, ...] = (EMPTY, *((c, n) for c in Coat for n in range(MAX_CROSSES + 1)))
"""All 31 marks: empty, then each coat with 0 to 4 crosses."""

GREEDY_SHARE = 0.8
"""Share of players in the simulated games who play for points; the others play at random."""

_CASTLE = "castle"
_FILE = Path(__file__).with_name("prior.json")


@dataclass(frozen=True)
class Prior:
    """Counts over finished maps.

    alone: how often a square held each mark. beside: how often a square held each mark
    while the square on one of its four sides held a coat ("dot" ...), "empty" or "castle".
    """

    alone: dict[Mark, int]
    beside: dict[tuple[Mark, str], int]

    def probability(self, mark: Mark) -> float:
        """Probability that a square holds that mark, whatever is around it.

        One is added to every count (Laplace smoothing), so that nothing is impossible.
        """
        total = sum(self.alone.values()) + len(MARKS)
        return (self.alone.get(mark, 0) + 1) / total


def count(games: int, seed: int) -> Prior:
    """Play that many games and count the marks on both maps of each."""
    from kdscan.rules.duel.greedy import greedy_player  # not needed to read the counts
    from kdscan.rules.duel.players import play_game, random_player

    rng = random.Random(seed)
    alone: Counter[Mark] = Counter()
    beside: Counter[tuple[Mark, str]] = Counter()
    for _ in range(games):
        one, two = (
            greedy_player if rng.random() < GREEDY_SHARE else random_player for _ in range(2)
        )
        for board in play_game(rng, (one, two)).maps:
            _count_map(board, alone, beside)
    return Prior(dict(alone), dict(beside))


def _count_map(board: Board, alone: Counter[Mark], beside: Counter[tuple[Mark, str]]) -> None:
    marks = dict.fromkeys(CELLS, EMPTY)
    marks |= {cell: (shield.coat, shield.crosses) for cell, shield in board.items()}
    names = {cell: coat or "empty" for cell, (coat, _) in marks.items()} | {CASTLE: _CASTLE}
    for cell, mark in marks.items():
        alone[mark] += 1
        for near in neighbours(cell):
            if near in names:
                beside[mark, names[near]] += 1


def _key(mark: Mark) -> str:
    coat, crosses = mark
    return "empty" if coat is None else f"{coat}:{crosses}"


def to_json(prior: Prior, games: int, seed: int) -> dict[str, Any]:
    """The data file's content."""
    sides = ("empty", _CASTLE, *Coat)
    return {
        "what": "counts over both maps of simulated finished games",
        "command": f"python -m kdscan.rules.duel.prior --games {games} --seed {seed}",
        "games": games,
        "seed": seed,
        "greedy_share": GREEDY_SHARE,
        "alone": {_key(mark): prior.alone.get(mark, 0) for mark in MARKS},
        "beside": {
            side: {_key(mark): prior.beside.get((mark, side), 0) for mark in MARKS}
            for side in sides
        },
    }


def from_json(data: dict[str, Any]) -> Prior:
    """The counts out of the data file's content."""
    marks = {_key(mark): mark for mark in MARKS}
    alone = {marks[key]: number for key, number in data["alone"].items()}
    beside = {
        (marks[key], side): number
        for side, row in data["beside"].items()
        for key, number in row.items()
    }
    return Prior(alone, beside)


@cache
def load() -> Prior:
    """The counts that come with the package."""
    return from_json(json.loads(_FILE.read_text("utf-8")))


def main(arguments: list[str] | None = None) -> None:
    """Count anew and write the data file."""
    import argparse

    parser = argparse.ArgumentParser(description="Count marks over simulated games.")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=_FILE)
    given = parser.parse_args(arguments)
    data = to_json(count(given.games, given.seed), given.games, given.seed)
    given.output.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
