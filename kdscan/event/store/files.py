"""Photos and known prints by content: a file is named after the SHA-256 of its bytes and written
once. Workers read them, and know nothing of the store's tables.

The folder may be local or any URL that fsspec knows (`s3://…`, extra `cluster`).
"""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from kdscan.errors import LayoutError, StoreError, StoreFull, UsageError
from kdscan.files import make_folder, replacing
from kdscan.i18n import mark
from kdscan.templates.library import Damaged, StoredTemplate, parse_template
from kdscan.templates.template import SUFFIX

_SHA256 = re.compile("[0-9a-f]{64}")

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""System errors that mean there is no room."""

PART_SECONDS = 3600
"""A file that was begun so long ago is not written any more."""

MODE = 0o600
"""Permissions of a store's files, because photos show people's handwriting and tables."""


def is_url(place: str) -> bool:
    """Whether a place is a URL for fsspec rather than a path on this machine."""
    return "://" in place


def suffix_of(name: str) -> str:
    """The suffix under which a photo is stored: the name's own, in lower case, if it is short and
    plain."""
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    return suffix if 1 < len(suffix) <= 10 and suffix[1:].isalnum() and suffix.isascii() else ""


def check_place(sha256: str, suffix: str) -> None:
    """Raise ValueError unless these are a SHA-256 in hex and a suffix from `suffix_of`: paths are
    made of them, and a store may have been written by others."""
    if not (_SHA256.fullmatch(sha256) and suffix == suffix_of(f"photo{suffix}")):
        raise ValueError(f"no photo can be kept as {sha256!r} and {suffix!r}")


@dataclass(frozen=True)
class PhotoFiles:
    """A content-addressed folder; `root` is a path or a URL."""

    root: str

    def place(self, sha256: str, suffix: str) -> str:
        """The path of a photo: `ROOT/ab/abcdef….jpg`; raises ValueError, see `check_place`."""
        check_place(sha256, suffix)
        tail = f"{sha256[:2]}/{sha256}{suffix}"
        return (
            f"{self.root.rstrip('/')}/{tail}" if is_url(self.root) else str(Path(self.root, tail))
        )

    def room(self) -> int | None:
        """Free bytes for photos; None if unknown."""
        if is_url(self.root):
            return None
        place = Path(self.root)
        with suppress(OSError, StopIteration):
            folders = (place, *place.absolute().parents)
            return shutil.disk_usage(next(at for at in folders if at.exists())).free
        return None

    def has(self, sha256: str, suffix: str) -> bool:
        """Whether a photo has a file, complete or not."""
        place = self.place(sha256, suffix)
        if is_url(place):
            files, path = filesystem(place)
            return bool(files.exists(path))
        return Path(place).exists()

    def remove(self, sha256: str, suffix: str) -> None:
        """Delete a photo that has no row; one that cannot be deleted stays."""
        place = self.place(sha256, suffix)
        with suppress(OSError):
            if is_url(place):
                files, path = filesystem(place)
                files.rm(path)
            else:
                Path(place).unlink()
                Path(place).parent.rmdir()  # not if there are others

    def sweep(self) -> None:
        """Delete what programs that were killed an hour ago, or earlier, left half written."""
        if not is_url(self.root):
            for part in Path(self.root).glob("*/.kdscan-*.part"):
                with suppress(OSError):
                    if part.stat().st_mtime < time.time() - PART_SECONDS:
                        part.unlink()

    def put(self, data: bytes, suffix: str) -> str:
        """Store the bytes of a photo, unless they are stored already, and return their SHA-256.

        The file is written completely or not at all. Raises `StoreError`, for example on a full
        disk.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        place = self.place(sha256, suffix)
        try:
            if is_url(self.root):
                self._put_url(place, data)
            elif not _is_whole(Path(place), sha256, len(data)):
                make_folder(Path(place).parent)
                with replacing(Path(place), MODE) as out:  # whole, even after a power failure
                    out.write(data)
        except OSError as error:
            kind = StoreFull if error.errno in FULL else StoreError
            raise kind(
                mark(
                    "the photo could not be kept in {folder} ({why}); make room or access there "
                    "and run the command again: what was done is kept"
                ),
                folder=self.root,
                why=error.strerror or error,
            ) from error
        return sha256

    def get(self, sha256: str, suffix: str) -> bytes:
        """The bytes of a stored photo; raise `StoreError` if they are gone or damaged."""
        place = self.place(sha256, suffix)
        try:
            with open_place(place) as source:
                data = source.read()
        except OSError as error:
            raise StoreError(
                "the kept photo {name} cannot be read ({why}); restore the folder of photos, "
                "or add the photo again",
                name=sha256[:12],
                why=error.strerror or error,
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise StoreError(
                "the kept photo {name} is damaged; add the photo again", name=sha256[:12]
            )
        return data

    def _put_url(self, place: str, data: bytes) -> None:
        files, path = filesystem(place)
        with suppress(FileNotFoundError):
            if files.size(path) == len(data) and files.cat_file(path) == data:
                return
        files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
        part = f"{path}.{uuid.uuid4().hex}.part"
        files.pipe_file(part, data)
        files.mv(part, path)


def open_place(place: str) -> BinaryIO:
    """Open a path or URL to read bytes; raises OSError."""
    if not is_url(place):
        return Path(place).open("rb")
    files, path = filesystem(place)
    opened: BinaryIO = files.open(path, "rb")
    return opened


def filesystem(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it; raise `UsageError`."""
    try:
        import fsspec  # only needed for photos behind a URL
    except ImportError as error:
        raise UsageError(
            "{url}: photos at URLs need an extra package: pip install fsspec", url=url
        ) from error
    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(
            "{url}: this kind of URL cannot be opened ({error})", url=url, error=error
        ) from error
    return files, str(path)


def _is_whole(path: Path, sha256: str, size: int) -> bool:
    """Whether a file's content matches its name; a disk may have damaged it."""
    if not path.is_file() or path.stat().st_size != size:
        return False
    with path.open("rb") as kept:
        return hashlib.file_digest(kept, "sha256").hexdigest() == sha256


def load_prints(
    root: str, wanted: Iterable[str], damaged: Damaged = lambda _: None
) -> tuple[StoredTemplate, ...]:
    """Prints by the SHA-256 of their files; missing or damaged ones are reported and skipped.

    root: see `PhotoFiles`. Each is opened once per process.
    """
    prints = []
    for sha256 in wanted:
        try:
            prints.append(_load(root, sha256))
        except (LayoutError, StoreError) as error:
            damaged(error)
    return tuple(prints)


@lru_cache(maxsize=100)
def _load(root: str, sha256: str) -> StoredTemplate:
    return parse_template(PhotoFiles(root).get(sha256, SUFFIX), sha256[:12] + SUFFIX)
