"""Pictures of the photos for browsers: cached beside the store, and made again when missing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from starlette.concurrency import run_in_threadpool

from kdscan.errors import ReaderDied
from kdscan.event.store import Store
from kdscan.event.store.files import MODE, is_url
from kdscan.event.store.schema import PhotoRow
from kdscan.files.write import default_folder, replacing
from kdscan.web.pool import Pool
from kdscan.web.tasks import Read, Show

log = logging.getLogger("kdscan.web")

Size = Literal["view", "thumb"]
SIZES: tuple[Size, Size] = ("view", "thumb")
"""In the order in which a worker sends them."""


class PictureCache:
    """A cache of JPEGs by photo and page."""

    def __init__(self, store: Store, pool: Pool) -> None:
        self._store, self._pool = store, pool
        root = store.photos.root
        self._folder = default_folder() / "views" if is_url(root) else Path(root) / "views"
        self._coming: dict[str, asyncio.Event] = {}
        self._broken: set[tuple[str, int]] = set()
        """Pages that cannot be drawn, by their photo: they are not tried at each request."""

    @contextlib.contextmanager
    def coming(self, sha256: str) -> Iterator[None]:
        """While a photo is read: its pictures follow the reading, and requests wait for them."""
        done = self._coming[sha256] = asyncio.Event()
        try:
            yield
        finally:
            if self._coming.get(sha256) is done:  # else it is read again by now
                del self._coming[sha256]
            done.set()

    def path(self, sha256: str, page: int, size: Size) -> Path:
        return self._folder / sha256[:2] / f"{sha256}-{page}-{size}.jpg"

    def _ink(self, sha256: str, page: int, number: int) -> Path:
        return self._folder / sha256[:2] / f"{sha256}-{page}-ink{number}.png"

    def put(self, sha256: str, page: int, pictures: tuple[bytes, ...]) -> None:
        """Store the pictures that a worker made of a page; none if it could not be decoded.

        pictures: in the order of `SIZES`, then the ink of each sheet, empty if unknown.
        """
        paths = [self.path(sha256, page, size) for size in SIZES]
        paths += [self._ink(sha256, page, n) for n in range(len(pictures) - len(SIZES))]
        for path, data in zip(paths, pictures, strict=False):
            try:
                if not data:
                    path.unlink(missing_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path, MODE) as out:
                    out.write(data)
            except OSError as error:  # a full disk; they are made again when there is room
                log.error("a picture could not be kept: %s", error)

    async def get(self, photo: PhotoRow, page: int, size: Size) -> Path | None:
        """The picture's file; None if the page cannot be shown."""
        path = self.path(photo.sha256, page, size)
        if photo.sha256 in self._coming and not path.is_file():
            await self._coming[photo.sha256].wait()
        if not path.is_file() and (photo.sha256, page) not in self._broken:
            made = await self._make(photo, Show)
            if made is not None and page not in made:
                self._broken.add((photo.sha256, page))
        return path if path.is_file() else None

    async def ink(
        self, photo: PhotoRow, page: int, number: int, prints: tuple[str, ...]
    ) -> Path | None:
        """The file with the ink of a page's sheet; None if its print is not known.

        prints: see `kdscan.web.tasks.Read`.
        """
        path = self._ink(photo.sha256, page, number)
        if photo.sha256 in self._coming:
            await self._coming[photo.sha256].wait()
        if not path.is_file() and prints:
            read = partial(Read, name="", photos=self._store.photos.root, prints=prints)
            await self._make(photo, read)
        return path if path.is_file() else None

    async def _make(
        self, photo: PhotoRow, task_of: Callable[[Path], Read | Show]
    ) -> set[int] | None:
        """Make a photo's pictures again; returns of which pages, None if the worker died."""
        made: set[int] = set()
        try:
            async with local_file(self._store, photo) as file:
                async for frame in self._pool.ask(task_of(file)):
                    if "page" in frame.header:
                        self.put(photo.sha256, int(frame.header["page"]), frame.blobs)
                        made.add(int(frame.header["page"]))
        except ReaderDied:
            return None
        return made


@contextlib.asynccontextmanager
async def local_file(store: Store, photo: PhotoRow) -> AsyncIterator[Path]:
    """A photo's file on this machine: the stored file, or a temporary copy; raises `StoreError` if
    it is gone: a worker would die of that, one after the other at each request for a picture."""
    place = store.photos.place(photo.sha256, photo.suffix)
    if not is_url(place) and Path(place).is_file():
        yield Path(place)
        return
    data = await run_in_threadpool(store.photos.get, photo.sha256, photo.suffix)
    with tempfile.NamedTemporaryFile(suffix=photo.suffix) as file:
        file.write(data)
        file.flush()
        yield Path(file.name)
