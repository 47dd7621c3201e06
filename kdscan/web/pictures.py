"""Pictures of the photos for browsers: cached beside the store, and made again when missing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Literal

from kdscan.errors import ReaderDied
from kdscan.event.jobs import Workers
from kdscan.event.store import Store
from kdscan.event.store.files import MODE, is_url
from kdscan.event.store.schema import PhotoRow
from kdscan.event.tasks import Read
from kdscan.files import default_folder, replacing
from kdscan.web.tasks import Show

log = logging.getLogger("kdscan.web")

Size = Literal["view", "thumb"]


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
        inks = (f"ink{n}.png" for n in count())
        for name, data in zip(chain(("view.jpg", "thumb.jpg"), inks), pictures, strict=False):
            path = self._path(sha256, page, name)
            try:
                if not data:
                    path.unlink(missing_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(path, MODE) as out:
                    out.write(data)
            except OSError as error:  # a full disk; they are made again when there is room
                log.error("a picture could not be kept: %s", error)

    async def get(
        self, photo: PhotoRow, page: int, name: str, prints: tuple[str, ...] | None = None
    ) -> Path | None:
        """The file of a picture of a page: view.jpg, thumb.jpg, or ink0.png with the ink of its
        first sheet; None if it cannot be shown.

        prints: for ink, see `Read`; it is not made without any.
        """
        path, at = self._path(photo.sha256, page, name), (photo.sha256, page)
        if not path.is_file() and at not in self._broken and prints != ():
            where = (self._photos, photo.sha256, photo.suffix, page)
            try:
                if prints:
                    read = Read(*where, self._models, prints=prints, pictures=True)
                    pictures = (await asyncio.wrap_future(self._workers.submit(read))).pictures
                else:
                    pictures = await asyncio.wrap_future(self._workers.submit(Show(*where)))
            except ReaderDied:
                return None
            self.put(*at, pictures)
            if not pictures:
                self._broken.add(at)
        return path if path.is_file() else None

    def _path(self, sha256: str, page: int, name: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256}-{page}-{name}"
