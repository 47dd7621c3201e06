"""Streams of training examples, rendered while the training runs.

The examples of a step depend on its number alone, so that a resumed run sees the same ones. They
come in blocks: each block is used for a few epochs in different orders while worker processes
render the next one.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

FILE_SIZE = 25
"""Examples in a file, about 5 MB; the files of a block are distributed among the processes."""

WORKERS = 2
"""Processes that render a set of examples in advance."""

NICENESS = 5
"""Niceness of rendering processes relative to the training."""


def _select(
    seed: int, count: int, views: int, showings: range, block_of: Callable[[int], Sequence[Any]]
) -> list[Any]:
    """Examples of the endless stream: every `count` examples are an epoch of a block, and every
    `views` epochs the next block begins."""
    found = []
    for showing in showings:
        turn, index = divmod(showing, count)
        block = block_of(turn // views)
        order = np.random.default_rng([seed, turn]).permutation(len(block))
        found.append(block[int(np.resize(order, count)[index])])
    return found


@dataclass(frozen=True, eq=False)
class FixedSupply:
    """A fixed set of examples, shuffled in each epoch."""

    all: Sequence[Any]
    seed: int = 0

    def examples(self, step: int, size: int) -> list[Any]:
        """The `size` examples of a step, counted from 0."""
        showings = range(step * size, (step + 1) * size)
        return _select(self.seed, len(self.all), 1, showings, lambda _: self.all)


@dataclass(eq=False)
class RenderedSupply:
    """Examples that worker processes render into a folder, one block ahead.

    draw: the example of a number, or None to skip it; pickled, called in worker processes after
    `start`. count: examples in a block. views: how often each is used. arrange: maps a block's
    examples to those that are used, for example with repetitions. first: the number of the first
    example. process: the training's, without which no examples come.
    """

    folder: Path
    draw: Callable[[int], Any]
    start: Callable[[], None]
    count: int
    views: int
    seed: int = 0
    arrange: Callable[[list[Any]], list[Any]] = list
    first: int = 0
    process: int = field(default_factory=os.getpid)
    _read: dict[int, list[Any]] = field(default_factory=dict)

    def block(self, showing: int) -> int:
        """The block of the example at position `showing` of the stream."""
        return showing // (self.count * self.views)

    def examples(self, step: int, size: int) -> list[Any]:
        """As of a `FixedSupply`, once they are rendered; raises RuntimeError if that fails."""
        showings = range(step * size, (step + 1) * size)
        return _select(self.seed, self.count, self.views, showings, self._whole)

    def forget_failures(self) -> None:
        """Remove the errors of an earlier training, before anybody waits for their examples."""
        for failed in self.folder.glob("*/*.failed"):
            failed.unlink()

    def parts(self, block: int) -> dict[Path, range]:
        """The files of a block and the numbers of their examples."""
        first = self.first + block * self.count
        return _parts(self.folder / f"{block:06d}", first, self.count)

    def _whole(self, block: int) -> list[Any]:
        if block not in self._read:
            for old in [b for b in self._read if b < block]:
                del self._read[old]
            drawn = [e for path in self.parts(block) for e in _wait_for(path, self.process)]
            self._read[block] = self.arrange(drawn)
        return self._read[block]


Supply = FixedSupply | RenderedSupply


def _parts(home: Path, first: int, count: int) -> dict[Path, range]:
    """The files of the examples first … first + count - 1, and the numbers in each."""
    end = first + count
    return {
        home / f"{k}.pickle": range(k, min(k + FILE_SIZE, end))
        for k in range(first, end, FILE_SIZE)
    }


def render(
    folder: Path, draw: Callable[[int], Any], first: int, count: int, start: Callable[[], None]
) -> list[Any]:
    """The examples first … first + count - 1, rendered into a folder. draw, start: as of a
    `RenderedSupply`. Existing files are kept, so an interrupted run resumes where it stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = _parts(folder, first, count)
    todo = {path: numbers for path, numbers in parts.items() if not path.exists()}
    own = multiprocessing.get_context("spawn")  # OpenCV's threads do not survive a fork
    with ProcessPoolExecutor(WORKERS, own, start) as pool:
        for _ in pool.map(_draw, todo, repeat(draw), todo.values()):
            pass
    return [example for path in parts for example in pickle.loads(path.read_bytes())]


def _wait_for(path: Path, process: int) -> list[Any]:
    while not path.exists():
        if process not in (os.getpid(), os.getppid()):
            raise RuntimeError("the training has ended")
        if (failed := path.with_suffix(".failed")).exists():
            raise RuntimeError(f"an example could not be rendered:\n{failed.read_text('utf-8')}")
        time.sleep(0.1)
    found: list[Any] = pickle.loads(path.read_bytes())
    return found


class RenderPool:
    """A context manager with low-priority processes that render for a `RenderedSupply`. showings:
    total number of examples used, beyond which nothing is rendered."""

    def __init__(self, drawn: RenderedSupply, showings: int, workers: int) -> None:
        self.drawn, self.next = drawn, 0
        self.last = drawn.block(showings - 1)
        own = multiprocessing.get_context("spawn")
        self.pool = ProcessPoolExecutor(workers, own, _start_worker, (drawn.start, os.getpid()))

    def __enter__(self) -> RenderPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def schedule(self, showing: int) -> None:
        """Render the missing files of the current block and the next, and remove blocks before the
        previous one."""
        block = self.drawn.block(showing)
        for number in range(max(self.next, block), min(block + 1, self.last) + 1):
            for path, numbers in self.drawn.parts(number).items():
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    done = self.pool.submit(_draw, path, self.drawn.draw, numbers)
                    done.add_done_callback(partial(_report_failure, path))
            self.next = number + 1
            for home in self.drawn.folder.glob("*"):
                if int(home.name) < block - 1:
                    shutil.rmtree(home)


def _start_worker(start: Callable[[], None], parent: int) -> None:
    """Initialise a worker: lower its priority, and exit when the training process ends."""
    os.nice(NICENESS)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    start()


def _draw(path: Path, draw: Callable[[int], Any], numbers: range) -> None:
    drawn = [e for number in numbers if (e := draw(number)) is not None]
    part = path.with_suffix(".part")
    part.write_bytes(pickle.dumps(drawn))
    part.replace(path)


def _report_failure(path: Path, done: Future[None]) -> None:
    """Write the error of a failed file beside it, for the process that waits for the file."""
    if not done.cancelled() and (error := done.exception()) is not None:
        why = "".join(traceback.format_exception(error))
        path.with_suffix(".failed").write_text(why, "utf-8")
