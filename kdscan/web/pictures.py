"""Pictures of the photos for browsers: cached beside the store, and made again when missing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kdscan.errors import ReaderDied
from kdscan.event.jobs import Workers
from kdscan.event.store import Store
from kdscan.event.store.files import MODE, is_url
from kdscan.event.store.schema import PhotoRow
from kdscan.event.tasks import Read
from kdscan.files.write import default_folder, replacing
from kdscan.web.tasks import Show

log = logging.getLogger("kdscan.web")

Size = Literal["view", "thumb"]
SIZES: tuple[Size, Size] = ("view", "thumb")
"""In the order in which a worker draws them."""


class PictureCache:
    """A cache of JPEGs by photo and page. models: version of the models."""

    def __init__(self, store: Store, workers: Workers, models: str) -> None:
        self._photos, self._workers, self._models = store.photos.root, workers, models
        self._folder = Path(default_folder() if is_url(self._photos) else self._photos) / "views"
        self._broken: set[tuple[str, int]] = set()
        """Pages that cannot be drawn, by their photo: they are not tried at each request."""

    def put(self, sha256: str, page: int, pictures: Sequence[bytes]) -> None:
        """Store the pictures that a worker made of a page, see `draw_pictures`; none if it could
        not be decoded."""
        paths = [self._path(sha256, page, size) for size in SIZES]
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
        path, at = self._path(photo.sha256, page, size), (photo.sha256, page)
        if not path.is_file() and at not in self._broken:
            try:
                show = Show(self._photos, photo.sha256, photo.suffix, page)
                pictures = await asyncio.wrap_future(self._workers.submit(show))
            except ReaderDied:
                return None
            self.put(*at, pictures)
            if not pictures:
                self._broken.add(at)
        return path if path.is_file() else None

    async def ink(
        self, photo: PhotoRow, page: int, number: int, prints: tuple[str, ...]
    ) -> Path | None:
        """The file with the ink of a page's sheet; None if its print is not known. prints: see
        `Read`."""
        path = self._ink(photo.sha256, page, number)
        if not path.is_file() and prints:
            where = (self._photos, photo.sha256, photo.suffix, page, self._models)
            read = Read(*where, prints=prints, pictures=True)
            try:
                self.put(
                    *(photo.sha256, page),
                    (await asyncio.wrap_future(self._workers.submit(read))).pictures,
                )
            except ReaderDied:
                return None
        return path if path.is_file() else None

    def _path(self, sha256: str, page: int, size: Size) -> Path:
        return self._folder / sha256[:2] / f"{sha256}-{page}-{size}.jpg"

    def _ink(self, sha256: str, page: int, number: int) -> Path:
        return self._folder / sha256[:2] / f"{sha256}-{page}-ink{number}.png"
