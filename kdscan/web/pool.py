"""Workers that may die: each reads one file at a time, within its time, or is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from kdscan.errors import ModelError, ReaderDied
from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.game.names import GameName
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.tournament.pads import Pile
from kdscan.web.frames import Frame, FrameError, read_frame

START_SECONDS = 60.0

LEARNING = 4
"""So many times longer than reading a file may learning from it take, and as long for each more."""


@dataclass(frozen=True)
class Limits:
    """What one file may cost. seconds: for a whole file; memory_mb: address space."""

    seconds: float = 30.0
    pages: int = 20
    memory_mb: int = 4000
    risk: float = DEFAULT_RISK


@dataclass(frozen=True)
class Request:
    """A file for a worker. do: "read" it, "show": only make pictures of its pages, "look": only say
    where a map lies in a camera's live picture, "learn" the print called `name` from it and `more`
    files, or "teach": look what prints the sheets of `pile` teach.

    game, variants: see `kdscan.pipeline.read.read_photo`. photos, prints: where the photos lie, and
    SHA-256 of the known prints' files among them. unmarked: nobody has drawn on these sheets.
    """

    path: Path
    name: str
    do: Literal["read", "show", "look", "learn", "teach"] = "read"
    game: GameName | None = None
    variants: Variants = PLAIN
    photos: str = ""
    prints: tuple[str, ...] = ()
    more: tuple[Path, ...] = ()
    unmarked: bool = False
    pile: Pile = ()

    @property
    def times(self) -> int:
        """How many times longer than reading a file it may take."""
        if self.do == "teach":
            return max(1, len(self.pile))
        return LEARNING + len(self.more) if self.do == "learn" else 1


class Worker:
    """One child process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, limits: Limits) -> Worker:
        """Start one and wait until it has loaded its models; raises ModelError, ReaderDied."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "kdscan.web.worker", str(limits.memory_mb)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                ready = (await worker._frame()).header
        except BaseException:
            await worker.kill()
            raise
        if not ready.get("ready"):
            raise ModelError(str(ready.get("message", "a worker could not start")))
        return worker

    async def ask(self, what: Request, limits: Limits, threads: int) -> AsyncIterator[Frame]:
        """Two frames a page, see `kdscan.web.worker`.

        Raises ReaderDied; then this worker is of no more use.
        """
        request = {
            "do": what.do,
            "path": str(what.path),
            "name": what.name,
            "max_pages": limits.pages,
            "risk": limits.risk,
            "threads": threads,
            "game": what.game,
            "variants": asdict(what.variants),
            "photos": what.photos,
            "prints": what.prints,
            "more": [str(path) for path in what.more],
            "unmarked": what.unmarked,
            "pile": [asdict(sheet) for sheet in what.pile],
        }
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            await self.process.stdin.drain()
        except ConnectionError as error:
            raise ReaderDied("the process that reads photos ended; try again") from error
        ends = asyncio.get_running_loop().time() + limits.seconds * what.times
        while True:
            try:
                async with asyncio.timeout_at(ends):
                    frame = await self._frame()
            except TimeoutError as error:
                raise ReaderDied(
                    "the photo was not read within {seconds} seconds; save it smaller and send "
                    "it again",
                    seconds=round(limits.seconds),
                ) from error
            if "end" in frame.header:
                return
            yield frame

    async def _frame(self) -> Frame:
        assert self.process.stdout is not None
        try:
            return await read_frame(self.process.stdout)
        except (asyncio.IncompleteReadError, ConnectionError, FrameError) as error:
            raise ReaderDied(
                "reading this photo ended the process that did it; the photo is kept, try again"
            ) from error

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def kill(self) -> None:
        """End it now and wait until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        assert self.process.stdout is not None
        # Only at the end of its pipe is the transport closed. RuntimeError: somebody still waits
        # for a frame there, and reads on to the end.
        with contextlib.suppress(RuntimeError, ConnectionError):
            await self.process.stdout.read()


class Pool:
    """A fixed number of workers; `ask` waits for a free one and replaces what died."""

    def __init__(self, size: int, limits: Limits) -> None:
        self.size = size
        self.limits = limits
        self._free: asyncio.Queue[Worker | None] = asyncio.Queue()
        for _ in range(size):
            self._free.put_nowait(None)
        self._all: set[Worker] = set()

    async def start(self) -> None:
        """Start all workers, so that the first photo finds one; raises ModelError."""
        waiting = [self._free.get_nowait() for _ in range(self.size)]
        workers = await asyncio.gather(*(self._living(worker) for worker in waiting))
        for worker in workers:
            self._free.put_nowait(worker)

    async def ask(self, what: Request) -> AsyncIterator[Frame]:
        """Two frames a page of the file. Raises ReaderDied and ModelError."""
        worker = await self._free.get()
        finished = False
        busy = self.size - self._free.qsize()
        threads = max(1, (os.cpu_count() or 1) // busy)  # one alone may have all cores
        try:
            worker = await self._living(worker)
            async for frame in worker.ask(what, self.limits, threads):
                yield frame
            finished = True
        finally:
            # Also when whoever asked has gone: half an answer would reach the next one.
            if worker is not None and not finished:
                self._all.discard(worker)
                await worker.kill()
                worker = None
            self._free.put_nowait(worker)

    @property
    def busy(self) -> bool:
        """Whether every worker has something to do."""
        return self._free.empty()

    async def _living(self, worker: Worker | None) -> Worker:
        if worker is not None and worker.alive:
            return worker
        self._all.discard(worker) if worker else None
        new = await Worker.start(self.limits)
        self._all.add(new)
        return new

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers that live."""
        return [worker.process.pid for worker in self._all if worker.alive]

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(worker.kill() for worker in self._all))
        self._all.clear()
