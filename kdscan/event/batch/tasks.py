"""A worker's tasks: ingest a file, read one page of it, or learn prints.

Tasks and their results are frozen records that are sent between processes and machines. A task has
a `weight`, its time limit relative to that of a photo, and a result even if it has `failed`, which
means that it killed its worker. Errors of a photo are part of a result; errors that prevent every
photo from being read (models, a full disk) are raised.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Self

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import (
    KdscanError,
    ModelError,
    PhotoError,
    StoreError,
    UnreadableImage,
    bug_of,
)
from kdscan.event.pile import Pile, teach
from kdscan.event.store.files import PhotoFiles, is_url, load_prints, open_place, suffix_of
from kdscan.files import Json
from kdscan.i18n.errors import error_json
from kdscan.imaging.formats import check_bytes
from kdscan.imaging.photo import Pages, decode, read_bytes
from kdscan.reader import read_page
from kdscan.rules import GameName
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.sheets.base import serialize
from kdscan.sheets.common import ReadOptions
from kdscan.workers.frames import Frame


class TaskResult:
    """The result of a task; a worker of this machine sends it as a frame."""

    def to_frame(self) -> Frame:
        return Frame(vars(self))

    @classmethod
    def from_frame(cls, frame: Frame) -> Self:
        return cls(**frame.header)


@dataclass(frozen=True)
class Ingested(TaskResult):
    """The result of an `Ingest`. sha256 is None if no byte of the file could be read.

    problem: the photo's error, as `kdscan.i18n.errors` stores it.
    """

    sha256: str | None = None
    suffix: str = ""
    size: int = 0
    pages: int | None = None
    problem: Json | None = None


@dataclass(frozen=True)
class Done(TaskResult):
    """A page that was read: its entry in the JSON, and the values for `reading.kept`."""

    entry: Mapping[str, Any]
    kept: list[Json | None]
    seconds: float


@dataclass(frozen=True)
class Learned(TaskResult):
    """Files of the prints that a pile taught; usually none."""

    prints: tuple[bytes, ...] = ()

    def to_frame(self) -> Frame:
        return Frame({}, self.prints)

    @classmethod
    def from_frame(cls, frame: Frame) -> Self:
        return cls(frame.blobs)


@dataclass(frozen=True)
class Ingest:
    """Store the file at `place` (a path or URL) among the photos at `photos`, and count its
    pages."""

    name: str
    place: str
    photos: str

    weight = 1.0
    result = Ingested

    def perform(self) -> Ingested:
        """Store a file's bytes before anything examines them."""
        suffix = suffix_of(self.name)
        try:
            data = fetch(self.place)
        except PhotoError as error:
            return Ingested(problem=error_json(error))
        sha256 = PhotoFiles(self.photos).put(data, suffix)
        pages = problem = None
        try:
            pages = len(decode(data, self.name))
        except Exception as cause:
            problem = error_json(cause if isinstance(cause, PhotoError) else bug_of(cause))
        return Ingested(sha256, suffix, len(data), pages, problem)

    def failed(self, error: KdscanError) -> Ingested:
        return Ingested(suffix=suffix_of(self.name), problem=error_json(error))


@dataclass(frozen=True)
class Read:
    """Read a page of a stored photo with that version of the models. key: for the caller.

    game, variants: as for `kdscan.read_photo`. prints: SHA-256 of the known prints' files, which
    are stored among the photos.
    """

    photos: str
    sha256: str
    suffix: str
    page: int
    models: str
    key: int = 0
    game: GameName | None = None
    variants: Variants = PLAIN
    prints: tuple[str, ...] = ()

    weight = 1.0
    result = Done

    def perform(self) -> Done:
        """Read a page: sheets or an error, never an exception caused by the photo."""
        from kdscan.inference.store import default_models

        if default_models().version != self.models:
            raise ModelError(
                "a worker has different models than this program; install the same version of "
                "kdscan everywhere"
            )
        start = time.perf_counter()
        try:
            pages = _opened(self.photos, self.sha256, self.suffix)
            prints = load_prints(self.photos, self.prints, _say)
            options = ReadOptions(game=self.game, variants=self.variants, prints=prints)
            report, _ = read_page(pages, self.page, options)
        except PhotoError as error:
            report = PhotoReport("", self.page, error=error)
        kept: list[Json | None] = [serialize(sheet) for sheet in report.sheets]
        seconds = time.perf_counter() - start
        return Done(photo_json(report), kept, round(seconds, 4))

    def failed(self, error: KdscanError) -> Done:
        return Done(photo_json(PhotoReport("", self.page, error=error)), [], 0.0)


@dataclass(frozen=True)
class Learn:
    """Learn the prints that sheets of stored photos share; see `kdscan.event.prints`."""

    photos: str
    pile: Pile
    prints: tuple[str, ...]

    result = Learned

    @property
    def weight(self) -> float:
        return len(self.pile)

    def perform(self) -> Learned:
        """Learn what a pile teaches; a bug in that costs only the print."""
        try:
            return Learned(teach(self.photos, self.pile, self.prints))
        except (ModelError, StoreError):
            raise
        except Exception as cause:
            _say(bug_of(cause))
            return Learned()

    def failed(self, error: KdscanError) -> Learned:
        return Learned()


Task = Ingest | Read | Learn


def perform(task: Task) -> TaskResult:
    """Perform a task; raises ModelError and StoreError, which stop the whole run."""
    prepare()
    return task.perform()


def answer(task: Task) -> Iterator[Frame]:
    """A task's answer from a worker of this machine, see `kdscan.workers.serve`."""
    yield perform(task).to_frame()


@cache
def prepare() -> None:
    """Called once in a process: a single thread, because there is one process per core."""
    import cv2

    cv2.setNumThreads(1)


def fetch(place: str) -> bytes:
    """The bytes at a path or URL; raise `PhotoError`."""
    if not is_url(place):
        return read_bytes(Path(place))
    try:
        with open_place(place) as source:
            size = getattr(source, "size", None)
            check_bytes(size or 0)
            data: bytes = source.read()
    except FileNotFoundError as error:
        raise UnreadableImage("there is no such file; check the address") from error
    except OSError as error:
        raise UnreadableImage(
            "the file could not be fetched: {why}", why=error.strerror or error
        ) from error
    check_bytes(len(data))
    return data


def _say(error: KdscanError) -> None:
    print(f"kdscan: {error}", file=sys.stderr)


@lru_cache(maxsize=1)
def _opened(photos: str, sha256: str, suffix: str) -> Pages:
    """Cached, because the next page of the last file is likely to be requested."""
    return decode(PhotoFiles(photos).get(sha256, suffix))
