"""File → photos, page by page; a file that might cost too much is decoded in a process with limits.

A PDF of six hundred bytes can demand eight gigabytes, another one an hour. Everything but plain
JPEGs and PNGs of moderate size is therefore decoded by a `kdscan.workers` process. It is started
for the first such file and kept for later ones. A picture that is cut off or damaged is refused
rather than filled up with grey or noise: half a map must not turn into a score.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kdscan.errors import ReaderDied, UnreadableImage
from kdscan.files import read_error
from kdscan.imaging.formats import Read, check_bytes, is_plain, open_file
from kdscan.imaging.picture import Bgr, Photo
from kdscan.workers.pool import Limits, Pool, Task

_Result = TypeVar("_Result")

LIMITS = Limits(seconds=30, memory_mb=950)
"""Of decoding one page, and of finding a file's pages. A HEIC of 48 megapixels takes 2 s of an idle
machine; a picture of 120 megapixels fits twice, or once with the decoder's buffers."""


@dataclass(frozen=True)
class Pages:
    """The pictures of one file, decoded on access and not cached.

    name: where they came from, for people. count: number of pages; 1 but for PDF, TIFF and
    collections. read: see `kdscan.imaging.formats.Read`.
    """

    name: str
    count: int
    read: Read

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Photo]:
        return map(self.__getitem__, range(self.count))

    def __getitem__(self, page: int) -> Photo:
        """Decode a page; raises `PhotoError` if that page is broken, though others may be fine."""
        if not 0 <= page < self.count:
            raise IndexError(page)
        bgr, is_half = self.read(page, False)
        whole = (lambda: self.read(page, True)[0]) if is_half else None
        return Photo(bgr, self.name, page, whole)


def load_photos(source: Path | str | bytes | NDArray[np.uint8]) -> Pages:
    """The pictures of a file: a sequence whose pages are decoded when they are taken.

    source: the file's path, its content, or a decoded picture: (H, W, 3) uint8 BGR, upright.
    Raises `PhotoError` with the remedy in its message, ValueError for an array of another shape
    or without pixels; a page that is taken raises PhotoError if it is broken.
    """
    if isinstance(source, np.ndarray):
        if source.size == 0:
            raise ValueError("a photo has at least one pixel")
        Photo(source)  # checks it
        return Pages("", 1, lambda page, whole: (source, False))
    if isinstance(source, bytes):
        return decode(source)
    if source == "":  # Path takes it for the folder one is in
        raise UnreadableImage("there is no such file; check the name and the folder")
    return decode(read_bytes(Path(source)), str(source))


def decode(data: bytes, name: str = "") -> Pages:
    """Find the pages in the bytes of a file; `name` is for people.

    Raises `UnreadableImage` or `ImageTooLarge`.
    """
    check_bytes(len(data))
    if is_plain(data):
        return Pages(name, *open_file(data))
    return Pages(name, _confined(_Count(data)), partial(_read_confined, data))


def read_bytes(path: Path) -> bytes:
    """The bytes of a photo's file; raises `UnreadableImage` or `ImageTooLarge`."""
    try:
        if path.is_dir():
            raise UnreadableImage(
                "this is a folder; name the photos in it: {photos}", photos=path / "*.jpg"
            )
        check_bytes(path.stat().st_size)
        if not path.is_file():
            raise UnreadableImage("this is not a regular file; save the photo to one first")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        why = read_error(error)
        raise UnreadableImage(why.text, **why.values) from error


def _read_confined(data: bytes, page: int, whole: bool) -> tuple[Bgr, bool]:
    shape, pixels, is_half = _confined(_Decode(data, page, whole))
    return np.frombuffer(pixels, np.uint8).reshape(shape), is_half


@dataclass(frozen=True)
class _Count:
    """Finds the pages of a file."""

    data: bytes
    weight = 1.0

    def perform(self) -> int:
        return _opened(self.data)[0]


@dataclass(frozen=True)
class _Decode:
    """Decodes a page of a file to its shape, its pixels and whether they have half its size; whole:
    at its full size."""

    data: bytes
    page: int
    whole: bool
    weight = 1.0

    def perform(self) -> tuple[tuple[int, int, int], memoryview, bool]:
        bgr, is_half = _opened(self.data)[1](self.page, self.whole)
        height, width, _ = bgr.shape
        return (height, width, 3), np.ascontiguousarray(bgr).data.cast("B"), is_half


@lru_cache(maxsize=1)
def _opened(data: bytes) -> tuple[int, Read]:
    """A file in the process with limits, for one page after the other."""
    from kdscan.imaging import rare_formats  # it takes long to import, here alone

    return rare_formats.open_file(data)


def _prepare() -> None:
    from kdscan.imaging import rare_formats  # noqa: F401  outside the limit of time


decoders = Pool(1, LIMITS, _prepare)
"""The process with limits."""

atexit.register(decoders.close)


def _confined(task: Task[_Result]) -> _Result:
    """The result of a task in the process with limits; raises `PhotoError`."""
    future = decoders.submit(task)
    try:
        return future.result()
    except ReaderDied as error:
        raise UnreadableImage(
            "decoding it took more memory or time than any photo needs; save it as a plain JPEG or "
            "PNG and try again"
        ) from error
    except KeyboardInterrupt:  # nobody waits for a hostile file any longer
        decoders.close()
        raise
