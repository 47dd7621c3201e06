"""File → Photo: every format that phones, scanners and messengers produce; clear errors for others.

A file's format is recognised by its first bytes, never by its name. Sizes are read from headers and
checked before anything is decoded, so that a small file cannot claim all memory; anything but a
plain JPEG or PNG is decoded in a process with limits (`sandbox`). JPEG goes through OpenCV, because
phones produce it and it has to be fast; HEIC through libheif, PDF through PDFium, the rest through
Pillow. A truncated picture is refused rather than filled up with grey: half a map must not turn
into a score.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import ImageTooLarge, KdscanError, UnreadableImage
from kdscan.files.read import read_error
from kdscan.imaging.brands import is_avif, is_heif
from kdscan.imaging.jpeg import START, decode_jpeg, has_few_scans, jpeg_size
from kdscan.imaging.limits import check_bytes, check_pages, unknown_format
from kdscan.imaging.pdf import open_pdf
from kdscan.imaging.picture import Bgr, Photo

LARGE_PIXELS = 8_000_000
"""A JPEG with at least this many pixels is first decoded at half its size, which saves most of the
work: maps in such large photos are rarely too small for that."""

PLAIN_PIXELS, PLAIN_BYTES = 50_000_000, 50_000_000
"""A JPEG or PNG up to this size is decoded in this process: ordinary photos at no extra cost."""

_PNG = b"\x89PNG\r\n\x1a\n"

_PICTURES = (START, _PNG, b"RIFF", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"BM", b"GIF8")
"""The first bytes of supported pictures, HEIF and AVIF excepted, see `kdscan.imaging.brands`."""


@dataclass(frozen=True)
class Pages:
    """The pictures of one file, decoded on access and not cached.

    name: where they came from, for people. count: number of pages; 1 except for PDF and TIFF.
    read: page number → (H, W, 3) uint8 BGR, upright.
    half: for a large JPEG of even width and height, decodes it at half its size.
    """

    name: str
    count: int
    read: Callable[[int], Bgr]
    half: Callable[[], Bgr] | None = None

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, page: int) -> Photo:
        """Decode a page; raises `PhotoError` if that page is broken, though others may be fine."""
        if not 0 <= page < self.count:
            raise IndexError(page)
        if self.half is None:
            return Photo(self.read_page(page), self.name, page)
        return Photo.halved(self.read_half(), partial(self.read_page, page), self.name, page)

    def read_page(self, page: int) -> Bgr:
        """A page's pixels (H, W, 3) uint8 BGR; raises `PhotoError`."""
        with _decoding():
            return self.read(page)

    def read_half(self) -> Bgr:
        """The result of `half`; raises `PhotoError`."""
        assert self.half is not None
        with _decoding():
            return self.half()


def load_photos(source: Path | str | bytes | NDArray[np.uint8]) -> Iterator[Photo]:
    """Yield the pictures of a file, page by page.

    source: the file's path, its content, or a decoded picture: (H, W, 3) uint8 BGR, upright.
    Raises `PhotoError` with the remedy in its message, ValueError for an array of another shape
    or without pixels. Use `open_photos` to carry on after a broken page.
    """
    if isinstance(source, np.ndarray):
        if source.size == 0:
            raise ValueError("a photo has at least one pixel")
        yield Photo(source)
        return
    pages = decode(source) if isinstance(source, bytes) else open_photos(source)
    yield from (pages[n] for n in range(len(pages)))


def open_photos(path: Path | str) -> Pages:
    """Read a file and find its pages, without decoding them.

    Raises `UnreadableImage` (missing, empty, no picture, a password) or `ImageTooLarge`.
    """
    if path == "":  # Path takes it for the folder one is in
        raise UnreadableImage("there is no such file; check the name and the folder")
    return decode(read_bytes(Path(path)), str(path))


def decode(data: bytes, name: str = "") -> Pages:
    """Find the pages in the bytes of a file; `name` is for people.

    Raises `UnreadableImage` or `ImageTooLarge`.
    """
    if not data:
        raise UnreadableImage("the file is empty; copy or send it again")
    check_bytes(len(data))
    if _is_plain(data):
        return decode_here(data, name, plain=True)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise UnreadableImage(
            "this is a ZIP file or an office document; take the photos out of it and name those"
        )
    if not _is_known(data):
        raise unknown_format()
    from kdscan.imaging.sandbox import open_confined  # costs one more process, which few files need

    count, read, half = open_confined(data)
    return Pages(name, count, read, half)


def _is_plain(data: bytes) -> bool:
    """Whether a file is a JPEG or PNG of moderate size, which is cheap to decode."""
    if len(data) > PLAIN_BYTES:
        return False
    with _decoding():
        if data.startswith(START):
            width, height = jpeg_size(data)
            return width * height <= PLAIN_PIXELS and has_few_scans(data)
        if data.startswith(_PNG):
            width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
            return width * height <= PLAIN_PIXELS
    return False


def _is_known(data: bytes) -> bool:
    """Whether a file starts like a supported format; others are refused without a child process."""
    return data.startswith(_PICTURES) or _is_pdf(data) or is_heif(data) or is_avif(data)


def _is_pdf(data: bytes) -> bool:
    """Whether a file is a PDF. Other bytes may precede its header, as PDFium allows; but a picture
    with a comment like that is a picture, and a hostile one must not get past the child process."""
    return b"%PDF-" in data[:1024] and not data.startswith(_PICTURES)


def decode_here(data: bytes, name: str = "", *, plain: bool = False) -> Pages:
    """As `decode`, but always in this process. plain: `_is_plain` was checked already."""
    half = None
    with _decoding():
        if _is_pdf(data):
            count, read = open_pdf(data)
        elif is_heif(data):
            from kdscan.imaging.heif import open_heif

            count, read = 1, open_heif(data)
        elif data.startswith(START):  # MPO too: a JPEG followed by others
            count, read = 1, partial(_jpeg_page, data)
            width, height = jpeg_size(data)
            even = width % 2 == height % 2 == 0
            large = width * height >= LARGE_PIXELS
            if even and large and (plain or has_few_scans(data)):
                half = partial(decode_jpeg, data, cv2.IMREAD_REDUCED_COLOR_2)
        else:
            from kdscan.imaging.pillow import open_pillow  # deferred: slow to import

            count, read = open_pillow(data)
    check_pages(count)
    return Pages(name, count, read, half)


def _jpeg_page(data: bytes, _page: int) -> Bgr:
    """The only page of a JPEG. By name, so that a photo can be sent to another process."""
    return decode_jpeg(data)


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


@contextmanager
def _decoding() -> Iterator[None]:
    """Turn any exception of a decoder for a broken or hostile file into a `PhotoError`."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of odd metadata, and of sizes that `check_size` allows.
            warnings.simplefilter("ignore")
            yield
    except KdscanError:
        raise
    except MemoryError as error:
        raise ImageTooLarge("the picture has too many pixels; save it smaller") from error
    except Exception as error:
        # Decoders raise nearly anything: OSError, SyntaxError, struct.error, their own.
        raise UnreadableImage(
            "the file or picture is broken or cut off; copy or send it again"
        ) from error
