"""What the page's workers do besides reading: decode, draw and learn, any of which may crash them;
and the pictures that they draw, cached beside the store, and made again when missing.

Tasks are as `kdscan.workers.pool` describes them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import Literal

from kdscan.detection.preview import camera_hint
from kdscan.errors import PhotoError, ReaderDied
from kdscan.event.jobs import Workers
from kdscan.event.store import Store
from kdscan.event.store.files import MODE, is_url
from kdscan.event.store.schema import PhotoRow
from kdscan.event.tasks import Read, draw_pictures, stored_pages
from kdscan.files import default_folder, replacing
from kdscan.i18n.errors import ErrorJson, error_json
from kdscan.imaging.formats import png
from kdscan.imaging.photo import decode
from kdscan.inference.store import default_models
from kdscan.paper.book import load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import render_page
from kdscan.reader import read_page
from kdscan.sheets.spellbook.read import draw_blanks
from kdscan.templates.learn import MAX_SHEETS, learn_template
from kdscan.templates.library import to_stored
from kdscan.web import schemas
from kdscan.workers.pool import cores

log = logging.getLogger("kdscan.web")

DRAWN_PX_PER_MM = 5.0
"""Resolution of the map that is read before any photo: as large as one in a photo."""

LEARNING = 4
"""Time limit of learning from a file, relative to reading it; each further file adds one
reading."""


# Tasks


@dataclass(frozen=True)
class Show:
    """Make the pictures of a page of a stored photo, see `draw_pictures`."""

    photos: str
    sha256: str
    suffix: str
    page: int

    weight = 1.0

    def perform(self) -> list[bytes]:
        """Draw them; none if the page cannot be decoded."""
        try:
            return draw_pictures(stored_pages(self.photos, self.sha256, self.suffix)[self.page])
        except PhotoError:
            return []


@dataclass(frozen=True)
class Look:
    """Locate a map in a camera's live picture."""

    data: bytes

    weight = 1.0

    def perform(self) -> schemas.Look:
        """What the picture shows; corners as fractions of its width and height."""
        try:
            photo = decode(self.data)[0]
        except PhotoError:
            return {"hint": "none", "outline": None}
        preview = camera_hint(photo, default_models().locate)
        corners = preview.outline_xy
        size = (photo.width, photo.height)
        outline = None if corners is None else (corners / size).round(4).tolist()
        return {"hint": preview.hint, "outline": outline}


@dataclass(frozen=True)
class LearnPrint:
    """Learn a print with that name from photos of sheets: what reads each file, and its name.
    unmarked: nobody has drawn on them."""

    name: str
    files: Sequence[tuple[Callable[[], bytes], str]]
    unmarked: bool = False

    @property
    def weight(self) -> float:
        return LEARNING + len(self.files) - 1

    def perform(self) -> tuple[bytes, list[ErrorJson]]:
        """The print's file, and what to check, like photos that were not used; raises what is wrong
        with the photos."""
        warnings: list[ErrorJson] = []
        opened = [decode(read(), name) for read, name in self.files]
        photos = [photo for pages in opened for photo in islice(pages, MAX_SHEETS)]
        learned = learn_template(
            photos,
            self.name,
            unmarked=self.unmarked,
            warn=lambda error: warnings.append(error_json(error)),
        )
        return to_stored(learned).data, warnings


# Their pictures, cached

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


def prepare() -> None:
    """Load the models, read a rendered map and render the blank spellbook pages. Otherwise the
    first photo would take half as long again on each worker."""
    import numpy.ma  # noqa: F401  numpy's median imports it when it is first used

    models = default_models()
    models.preload(threads=min(2, cores()))  # somebody waits, mostly for one photo
    _ = models.version, models.spellbook, models.struck_by, models.tiles, models.squares
    drawn = png(render_page(load_layout("kdscan-a5"), DRAWN_PX_PER_MM))
    read_page(decode(drawn, "a drawn map"), 0)
    draw_blanks(load_book("kdscan-a5-spellbook"))
