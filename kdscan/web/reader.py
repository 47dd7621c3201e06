"""Reads waiting photos one after another through the pool; a restart resumes where it stopped.

Senders take turns: whoever sends one photo does not wait for a hundred photos of another.

When all are read, prints may be learned from sheets of unknown pads (`kdscan.event.prints`);
then the photos that may show such sheets are read again.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from kdscan.errors import KdscanError, StoreError, bug_of
from kdscan.event.batch.tasks import Learn
from kdscan.event.prints import Tried, not_tried, reading_version
from kdscan.event.rules import Rules
from kdscan.event.store import Store
from kdscan.event.store.photos import add_reading, set_pages
from kdscan.event.store.schema import PhotoRow
from kdscan.files import Json
from kdscan.i18n.errors import error_json
from kdscan.web.live import Live
from kdscan.web.pictures import PictureCache, local_file
from kdscan.web.pool import Pool
from kdscan.web.prints import Prints
from kdscan.web.tasks import Read
from kdscan.web.uploads import left_behind, to_read
from kdscan.workers.frames import Frame

log = logging.getLogger("kdscan.web")


AGAIN_SECONDS = 5.0
"""Delay before a photo is tried again whose result could not be stored."""


@dataclass(frozen=True, eq=False)
class _Job:
    """A photo to read. While the pictures of one are made, the same photo may be enqueued again.

    turn: its place among those of all senders, the lowest first; number: in the order of arrival.
    """

    photo: int
    sender: str
    turn: int
    number: int

    def __lt__(self, other: _Job) -> bool:
        return (self.turn, self.number) < (other.turn, other.number)


class Reader:
    """Reads what is enqueued and notifies those who wait for it."""

    def __init__(
        self,
        store: Store,
        live: Live,
        pool: Pool,
        pictures: PictureCache,
        models: str,
        prints: Prints,
    ) -> None:
        self._store, self._live = store, live
        self._pool, self._pictures = pool, pictures
        self._models, self._prints = models, prints
        self._queue: asyncio.PriorityQueue[_Job] = asyncio.PriorityQueue()
        self._queued: dict[int, _Job] = {}
        self._turn, self._numbers = 0, itertools.count()
        self._done, self._ending = asyncio.Event(), False
        self._tasks: list[asyncio.Task[None]] = []
        self._teaching: asyncio.Task[None] | None = None
        self._news = False
        self._tried: Tried = set()

    async def start(self) -> None:
        """Enqueue photos left unread by the last run, and start."""
        self.enqueue(*await run_in_threadpool(left_behind, self._store, self._live.id))
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._pool.size)]

    async def close(self) -> None:
        tasks = [*self._tasks, *([self._teaching] if self._teaching else ())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def enqueue(self, *photo_ids: int, sender: str = "") -> None:
        """Enqueue photos, after this sender's others and at most one of each other sender; each
        only once, however often it is requested."""
        own = (job.turn for job in self._queued.values() if job.sender == sender)
        turn = max(own, default=self._turn)
        for photo_id in photo_ids:
            if photo_id not in self._queued:
                turn += 1
                job = self._queued[photo_id] = _Job(photo_id, sender, turn, next(self._numbers))
                self._queue.put_nowait(job)

    @property
    def length(self) -> int:
        """Number of photos that wait or are being read."""
        return len(self._queued)

    async def wait(self, photo_id: int, seconds: float) -> None:
        """Return when the photo has been read, or after that many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while photo_id in self._queued and not self._ending:
                    await self._done.wait()

    def end(self) -> None:
        """Release everybody who waits for a photo, whether it was read or not."""
        self._ending = True
        self._done.set()

    async def _work(self) -> None:
        while True:
            job = await self._queue.get()
            self._turn = max(self._turn, job.turn)
            try:
                await self._read(job)
            except StoreError as error:
                # A full disk or an unreachable server: the photo is kept, and read when possible.
                log.error("photo %s waits: %s", job.photo, error)
                self._queue_later(job)
                continue
            except Exception:
                # Whatever went wrong, the next photo is read; this one waits for the next start.
                log.exception("photo %s could not be read", job.photo)
            self._notify(job)
            self.look_for_pads()

    def look_for_pads(self, *, afresh: bool = False) -> None:
        """Once nothing waits to be read, check in the background whether prints can be learned from
        sheets of unknown ones.

        afresh: including sheets from which nothing was learned before.
        """
        self._news = True
        if afresh:
            self._tried.clear()
        if self._teaching is None or self._teaching.done():
            self._teaching = asyncio.create_task(self._look_for_pads())

    async def _look_for_pads(self) -> None:
        try:
            while self._news and not self._queued:
                self._news = False
                self.enqueue(*await self._taught())
        except KdscanError as error:
            log.warning("no pad was learned: %s", error)
        except Exception:
            log.exception("no pad was learned")

    async def _taught(self) -> list[int]:
        """The photos to read again because a print was learned; none if no print was."""
        known = await run_in_threadpool(self._prints.hashes)
        for pile in not_tried(await run_in_threadpool(self._prints.piles), known, self._tried):
            task = Learn(self._store.photos.root, pile, known)
            files = [data async for frame in self._pool.ask(task) for data in frame.blobs]
            if files:
                return await run_in_threadpool(self._prints.taught, files)
        return []

    def _waits(self, job: _Job) -> bool:
        """Whether the photo has yet to be read; not if only its pictures are missing."""
        return self._queued.get(job.photo) is job

    def _queue_later(self, job: _Job) -> None:
        if self._waits(job):
            loop = asyncio.get_running_loop()
            loop.call_later(AGAIN_SECONDS, self._queue.put_nowait, job)

    def _notify(self, job: _Job) -> None:
        """Notify those who wait for a photo."""
        if self._waits(job):
            del self._queued[job.photo]
            self._done.set()
            self._done = asyncio.Event()

    async def _read(self, job: _Job) -> None:
        known = await run_in_threadpool(to_read, self._store, job.photo)
        if known is None:
            return
        photo, name = known
        with self._pictures.coming(photo.sha256):
            try:
                rules = (await run_in_threadpool(self._live.event)).rules
                await self._ask(job, photo, name, rules)
                return
            except StoreError:
                raise
            except KdscanError as error:
                failure = error
            except Exception as cause:
                log.exception("photo %s could not be read", job.photo)
                failure = bug_of(cause)
            if self._waits(job):
                await run_in_threadpool(self._failed, photo, error_json(failure))

    async def _ask(self, job: _Job, photo: PhotoRow, name: str, rules: Rules) -> None:
        """Have a worker read it; store each page of its answer when all are complete."""
        frames: list[tuple[Frame, float]] = []
        since = time.monotonic()
        # An event of Duel may have a kingdom photographed too; the kind is detected.
        game = None if rules.game == "duel" else rules.game
        async with local_file(self._store, photo) as path:
            prints = await run_in_threadpool(self._prints.hashes)
            task = Read(path, name, game, rules.variants, self._store.photos.root, prints)
            async for frame in self._pool.ask(task):
                if "report" in frame.header:
                    frames.append((frame, time.monotonic() - since))
                    if len(frames) == frame.header["pages"]:
                        await run_in_threadpool(self._finished, photo, frames, rules, prints)
                        self._notify(job)
                else:
                    page = int(frame.header["page"])
                    await run_in_threadpool(self._pictures.put, photo.sha256, page, frame.blobs)
                since = time.monotonic()

    def _failed(self, photo: PhotoRow, error: Json) -> None:
        with self._store.write() as db:
            set_pages(db, photo, None, error)

    def _finished(
        self,
        photo: PhotoRow,
        frames: list[tuple[Frame, float]],
        rules: Rules,
        prints: tuple[str, ...],
    ) -> None:
        """Store all pages in one transaction: a photo is read completely or not at all."""
        first = frames[0][0].header["report"]
        if first["width"] is None and len(frames) == 1 and first["error"]:
            self._failed(photo, first["error"])
            return
        with self._store.write() as db:
            for frame, seconds in frames:
                entry, kept = frame.header["report"], frame.header["kept"]
                page, models = int(entry["page"]), reading_version(rules.name(self._models), prints)
                add_reading(db, photo, page, models, entry, kept, seconds)
            set_pages(db, photo, len(frames))
