"""The files of a batch, and the tasks of workers: store a file and count its pages, read one of
them, draw its pictures, and learn the prints that sheets share, see `kdscan.event.prints`.

They are frozen records that travel to the processes of a `kdscan.workers.pool.Pool` or to the
workers of a Dask cluster (`kdscan.event.cluster`). A task has a result even if it has `failed`,
which means that it killed its process. Errors of a photo are part of a result; errors that prevent
every photo from being read (models, a full disk) are raised.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import (
    Bug,
    ImageTooLarge,
    KdscanError,
    ModelError,
    PhotoError,
    StoreError,
    UnreadableImage,
    UsageError,
    bug_of,
)
from kdscan.event.store.files import PhotoFiles, filesystem, is_url, load_prints, open_place
from kdscan.files import escape_control, is_folder
from kdscan.files.photos import (
    PATTERN_SIGNS,
    SUFFIXES,
    expand_patterns,
    no_photos_error,
    photos_in,
    pictures,
)
from kdscan.i18n.errors import error_json
from kdscan.imaging.formats import check_bytes, jpeg, png
from kdscan.imaging.photo import Pages, decode, read_bytes
from kdscan.imaging.picture import Photo, at_most
from kdscan.inference.store import default_models
from kdscan.reader import read_page
from kdscan.rules import GameName
from kdscan.rules.kingdomino.kingdom import PLAIN, Variants
from kdscan.sheets.base import serialize
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.model import MapReading
from kdscan.templates.drawing import draw_ink
from kdscan.templates.library import to_stored
from kdscan.templates.pile import FlatSheet, flat_sheet_at, learn_from_pile

VIEW_PX, THUMB_PX = 2000, 360
"""Longest sides of a page's pictures: one to look at, one for lists."""

VIEW_QUALITY, THUMB_QUALITY = 80, 70


# Files of a batch


@dataclass(frozen=True)
class Source:
    """A file: `name` stays the same wherever the folder is, `place` is where it is now.

    name can be stored, printed and tabulated anywhere; see `escape_control`.
    """

    name: str
    place: str


def sources(given: Sequence[str]) -> list[Source]:
    """The given files, and those in the given folders, in the order of their names.

    Names start with the folder's own name, or are as given. Raises `UsageError` if a folder does
    not exist or contains no photo, or nothing is left.
    """
    files: dict[str, Source] = {}
    for path in expand_patterns(given):
        if not path:  # a variable that is not set; Path takes it for the folder one is in
            raise _not_there("''")
        for source in _in_url(path) if is_url(path) else _in_path(Path(path)):
            files.setdefault(source.place, source)
    return sorted(files.values(), key=lambda source: (source.name, source.place))


def _in_path(path: Path) -> list[Source]:
    if not is_folder(path):
        photo = path.suffix.lower() in SUFFIXES  # a missing one gets a row; else it is mistyped
        if not os.path.lexists(path) and not (photo and is_folder(path.parent)):
            raise _not_there(path)
        place = os.path.abspath(path)  # noqa: PTH100  # links stay links
        return [Source(escape_control(path.as_posix()), place)]
    top = path.resolve()
    files = [
        Source(escape_control(f"{top.name}/{file.relative_to(top).as_posix()}"), str(file))
        for file in photos_in(top)
    ]
    if not files:
        raise no_photos_error(path)
    return files


def _not_there(path: Path | str) -> UsageError:
    return UsageError(
        "{path}: there is no such file or folder; nothing was read or changed", path=path
    )


def _in_url(url: str) -> list[Source]:
    files, path = filesystem(url)
    try:
        if any(sign in path for sign in PATTERN_SIGNS):
            places = files.glob(path)
        elif files.isdir(path):
            places = pictures(files.find(path))
        else:
            return [Source(url, url)]
    except OSError as error:
        raise UsageError("{url}: it cannot be listed ({error})", url=url, error=error) from error
    if not places:
        raise UsageError("{url}: there is no photo there; name a folder that has some", url=url)
    whole = [str(files.unstrip_protocol(place)) for place in places]
    return [Source(place, place) for place in whole]


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


# Storing and reading photos


@dataclass(frozen=True)
class Ingested:
    """A file whose pages were counted. sha256 is None if no byte of it could be read.

    problem: the photo's error, as `kdscan.i18n.errors` stores it.
    """

    sha256: str | None = None
    suffix: str = ""
    size: int = 0
    pages: int | None = None
    problem: dict[str, Any] | None = None


@dataclass(frozen=True)
class Ingest:
    """Store the file at `place` (a path or URL) among the photos at `photos`, and count its pages.

    name: for people. most_pages: None for any number. key: for the caller.
    """

    name: str
    place: str
    photos: str
    suffix: str
    most_pages: int | None = None
    key: int = 0

    weight = 1.0

    def perform(self) -> Ingested:
        """Store a file's bytes before anything examines them."""
        try:
            data = fetch(self.place)
        except PhotoError as error:
            return self.failed(error)
        sha256 = PhotoFiles(self.photos).put(data, self.suffix)
        pages = problem = None
        try:
            pages = len(decode(data, self.name))
            if self.most_pages is not None and pages > self.most_pages:
                raise ImageTooLarge(
                    "the file has {pages} pages, but this page takes at most {most}; split it, or "
                    "read it with kdscan batch",
                    pages=pages,
                    most=self.most_pages,
                )
        except Exception as cause:
            pages, problem = (
                None,
                error_json(cause if isinstance(cause, PhotoError) else bug_of(cause)),
            )
        return Ingested(sha256, self.suffix, len(data), pages, problem)

    def failed(self, error: KdscanError) -> Ingested:
        """The result if it killed its process."""
        return Ingested(suffix=self.suffix, problem=error_json(error))


@dataclass(frozen=True)
class PageResult:
    """A page that was read: its entry in the JSON, and the values for `reading.kept`.

    pictures: see `draw_pictures`; empty unless they were wanted.
    """

    entry: dict[str, Any]
    kept: list[dict[str, Any]]
    seconds: float
    pictures: list[bytes] = field(default_factory=list)


@dataclass(frozen=True)
class Read:
    """Read a page of a stored photo with that version of the models. key: for the caller.

    name: of the file, for people. version: under which the reading is stored. game, variants: as
    for `kdscan.read_photo`. prints: SHA-256 of the known prints' files, which are stored among the
    photos. threads: how many OpenCV uses. pictures: whether they are drawn too.
    """

    photos: str
    sha256: str
    suffix: str
    page: int
    models: str
    key: int = 0
    name: str = ""
    version: str = ""
    game: GameName | None = None
    variants: Variants = PLAIN
    prints: tuple[str, ...] = ()
    threads: int = 1
    pictures: bool = False

    weight = 1.0

    def perform(self) -> PageResult:
        """Read a page: sheets or an error, never an exception caused by the photo."""
        if default_models().version != self.models:
            raise ModelError(
                "a worker has different models than this program; install the same version of "
                "kdscan everywhere"
            )
        cv2.setNumThreads(self.threads)
        start = time.perf_counter()
        photo: Photo | None = None
        try:
            pages = stored_pages(self.photos, self.sha256, self.suffix)
            prints = load_prints(self.photos, self.prints, _warn)
            options = ReadOptions(game=self.game, variants=self.variants, prints=prints)
            report, photo = read_page(pages, self.page, options)
        except PhotoError as error:
            report = PhotoReport(self.name, self.page, error=error)
        if isinstance(report.error, Bug):
            _warn(report.error)
        kept = [serialize(sheet) for sheet in report.sheets]
        entry, seconds = photo_json(report), round(time.perf_counter() - start, 4)
        drawn = draw_pictures(photo, report) if self.pictures and photo is not None else []
        return PageResult(dict(entry), kept, seconds, drawn)

    def failed(self, error: KdscanError) -> PageResult:
        """The result if it killed its process."""
        return PageResult(dict(photo_json(PhotoReport(self.name, self.page, error=error))), [], 0.0)


@lru_cache(maxsize=1)
def stored_pages(photos: str, sha256: str, suffix: str) -> Pages:
    """The pages of a stored photo; cached, because the next page of the last file is likely to be
    wanted next."""
    return decode(PhotoFiles(photos).get(sha256, suffix))


def draw_pictures(photo: Photo, report: PhotoReport | None = None) -> list[bytes]:
    """JPEGs of a page to look at and for lists, without any of the file's metadata; then the ink of
    each sheet of a known print as PNG on white, empty for others."""
    view, thumb = (at_most(photo, longest)[0] for longest in (VIEW_PX, THUMB_PX))
    sheets = report.sheets if report is not None else ()
    inks = [sheet.evidence.ink if isinstance(sheet, MapReading) else None for sheet in sheets]
    return [
        *(jpeg(view, VIEW_QUALITY), jpeg(thumb, THUMB_QUALITY)),
        *(b"" if ink is None else png(draw_ink(ink)) for ink in inks),
    ]


# Learning prints


@dataclass(frozen=True)
class PlacedSheet:
    """A sheet in a stored photo. centers: x and y of its 35 cells in the photo, row by row. coats,
    layout: see `FlatSheet`."""

    sha256: str
    suffix: str
    page: int
    number: int
    centers: tuple[float, ...]
    coats: str
    layout: str

    @property
    def key(self) -> str:
        return f"{self.sha256}-{self.page}-{self.number}"


Pile = tuple[PlacedSheet, ...]
"""Sheets in the order of their keys."""


@dataclass(frozen=True)
class Learn:
    """A task (see `kdscan.workers.pool`): learn the prints that a pile's sheets share.

    root: see `PhotoFiles`. prints: SHA-256 of the known prints' files. Its result are the files of
    the prints that were learned, usually none.
    """

    root: str
    pile: Pile
    prints: tuple[str, ...]

    @property
    def weight(self) -> float:
        return len(self.pile)

    def perform(self) -> list[bytes]:
        """Learn what a pile teaches; a bug in that costs only the print."""
        try:
            known = load_prints(self.root, self.prints)
            learned = learn_from_pile(_rectified(self.root, self.pile), known, default_models())
            return [to_stored(template).data for template in learned]
        except (ModelError, StoreError):
            raise
        except Exception as cause:
            _warn(bug_of(cause))
            return []

    def failed(self, error: KdscanError) -> list[bytes]:
        """The result if it killed its process."""
        return []


def _rectified(root: str, pile: Pile) -> list[FlatSheet]:
    """The sheets of a pile, rectified, photo by photo; those whose photo is missing are omitted."""
    by_page: defaultdict[tuple[str, str, int], list[PlacedSheet]] = defaultdict(list)
    for sheet in pile:
        by_page[sheet.sha256, sheet.suffix, sheet.page].append(sheet)
    rectified = []
    for (sha256, suffix, page), sheets in by_page.items():
        try:
            photo = stored_pages(root, sha256, suffix)[page]
        except KdscanError:
            continue
        for sheet in sheets:
            centers = np.array(sheet.centers).reshape(5, 7, 2)
            rectified.append(flat_sheet_at(photo, centers, sheet.coats, sheet.layout, sheet.key))
    return rectified


def _warn(error: KdscanError) -> None:
    print(f"kdscan: {error}", file=sys.stderr)


def prepare() -> None:
    """Prepare a process of this machine: import all that tasks need, outside their time limit."""
    cv2.setNumThreads(1)
