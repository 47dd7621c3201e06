"""Examples for a training of any length: each is shown a few times and leaves.

Which examples a step shows follows from the step alone, so that a run that was broken off goes on
with what it would have seen. Examples stand in blocks; a block is gone through a few times, in
another order each time, while processes beside the training draw the next one.
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
from pathlib import Path
from typing import Any, Protocol

import numpy as np

PART = 25
"""Examples in a file, some 5 MB; processes share the files of a block."""

POLITE = 5
"""How much lower than the training's the priority of drawing is (see `os.nice`)."""


class Supply(Protocol):
    """What training asks for examples."""

    def examples(self, step: int, size: int) -> list[Any]:
        """The `size` examples of a step, counted from 0; may wait for them."""
        ...


def _shown(
    seed: int, count: int, views: int, showings: range, block_of: Callable[[int], Sequence[Any]]
) -> list[Any]:
    """Examples of an endless row: each turn shows `count` of a block, after `views` turns comes the
    next block."""
    found = []
    for showing in showings:
        turn, index = divmod(showing, count)
        block = block_of(turn // views)
        order = np.random.default_rng([seed, turn]).permutation(len(block))
        found.append(block[int(np.resize(order, count)[index])])
    return found


@dataclass(frozen=True, eq=False)
class Given:
    """The same examples again and again, in another order each time."""

    all: Sequence[Any]
    seed: int = 0

    def examples(self, step: int, size: int) -> list[Any]:
        """See `Supply`."""
        showings = range(step * size, (step + 1) * size)
        return _shown(self.seed, len(self.all), 1, showings, lambda _: self.all)


@dataclass(frozen=True)
class Drawing:
    """How the examples of a run are drawn.

    draw: the example of a number, or None where it came to nothing; pickled, called in other
        processes after `start`. count: examples in a block. views: how often each is shown.
    """

    draw: Callable[[int], Any]
    start: Callable[[], None]
    count: int
    views: int


@dataclass(eq=False)
class Drawn:
    """Examples that processes of their own draw into a folder, two blocks of them at a time.

    arrange: makes of a block's examples those that are shown, some more than once perhaps.
    """

    folder: Path
    drawing: Drawing
    seed: int = 0
    arrange: Callable[[list[Any]], list[Any]] = list
    _read: dict[int, list[Any]] = field(default_factory=dict)

    def block(self, showing: int) -> int:
        """The block of the example that is shown after so many others."""
        return showing // (self.drawing.count * self.drawing.views)

    def examples(self, step: int, size: int) -> list[Any]:
        """See `Supply`; raises RuntimeError when drawing fails."""
        showings = range(step * size, (step + 1) * size)
        return _shown(self.seed, self.drawing.count, self.drawing.views, showings, self._whole)

    def parts(self, block: int) -> dict[Path, range]:
        """The files of a block and the numbers of their examples."""
        first, end = block * self.drawing.count, (block + 1) * self.drawing.count
        home = self.folder / f"{block:06d}"
        return {home / f"{k}.pickle": range(k, min(k + PART, end)) for k in range(first, end, PART)}

    def _whole(self, block: int) -> list[Any]:
        if block not in self._read:
            for old in [b for b in self._read if b < block]:
                del self._read[old]
            drawn = [e for path in self.parts(block) for e in _wait_for(path)]
            self._read[block] = self.arrange(drawn)
        return self._read[block]


def _wait_for(path: Path) -> list[Any]:
    parent = os.getppid()
    while not path.exists():
        if os.getppid() != parent:
            raise RuntimeError("the training has ended")
        if (failed := path.with_suffix(".failed")).exists():
            raise RuntimeError(f"an example could not be drawn:\n{failed.read_text('utf-8')}")
        time.sleep(0.1)
    found: list[Any] = pickle.loads(path.read_bytes())
    return found


class Painters:
    """The processes that draw for a `Drawn`, at low priority; use as a context.

    showings: how many examples are shown in all, so that none is drawn for nothing.
    """

    def __init__(self, drawn: Drawn, showings: int, workers: int) -> None:
        self.drawn, self.next = drawn, 0
        self.last = drawn.block(showings - 1)
        own = multiprocessing.get_context("spawn")
        self.pool = ProcessPoolExecutor(workers, own, _begin, (drawn.drawing.start, os.getpid()))

    def __enter__(self) -> Painters:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)

    def keep_up(self, showing: int) -> None:
        """Have the block of what is shown now and the next one drawn, as far as their files are not
        there, and remove those of before the last one."""
        block = self.drawn.block(showing)
        for number in range(max(self.next, block), min(block + 1, self.last) + 1):
            for path, numbers in self.drawn.parts(number).items():
                path.with_suffix(".failed").unlink(missing_ok=True)
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    done = self.pool.submit(_draw, path, self.drawn.drawing.draw, numbers)
                    done.add_done_callback(partial(_note, path))
            self.next = number + 1
            for home in self.drawn.folder.glob("*"):
                if int(home.name) < block - 1:
                    shutil.rmtree(home)


def _begin(start: Callable[[], None], parent: int) -> None:
    """In a new process: step back, and end when the training does, however it ends."""
    os.nice(POLITE)

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


def _note(path: Path, done: Future[None]) -> None:
    """Tell whoever waits for a file that it will not come."""
    if not done.cancelled() and (error := done.exception()) is not None:
        why = "".join(traceback.format_exception(error))
        path.with_suffix(".failed").write_text(why, "utf-8")
