"""Benchmarks run, and refuse in words what they cannot measure."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)


def test_accuracy_is_measured(tmp_path: Path) -> None:
    for suffix in (".jpg", ".json"):
        shutil.copy((ROOT / "samples" / "01.jpg").with_suffix(suffix), tmp_path)
    ended = run("lab.benchmarks.accuracy", str(tmp_path))
    assert ended.returncode == 0, ended.stderr[-3000:]
    (row,) = [line for line in ended.stdout.splitlines() if line.startswith("maps found")]
    assert row.endswith("100.00%") and "1 photos" in ended.stdout


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("accuracy", "holds no photos NAME.jpg with their NAME.json"),
        ("stages", "there is no file"),
        ("kingdoms", "there is no such table of squares"),
    ],
)
def test_a_folder_without_what_is_measured_is_no_bug(
    name: str, remedy: str, tmp_path: Path
) -> None:
    ended = run(f"lab.benchmarks.{name}", str(tmp_path))
    assert ended.returncode == 2
    assert remedy in ended.stderr and "Traceback" not in ended.stderr
