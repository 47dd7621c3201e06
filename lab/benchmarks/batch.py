"""Measures batches: cores, load. The photos are copies of the samples that differ in content.

    python -m lab.benchmarks.batch scaling --photos 40     one worker against several
    python -m lab.benchmarks.batch load --photos 10000     memory of all processes, as it goes
    python -m lab.benchmarks.batch books --photos 10000    the same without reading: the books alone

Every run is a separate `kdscan batch` into a new store in a temporary folder; `books` runs in this
process and gives every page the sheet of the first sample. Killed batches: `hold.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lab.benchmarks.shared import SAMPLES, parser, positive


def make_photos(folder: Path, count: int) -> None:
    """Write `count` JPEGs with different bytes: each has a comment (ITU T.81, B.2.4.5) after its
    start."""
    folder.mkdir(parents=True)
    samples = [path.read_bytes() for path in SAMPLES]
    for n in range(count):
        data, comment = samples[n % len(samples)], b"%08d" % n
        head = data[:2] + b"\xff\xfe" + (2 + len(comment)).to_bytes(2, "big") + comment
        (folder / f"{n:06d}.jpg").write_bytes(head + data[2:])


def command(photos: Path, store: Path, workers: int) -> list[str]:
    """The command that reads these photos into that store."""
    words = [sys.executable, "-m", "kdscan", "batch", str(photos), "--event", "load"]
    return [*words, "--store", str(store), "--workers", str(workers)]


def run(words: list[str]) -> float:
    """Run a command and return its seconds."""
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def scaling(photos: Path, folder: Path, count: int, workers: int) -> None:
    """Time one worker against several, and the start alone."""
    one_photo = folder / "one"
    make_photos(one_photo, 1)
    start = min(run(command(one_photo, folder / f"s{n}.sqlite", 1)) for n in range(2))
    for n in (1, workers):
        seconds = run(command(photos, folder / f"{time.time_ns()}.sqlite", n))
        rate = count / seconds
        print(f"{n} workers: {seconds:6.1f} s, {rate:5.2f} photos/s", flush=True)
    print(f"a run over one photo takes {start:.1f} s: that much of each is the start")


def load(photos: Path, folder: Path, count: int, workers: int) -> None:
    """Print the memory of every process during a long run."""
    store = folder / "load.sqlite"
    process = subprocess.Popen(
        command(photos, store, workers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    kept, start, shown = store.with_suffix(".photos"), time.perf_counter(), 0
    print("  photos  seconds   main MB   workers MB, each")
    while process.poll() is None:
        time.sleep(1)
        done = sum(1 for _ in kept.rglob("*.jpg"))
        if done >= shown:
            shown = done + max(1, min(count // 12, 100))
            print_memory(done, start, process.pid)
    print(f"exit code {process.returncode} after {time.perf_counter() - start:.0f} s")


def print_memory(done: int, start: float, pid: int) -> None:
    """Print one line: resident memory of a process and of its children."""
    sizes = " ".join(f"{megabytes(child):6.0f}" for child in children(pid))
    print(
        f"{done:8d} {time.perf_counter() - start:8.0f} {megabytes(pid):9.0f}   {sizes}", flush=True
    )


def megabytes(pid: int) -> float:
    """Resident memory of a process; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def children(pid: int) -> Iterator[int]:
    """Child processes of a process that use some memory."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from (int(child) for child in task.read_text("ascii").split())


def books(photos: Path, folder: Path, count: int) -> None:
    """Ingest every photo and store a reading of it, without reading."""
    from kdscan.event.batch.paths import sources
    from kdscan.event.batch.run import Progress, Run
    from kdscan.event.batch.tasks import Done, Ingest, Read, Task, TaskResult
    from kdscan.event.results import results
    from kdscan.event.store import open_store
    from kdscan.event.store.events import ensure_event
    from kdscan.event.store.files import PhotoFiles
    from kdscan.inference.store import default_models

    data = SAMPLES[0].read_bytes()
    sha256 = PhotoFiles(str(folder / "one")).put(data, ".jpg")
    models = default_models().version
    sample = Read(str(folder / "one"), sha256, ".jpg", 0, models).perform()

    class Here:
        """One worker, in this process."""

        waiting: list[Task]

        def __init__(self) -> None:
            self.waiting = []

        @property
        def room(self) -> int:
            return 4 - len(self.waiting)

        @property
        def busy(self) -> bool:
            return bool(self.waiting)

        def submit(self, task: Task) -> None:
            self.waiting.append(task)

        def results(self) -> list[tuple[Task, TaskResult]]:
            task = self.waiting.pop(0)
            if isinstance(task, Ingest):
                return [(task, task.perform())]
            return [(task, Done(sample.entry, sample.kept, sample.seconds))]

    start, shown = time.perf_counter(), 0

    def told(progress: Progress) -> None:
        nonlocal shown
        if progress.done >= shown:
            shown += max(1, count // 10)
            print_memory(progress.done, start, os.getpid())

    with open_store(str(folder / "books.sqlite")) as store:
        with store.write() as db:
            event = ensure_event(db, "load")
        Run(store, event, models).read(sources([str(photos)]), Here(), told)
        before = time.perf_counter()
        with store.read() as db:
            rows = sum(1 for _ in results(db, event.id))
        seconds = time.perf_counter() - before
        print(f"{rows} rows of results in {seconds:.1f} s, {megabytes(os.getpid()):.0f} MB")


def main() -> None:
    """Make the photos, measure, clean up."""
    options = parser(__doc__)
    options.add_argument("what", choices=("scaling", "load", "books"))
    options.add_argument("--photos", type=positive, default=40)
    options.add_argument("--workers", type=positive, default=2)
    args = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kdscan-batch-"))
    try:
        photos = folder / "photos"
        make_photos(photos, args.photos)
        if args.what == "scaling":
            scaling(photos, folder, args.photos, args.workers)
        elif args.what == "load":
            load(photos, folder, args.photos, args.workers)
        else:
            books(photos, folder, args.photos)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
