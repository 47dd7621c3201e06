"""What a worker does: take a file in, or read one page of it.

Tasks and their results are frozen records that travel between processes and machines.
What a photo does wrong is part of a result; what keeps every photo from being read
(models, a full disk) is raised.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from kdscan.errors import KdscanError, ModelError, PhotoError, StoreError, UnreadableImage
from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.game.names import GameName
from kdscan.imaging.photo import Pages, check_bytes, decode, read_bytes
from kdscan.kinds.common.options import ReadOptions
from kdscan.locale.errors import error_json
from kdscan.pipeline.document import PhotoReport, photo_json
from kdscan.pipeline.pages import bug_of, read_page
from kdscan.pipeline.serialize import serialize
from kdscan.records.results import Json
from kdscan.tournament.pile import Pile, teach
from kdscan.tournament.store.files import PhotoFiles, is_url, open_place, suffix_of
from kdscan.tournament.store.print_files import load_prints
from kdscan.workers.frames import Frame


@dataclass(frozen=True)
class Ingest:
    """Keep the file at `place` (a path or URL) among the photos at `photos`, count its pages."""

    name: str
    place: str
    photos: str


@dataclass(frozen=True)
class Ingested:
    """What came of an `Ingest`. sha256 is None if no byte of the file could be read.

    problem: the error that stands for the photo, as `kdscan.locale.errors` keeps it.
    """

    sha256: str | None = None
    suffix: str = ""
    size: int = 0
    pages: int | None = None
    problem: Json | None = None


@dataclass(frozen=True)
class Read:
    """Read a page of a kept photo with the models of that version. key: for who asked.

    game, variants: as `kdscan.read_photo` takes them. prints: SHA-256 of the known
    prints' files, which lie among the photos.
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
    """A page that was read: its entry in the JSON, and what `reading.kept` holds."""

    entry: Mapping[str, Any]
    kept: list[Json | None]
    seconds: float


@dataclass(frozen=True)
class Learn:
    """Learn the prints that sheets of kept photos share; see `kdscan.tournament.pads`."""

    photos: str
    pile: Pile
    prints: tuple[str, ...]


@dataclass(frozen=True)
class Learned:
    """Files of the prints that a pile taught, most often none."""

    prints: tuple[bytes, ...] = ()


Task = Ingest | Read | Learn
Result = Ingested | Done | Learned


def perform(task: Task) -> Result:
    """Do a task; raises ModelError and StoreError, which stop the whole run."""
    prepare()
    if isinstance(task, Ingest):
        return ingest(task)
    return read(task) if isinstance(task, Read) else learn(task)


def answer(task: Task) -> Iterator[Frame]:
    """What a worker of this machine does with a task, see `kdscan.workers.serve`."""
    result = perform(task)
    if isinstance(result, Learned):
        yield Frame({}, result.prints)
    else:
        yield Frame(vars(result))


def result_of(task: Task, frame: Frame) -> Result:
    """What such a worker answered."""
    if isinstance(task, Learn):
        return Learned(frame.blobs)
    return Ingested(**frame.header) if isinstance(task, Ingest) else Done(**frame.header)


def weight(task: Task) -> float:
    """How much longer than a photo a task may take."""
    return max(1.0, len(task.pile) / 2) if isinstance(task, Learn) else 1.0


@cache
def prepare() -> None:
    """Once in a process: one thread for each, because there is a process a core."""
    import cv2

    cv2.setNumThreads(1)


def ingest(task: Ingest) -> Ingested:
    """Keep a file's bytes, before anything looks into them."""
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
    """Read a page: sheets or an error, never an exception of the photo's making."""
    from kdscan.inference.store import default_models

    if default_models().version != task.models:
        raise ModelError(
            "a worker has other models than the program that asked it; "
            "install the same version of kdscan everywhere"
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
    """Learn what a pile teaches; a bug in that costs no more than the print."""
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
    """The last file that was read stays open: its next page is likely to be asked for."""
    return decode(PhotoFiles(photos).get(sha256, suffix))


def failed(task: Task, error: KdscanError) -> Result:
    """The result of a task whose worker died of it."""
    if isinstance(task, Ingest):
        return Ingested(suffix=suffix_of(task.name), problem=error_json(error))
    if isinstance(task, Learn):
        return Learned()
    return Done(photo_json(PhotoReport("", task.page, error=error)), [], 0.0)


FATAL = (ModelError, StoreError)
"""Errors of a task that no other photo would escape."""
