"""The accuracy benchmark runs, and parts of the reader can be left out of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("without", [(), ("refining", "closer", "looks", "neighbours")])
def test_accuracy_is_measured_with_and_without_parts_of_the_reader(
    tmp_path: Path, without: tuple[str, ...]
) -> None:
    for suffix in (".jpg", ".json"):
        shutil.copy((ROOT / "samples" / "01.jpg").with_suffix(suffix), tmp_path)
    words = [sys.executable, "-m", "lab.benchmarks.accuracy", str(tmp_path)]
    for part in without:
        words += ["--without", part]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    (row,) = [line for line in ended.stdout.splitlines() if line.startswith("all ")]
    _, photos, found, *_ = row.split()
    assert photos == "1"
    assert (found == "100.00%") == ("refining" not in without)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("accuracy.py", "holds no photos NAME.jpg with their NAME.json"),
        ("tables.py", "holds no photos NAME.jpg with their NAME.json"),
        ("pads.py", "holds no pads"),
        ("stages_pictures.py", "there is no file"),
        ("kingdoms.py", "there is no such table of squares"),
    ],
)
def test_a_folder_without_what_is_measured_is_no_bug(
    name: str, remedy: str, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", f"lab.benchmarks.{Path(name).stem}", str(tmp_path)]
    ended = subprocess.run(
        words, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT
    )
    assert ended.returncode == 2
    assert remedy in ended.stderr and "Traceback" not in ended.stderr
