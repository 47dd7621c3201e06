"""Time of every stage of reading, beside a bare cv2.imread of the same file in the same run.

    python benchmarks/stages.py samples/*.jpg
    python benchmarks/stages.py --megapixels 12 samples/*.jpg    enlarged to 12 megapixels first

Medians over --rounds rounds in milliseconds, one core; the last line is the cold start
of the whole command, `kdscan score PHOTO`, a fresh process each time.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from kdscan.errors import NoSheetFound
from kdscan.imaging.photo import load_photos
from kdscan.kinds.common.options import ReadOptions
from kdscan.pipeline.read import read_with

Times = dict[str, list[float]]


@contextmanager
def clocked(times: Times, name: str) -> Iterator[None]:
    """Note the milliseconds that a stage takes."""
    began = time.perf_counter()
    yield
    times[name].append(1000 * (time.perf_counter() - began))


def one_round(path: Path, times: Times) -> None:
    """Each stage of one photo, with a bare imread first."""
    spent: Times = defaultdict(list)
    with clocked(spent, "cv2.imread"):
        cv2.imread(str(path))
    with clocked(spent, "photo"):
        photo = next(iter(load_photos(path)))
    try:
        read_with(photo, ReadOptions(observe=partial(clocked, spent)))
    except NoSheetFound:
        return
    for name, parts in spent.items():  # a stage may be gone through more than once
        times[name].append(sum(parts))


def enlarged(path: Path, megapixels: float, folder: Path) -> Path:
    """The photo resized to so many megapixels, as JPEG of quality 92."""
    bgr = next(iter(load_photos(path))).bgr
    k = np.sqrt(megapixels * 1e6 / (bgr.shape[0] * bgr.shape[1]))
    out = folder / f"{path.stem}.jpg"
    cv2.imwrite(
        str(out),
        cv2.resize(bgr, None, fx=k, fy=k, interpolation=cv2.INTER_CUBIC),
        [cv2.IMWRITE_JPEG_QUALITY, 92],
    )
    return out


def cold_start(path: Path, rounds: int, scratch: str) -> list[float]:
    """Seconds of the whole command in a fresh process, its modules compiled as an installed
    package's are."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = scratch
    spent = []
    for _ in range(rounds + 1):  # the first one compiles
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "kdscan", "score", str(path)],
            capture_output=True,
            check=True,
            env=env,
        )
        spent.append(time.perf_counter() - began)
    return spent[1:]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("photos", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megapixels", type=float)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as scratch:
        photos = [
            enlarged(p, args.megapixels, Path(scratch)) if args.megapixels else p
            for p in args.photos
        ]
        times: Times = defaultdict(list)
        one_round(photos[0], defaultdict(list))  # loads the models
        for _ in range(args.rounds):
            for photo in photos:
                one_round(photo, times)
        cold = cold_start(photos[0], args.rounds, scratch)
    base = statistics.median(times["cv2.imread"])
    total = 0.0
    print(f"{'stage':12s}{'ms':>9s}{'x imread':>10s}")
    for name, spent in times.items():
        middle = statistics.median(spent)
        total += middle if name != "cv2.imread" else 0
        print(f"{name:12s}{middle:9.1f}{middle / base:10.2f}")
    print(f"{'whole':12s}{total:9.1f}{total / base:10.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    print(f"cold start, first photo: {statistics.median(cold):.2f} s")


if __name__ == "__main__":
    main()
