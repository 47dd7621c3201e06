"""Time of every stage of reading, compared with a bare cv2.imread of the same file in the same run.

    python -m lab.benchmarks.stages samples/*.jpg
    python -m lab.benchmarks.stages --megapixels 12 samples/*.jpg    enlarged to 12 megapixels first
    python -m lab.benchmarks.stages --check                          against stages.json; for nights
    python -m lab.benchmarks.stages --write                          a new stages.json

Medians over --rounds rounds, on one core. After the stages whole commands are timed, each in a
fresh process, alternating with one that only imports OpenCV and onnxruntime. Ratios between them
also hold on other machines and under load, times do not; --check fails if a ratio exceeds the
committed one by more than its margin.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import cv2
import numpy as np
import typer

from kdscan import reader
from kdscan.errors import NoSheetFound
from kdscan.reader import read_with
from kdscan.sheets.duel_map import read as map_read
from lab.benchmarks.shared import SAMPLES, enlarged, file_with_map, photo_in
from lab.synth.tool import run

COMMITTED = Path(__file__).with_suffix(".json")

IMREAD, WHOLE = "cv2.imread", "whole"

READING, COMMAND = 1.25, 1.4
"""Factor by which a ratio may grow before --check fails. In three runs on two cores that eight
other processes used too, readings were within 15% of runs with priority over all other work,
commands up to 32% above: they use a second core if there is one."""

CHECKED_MEGAPIXELS = 12.0

STAGES = (
    *((reader, name) for name in ("locate_all", "find_maps", "read_books", "read_kingdoms")),
    *((map_read, name) for name in ("detect_layout", "refine_crops", "covered", "read_code")),
    *((map_read, name) for name in ("decoded", "interpret")),
)
"""The modules and names of functions that are timed."""

Times = dict[str, list[float]]
Ratios = dict[str, float]


@contextmanager
def clocked(times: Times, name: str) -> Iterator[None]:
    """Note the milliseconds that a stage takes."""
    began = time.perf_counter()
    yield
    times[name].append(1000 * (time.perf_counter() - began))


@contextmanager
def clocked_stages(times: Times) -> Iterator[None]:
    """Note the milliseconds of the functions in `STAGES` while they are called from there."""
    with ExitStack() as patches:
        for module, name in STAGES:
            function = getattr(module, name)

            def timed(*given: Any, name: str = name, call: Any = function, **named: Any) -> Any:
                with clocked(times, name):
                    return call(*given, **named)

            patches.enter_context(patch.object(module, name, timed))
        yield


def one_round(path: Path) -> dict[str, float]:
    """Milliseconds of each stage of one photo, a bare imread first; {} if it shows no sheet."""
    spent: Times = defaultdict(list)
    with clocked(spent, IMREAD):
        cv2.imread(str(path))
    try:
        with clocked(spent, WHOLE):
            with clocked(spent, "photo"):
                photo = photo_in(path)
            with clocked_stages(spent):
                read_with(photo)
    except NoSheetFound:
        return {}
    return {name: sum(parts) for name, parts in spent.items()}  # some stages run twice


def measured(photos: Sequence[Path], rounds: int) -> dict[Path, Times]:
    """Milliseconds of each stage of each photo, round by round."""
    found: dict[Path, Times] = {photo: defaultdict(list) for photo in photos}
    one_round(photos[0])  # loads the models
    for _ in range(rounds):
        for photo in photos:
            for name, spent in one_round(photo).items():
                found[photo][name].append(spent)
    return {photo: times for photo, times in found.items() if times}


def written(path: Path, megapixels: float, folder: Path) -> Path:
    """A file with the photo resized to that many megapixels."""
    out = folder / f"{path.stem}.jpg"
    out.write_bytes(enlarged(photo_in(path).bgr, megapixels))
    return out


def cold(photo: Path, rounds: int, scratch: str) -> Times:
    """Milliseconds of whole commands in fresh processes, alternating with bare imports; modules are
    compiled, like those of an installed package."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPYCACHEPREFIX": scratch, "OMP_NUM_THREADS": "1"}
    commands = {
        "bare imports": ["-c", "import cv2, onnxruntime"],
        "score": ["-m", "kdscan", "score", str(photo)],
        "--help": ["-m", "kdscan", "--help"],
        "board --help": ["-m", "kdscan", "board", "--help"],
    }
    spent: Times = defaultdict(list)
    for _ in range(rounds + 1):  # the first one compiles
        for name, command in commands.items():
            with clocked(spent, name):
                subprocess.run([sys.executable, *command], capture_output=True, check=True, env=env)
    return {name: times[1:] for name, times in spent.items()}


def ratios_of(photos: dict[Path, Times], commands: Times) -> Ratios:
    """The committed ratios: the whole reading to imread, commands to bare imports."""
    whole = [
        statistics.median(w / i for w, i in zip(times[WHOLE], times[IMREAD], strict=True))
        for times in photos.values()
    ]
    bare = statistics.median(commands["bare imports"])
    found = {
        "whole, median of photos": float(np.quantile(whole, 0.5)),
        "whole, 95th percentile of photos": float(np.quantile(whole, 0.95)),
    }
    for name, spent in commands.items():
        if name != "bare imports":
            found[name] = statistics.median(spent) / bare
    return found


def compared(found: Ratios, committed: dict[str, dict[str, float]]) -> int:
    """Print each ratio beside the committed one; return the number of those that are too large."""
    slower = 0
    for name, ratio in found.items():
        known, margin = committed[name]["ratio"], committed[name]["margin"]
        too_large = ratio > known * margin
        slower += too_large
        print(f"{name:34s}{ratio:6.2f}{known:8.2f}{'  SLOWER' if too_large else ''}")
    return slower


def table(photos: dict[Path, Times], commands: Times) -> None:
    """Print stages and commands."""
    every: Times = defaultdict(list)
    for times in photos.values():
        for name, spent in times.items():
            every[name] += spent
    every[WHOLE] = every.pop(WHOLE)  # moved to the end
    base = statistics.median(every[IMREAD])
    print(f"{'stage':14s}{'ms':>9s}{'x imread':>10s}")
    for name, spent in every.items():
        middle = statistics.median(spent)
        print(f"{name:14s}{middle:9.1f}{middle / base:10.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    bare = statistics.median(commands["bare imports"])
    for name, spent in commands.items():
        middle = statistics.median(spent)
        print(f"{name:14s}{middle:9.1f}{middle / bare:10.2f}")


def main(
    photos: Annotated[list[Path] | None, typer.Argument(help="The samples by default.")] = None,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    megapixels: float = 0.0,
    check: bool = False,
    write: bool = False,
) -> None:
    """Print the table; with --check the ratios, and exit with 1 if something has become slower."""
    cv2.setNumThreads(1)
    megapixels = CHECKED_MEGAPIXELS if check or write else megapixels
    with tempfile.TemporaryDirectory() as scratch:
        paths = [file_with_map(path) for path in photos] if photos else SAMPLES
        commands = cold(paths[0], 2 * rounds + 1, scratch)
        if megapixels:
            paths = [written(path, megapixels, Path(scratch)) for path in paths]
        times = measured(paths, rounds)
    table(times, commands)
    found = ratios_of(times, commands)
    if write:
        kept = {
            name: {"ratio": round(r, 2), "margin": READING if WHOLE in name else COMMAND}
            for name, r in found.items()
        }
        COMMITTED.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    if check and compared(found, json.loads(COMMITTED.read_text("utf-8"))):
        raise typer.Exit(1)


if __name__ == "__main__":
    run(lambda: typer.run(main))
