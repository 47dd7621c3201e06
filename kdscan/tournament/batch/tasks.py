"""A worker's tasks: ingest a file, read one page of it, or learn prints.

Tasks and their results are frozen records that are sent between processes and machines. Errors of a
photo are part of a result; errors that prevent every photo from being read (models, a full disk)
are raised.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kdscan.errors import (
    KdscanError,
    ModelError,
    PhotoError,
    StoreError,
    UnreadableImage,
    bug_of,
)
from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.game.names import GameName
from kdscan.imaging.photo import Pages, check_bytes, decode, read_bytes
from kdscan.kinds.common.options import ReadOptions
from kdscan.locale.errors import error_json
from kdscan.pipeline.document import PhotoReport, photo_json
from kdscan.pipeline.pages import read_page
from kdscan.pipeline.serialize import serialize
from kdscan.records.results import Json
from kdscan.tournament.pile import Pile, teach
from kdscan.tournament.store.files import PhotoFiles, is_url, open_place, suffix_of
from kdscan.tournament.store.print_files import load_prints
from kdscan.workers.frames import Frame


@dataclass(frozen=True)
class Ingest:
    """Store the file at `place` (a path or URL) among the photos at `photos`, and count its
    pages."""

    name: str
    place: str
    photos: str


@dataclass(frozen=True)
class Ingested:
    """The result of an `Ingest`. sha256 is None if no byte of the file could be read.

    problem: the photo's error, as `kdscan.locale.errors` stores it.
    """

    sha256: str | None = None
    suffix: str = ""
    size: int = 0
    pages: int | None = None
    problem: Json | None = None


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


@dataclass(frozen=True)
class Done:
    """A page that was read: its entry in the JSON, and the values for `reading.kept`."""

    entry: Mapping[str, Any]
    kept: list[Json | None]
    seconds: float


@dataclass(frozen=True)
class Learn:
    """Learn the prints that sheets of stored photos share; see `kdscan.tournament.pads`."""

    photos: str
    pile: Pile
    prints: tuple[str, ...]


@dataclass(frozen=True)
class Learned:
    """Files of the prints that a pile taught; usually none."""

    prints: tuple[bytes, ...] = ()


Task = Ingest | Read | Learn
TaskResult = Ingested | Done | Learned


def perform(task: Task) -> TaskResult:
    """Perform a task; raises ModelError and StoreError, which stop the whole run."""
    prepare()
    if isinstance(task, Ingest):
        return ingest(task)
    return read(task) if isinstance(task, Read) else learn(task)


def answer(task: Task) -> Iterator[Frame]:
    """A task's answer from a worker of this machine, see `kdscan.workers.serve`."""
    result = perform(task)
    if isinstance(result, Learned):
        yield Frame({}, result.prints)
    else:
        yield Frame(vars(result))


def result_of(task: Task, frame: Frame) -> TaskResult:
    """The result in such an answer."""
    if isinstance(task, Learn):
        return Learned(frame.blobs)
    return Ingested(**frame.header) if isinstance(task, Ingest) else Done(**frame.header)


def weight(task: Task) -> float:
    """Time limit of a task, relative to that of a photo."""
    return max(1.0, len(task.pile) / 2) if isinstance(task, Learn) else 1.0


@cache
def prepare() -> None:
    """Called once in a process: a single thread, because there is one process per core."""
    import cv2

    cv2.setNumThreads(1)


def ingest(task: Ingest) -> Ingested:
    """Store a file's bytes before anything examines them."""
    suffix = suffix_of(task.name)
    try:
        data = fetch(task.place)
    except PhotoError as error:
        return Ingested(problem=error_json(error))
    sha256 = PhotoFiles(task.photos).put(data, suffix)
    try:
        pages = len(decode(data, task.name))
    except PhotoError as error:
        return Ingested(sha256, suffix, len(data), problem=error_json(error))
    except Exception as cause:
        return Ingested(sha256, suffix, len(data), problem=error_json(bug_of(cause)))
    return Ingested(sha256, suffix, len(data), pages)


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


def read(task: Read) -> Done:
    """Read a page: sheets or an error, never an exception caused by the photo."""
    from kdscan.inference.store import default_models

    if default_models().version != task.models:
        raise ModelError(
            "a worker has different models than this program; install the same version of "
            "kdscan everywhere"
        )
    start = time.perf_counter()
    try:
        pages = _opened(task.photos, task.sha256, task.suffix)
        prints = load_prints(task.photos, task.prints, _say)
        options = ReadOptions(game=task.game, variants=task.variants, prints=prints)
        report, _ = read_page(pages, task.page, options)
    except PhotoError as error:
        report = PhotoReport("", task.page, error=error)
    kept: list[Json | None] = [serialize(sheet) for sheet in report.sheets]
    seconds = time.perf_counter() - start
    return Done(photo_json(report), kept, round(seconds, 4))


def learn(task: Learn) -> Learned:
    """Learn what a pile teaches; a bug in that costs only the print."""
    try:
        return Learned(teach(task.photos, task.pile, task.prints))
    except FATAL:
        raise
    except Exception as cause:
        _say(bug_of(cause))
        return Learned()


def _say(error: KdscanError) -> None:
    print(f"kdscan: {error}", file=sys.stderr)


@lru_cache(maxsize=1)
def _opened(photos: str, sha256: str, suffix: str) -> Pages:
    """Cached, because the next page of the last file is likely to be requested."""
    return decode(PhotoFiles(photos).get(sha256, suffix))


def failed(task: Task, error: KdscanError) -> TaskResult:
    """The result of a task that killed its worker."""
    if isinstance(task, Ingest):
        return Ingested(suffix=suffix_of(task.name), problem=error_json(error))
    if isinstance(task, Learn):
        return Learned()
    return Done(photo_json(PhotoReport("", task.page, error=error)), [], 0.0)


FATAL = (ModelError, StoreError)
"""Errors of a task that would affect every other photo too."""
