"""The long trial of robustness: kills, full disks, hostile files and clients, covered shields.

    python -m lab.benchmarks.hold                          every part, four minutes each
    python -m lab.benchmarks.hold --minutes 60             an hour in all
    python -m lab.benchmarks.hold --part kills.page --part texts=100    two parts, one of 100 trials
    nice python -m lab.benchmarks.hold > table.md

Every trial is random, from --seed. Faults are reported when they happen, with the name of the
trial; a table of the figures follows at the end. The exit code is 1 if anything went wrong.
`covers` does not fail but counts how often a covered shield makes a certain total wrong.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from lab.benchmarks.shared import parser
from lab.benchmarks.trials import (
    Trial,
    archives,
    covers,
    crowd,
    disks,
    kills,
    pictures,
    requests,
    texts,
)

Part = Callable[[random.Random, Path], Iterator[Trial]]

PARTS: dict[str, Part] = {
    "kills.batch": kills.batch,
    "kills.commands": kills.commands,
    "kills.page": kills.page,
    "disks": disks.full,
    "pictures.crafted": pictures.crafted,
    "pictures.mutated": pictures.mutated,
    "archives": archives.hostile,
    "texts": texts.hostile,
    "requests": requests.odd,
    "crowd": crowd.waiting,
    "covers": covers.spoiled,
}


@dataclass
class Figures:
    """The results of a part's trials."""

    trials: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
    mb: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, trial: Trial) -> None:
        """Add one trial, and report its faults."""
        self.trials += 1
        self.faults += [f"{trial.name}: {fault}" for fault in trial.faults]
        self.seconds, self.mb = max(self.seconds, trial.seconds), max(self.mb, trial.mb)
        self.counts.update(trial.counts)
        for fault in trial.faults:
            print(f"\r{trial.name}: {fault}", file=sys.stderr)

    def row(self, name: str) -> str:
        """A line of the table."""
        more = ", ".join(f"{what} {count}" for what, count in sorted(self.counts.items()))
        seconds = f"{self.seconds:.1f}" if self.seconds else ""
        mb = f"{self.mb:.0f}" if self.mb else ""
        return f"| {name} | {self.trials} | {len(self.faults)} | {seconds} | {mb} | {more} |"


def tried(part: Part, rng: random.Random, seconds: float, trials: int | None) -> Iterator[Trial]:
    """A part's trials until its time or their number is used up; one that has begun is finished."""
    with (
        tempfile.TemporaryDirectory(prefix="kdscan-hold-", ignore_cleanup_errors=True) as name,
        closing(part(rng, Path(name))) as found,  # type: ignore[type-var]  # they are generators
    ):
        end = None  # preparations before a part's first trial do not count
        for trial in itertools.islice(found, trials):
            yield trial
            end = end or time.monotonic() + seconds
            if time.monotonic() > end:
                return


def _part(text: str) -> tuple[str, int | None]:
    """A part's name, and the number of trials requested."""
    name, _, trials = text.partition("=")
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"choose from {', '.join(PARTS)}")
    return name, int(trials) if trials else None


def main() -> int:
    """Run the requested trials, print the table."""
    options = parser(__doc__)
    options.add_argument(
        "--part", action="append", type=_part, help="one of them, with =N its trials; repeat"
    )
    options.add_argument("--minutes", type=float, help="for all parts together")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    parts = given.part or [(name, None) for name in PARTS]
    seconds = 60 * (given.minutes or 4 * len(parts)) / len(parts)
    table = ["| part | trials | faults | s at most | MB at most | |", "|---|---|---|---|---|---|"]
    faults = 0
    for name, trials in parts:
        figures = Figures()
        rng = random.Random(f"{given.seed} {name}")
        for trial in tried(PARTS[name], rng, seconds, trials):
            figures.add(trial)
            print(f"\r{name} {figures.trials} ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        faults += len(figures.faults)
        table.append(figures.row(name))
    print("\n".join(table))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
