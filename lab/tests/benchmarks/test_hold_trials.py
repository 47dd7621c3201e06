"""A few trials of each part of the long trial; lab/benchmarks/hold.py runs for an hour.

Killing a batch, which it does at random moments, is tested in `cli/test_batch.py` at two known
ones.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

TRIALS = {
    "kills.commands": 4,
    "archives": 15,
    "texts": 20,
    "kills.page": 1,
    "pictures.crafted": 32,  # one of each recipe
    "pictures.mutated": 8,
    "requests": 60,
    "covers": 1,
}

SEED = "5"
"""One whose files do not take the decoder to its time limit, which `test_sandbox.py` does."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="its processes are measured as Linux does")
def test_it_holds() -> None:
    words = [sys.executable, "-m", "lab.benchmarks.hold", "--seed", SEED]
    for part, trials in TRIALS.items():
        words += ["--part", f"{part}={trials}"]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=900, check=False, cwd=ROOT
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    for part, trials in TRIALS.items():
        assert f"| {part} | {trials} | 0 |" in ended.stdout
