"""The event of a page, as it is now: loaded once for each version, and changed by actions."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from kdscan.event.actions import Action
from kdscan.event.events import load, open_row, perform
from kdscan.event.log import AnyEntry, Author
from kdscan.event.model import Event
from kdscan.event.store import Store, schema

LOOK_EVERY = 0.5
"""Seconds between two looks at the version while somebody waits for another one."""


class Live:
    """An event that other programs may change as well."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        with store.write() as db:
            self.id = open_row(db, name).id
            self._event = load(db, self.id, write=True)
        self._lock = threading.Lock()

    def event(self) -> Event:
        """The event at its current version; raises `EventGone`."""
        with self._lock, self.store.read() as db:
            self._event = load(db, self.id, self._event)
            return self._event

    def perform(
        self, author: Author, *actions: Action, **more: int
    ) -> tuple[Event, list[AnyEntry]]:
        """Do something; see `kdscan.event.events.perform`."""
        with self._lock, self.store.write() as db:
            event, entries = perform(db, self._event, author, *actions, **more)
        with self._lock:
            if event.version > self._event.version:
                self._event = event
        return event, entries

    def version(self) -> int | None:
        """The current version; None if the event was deleted."""
        at = schema.event.c  # its number may be that of another by now
        with self.store.read() as db:
            known = at.id == self.id, at.name == self.name
            now: int | None = db.scalar(select(at.version).where(*known))
            return now


class News:
    """Wakes everybody who waits for another version; one task looks for all of them."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._changed = asyncio.Event()
        self._waiting = 0
        self._task: asyncio.Task[None] | None = None
        self.version: int | None = -1
        """The version at the last look; None if the event was deleted or cannot be read."""
        self._ending = False

    def end(self) -> None:
        """Answer everybody who waits."""
        self._ending = True
        self.wake()

    def wake(self) -> None:
        """Let everybody who waits look at once."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, is_due: Callable[[], bool], seconds: float) -> bool:
        """Return True when something is due, which is asked with every new version; False after
        that many seconds."""
        ends = time.monotonic() + seconds
        self._waiting += 1
        try:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._look())
            while not self._ending:
                changed = self._changed
                if is_due():
                    return True
                try:
                    await asyncio.wait_for(changed.wait(), ends - time.monotonic())
                except TimeoutError:
                    break
            return False
        finally:
            self._waiting -= 1

    async def _look(self) -> None:
        while self._waiting and not self._ending:
            try:
                now = await run_in_threadpool(self._live.version)
            except Exception:  # who waits meets it as well
                now = None
            if now != self.version:
                self.version = now
                self.wake()
            await asyncio.sleep(LOOK_EVERY)
