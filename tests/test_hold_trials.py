"""The long trial's parts, a trial or two of each: benchmarks/hold.py goes on for an hour."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOLD = Path(__file__).parent.parent / "benchmarks" / "hold.py"

TRIALS = {
    "kills.batch": 3,
    "kills.commands": 12,
    "kills.page": 2,
    "pictures.crafted": 38,
    "pictures.mutated": 60,
    "archives": 60,
    "texts": 100,
    "requests": 300,
    "covers": 1,
}


@pytest.mark.slow
@pytest.mark.parametrize("part", TRIALS)
@pytest.mark.skipif(sys.platform != "linux", reason="its processes are measured as Linux does")
def test_it_holds(part: str) -> None:
    words = [sys.executable, str(HOLD), "--part", part, "--trials", str(TRIALS[part])]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert f"| {part} | {TRIALS[part]} | 0 |" in ended.stdout
