"""Atomic writing of files: completely or not at all, whatever happens meanwhile.

    with writing(Path("results.csv")) as out:
        out.write(b"...")

Data are written to a randomly named file beside the target, synced, and then renamed over it: a
full disk, a killed program or a power failure leaves the old file as it was. Links stay links.
Anything but a regular file (a device, a pipe, `/dev/stdout`) is written to directly; `-` is stdout.
A store is never overwritten.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from kdscan.errors import UsageError

_SQLITE = b"SQLite format 3\0"
"""The first bytes of an SQLite file (sqlite.org/fileformat.html, 1.3)."""

_BESIDE_SQLITE = re.compile(r"(.+)-(?:wal|shm|journal)")
"""Files that SQLite keeps beside a database and that belong to it."""

_DESCRIPTORS = re.compile(r"(?:/proc/(self|\d+)|/dev)/fd/(\d+)")
"""Paths of open files."""

_LINKS = 40  # as in Linux

STDOUT = Path("-")
"""The name that means standard output."""


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write, which gets the name `path` at the end if all went well, and is
    deleted otherwise.

    Raises `UsageError` if it cannot be written, or is a store; for stdout OSError, like `print`.
    """
    if path == STDOUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with _opened(path) as out:
            yield out
    except OSError as error:
        raise write_error(path, error) from error


def missing_folder_error(path: Path | str, parent: Path) -> UsageError:
    """The error for a file in a folder that does not exist; path: with its option, if any."""
    return UsageError(
        "{path}: there is no folder {parent}; make it first", path=path, parent=parent
    )


def write_error(path: Path, error: OSError) -> UsageError:
    """The error for a file that could not be written."""
    if isinstance(error, FileNotFoundError):
        return missing_folder_error(path, path.parent)
    return UsageError(
        "{path} cannot be written ({why}); make room there, or name another file",
        path=path,
        why=error.strerror or error,
    )


@contextmanager
def writing_text(path: Path) -> Iterator[TextIO]:
    """The same for UTF-8 text; line ends are written unchanged."""
    with writing(path) as out:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically; raise `UsageError`, see `writing`."""
    with writing(path) as out:
        out.write(data)


def keep_file(path: Path, data: bytes) -> None:
    """The same in a folder of kdscan's own, which is made if it does not exist."""
    try:
        make_folder(path.parent)
        with _opened(path) as out:
            out.write(data)
    except OSError as error:
        raise folder_write_error(path.parent, error) from error


def folder_write_error(folder: Path, error: OSError) -> UsageError:
    """The error for one of kdscan's own folders that could not be written."""
    return UsageError(
        "{path}: this folder cannot be written ({why}); make room there, or ask for write access",
        path=folder,
        why=error.strerror or error,
    )


def remove_file(path: Path) -> None:
    """Delete a file if it exists; raise `UsageError` if the system does not allow it."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            "{path} cannot be removed ({why}); ask for write access to its folder",
            path=path,
            why=error.strerror or error,
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if "\0" in str(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    descriptor = _descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()  # what was printed before comes first
        with os.fdopen(os.dup(descriptor), "wb") as out:
            yield out
        return
    target = Path(os.path.realpath(path))
    _spare_stores(path, target)
    if target.exists() and not target.is_file():  # opening a folder raises a suitable error
        with target.open("wb") as out:
            yield out
        return
    with replacing(target) as out:
        yield out


@contextmanager
def replacing(target: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A binary file that replaces a regular file, or none, at the end if all went well; name and
    content have then reached the disk.

    mode: permissions of a new file, minus the umask; existing ones are kept. Raises OSError.
    """
    old = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # Opened like this, rather than by `tempfile`, it has the permissions of any new file.
    part = target.with_name(f".kdscan-{os.urandom(16).hex()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if old is not None:
            part.chmod(old)
        part.replace(target)
    except BaseException:
        with suppress(OSError):  # if nothing can be written, nothing can be deleted either
            part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system can do that; raises OSError."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, and flush each to disk; raises OSError."""
    new = [folder, *folder.parents]
    new = [one for one in new if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in new:
        sync_folder(one.parent)


def default_folder() -> Path:
    """The folder for this user's data; raises UsageError if the system knows none."""
    from platformdirs import user_data_path

    try:
        return user_data_path("kdscan", appauthor=False)
    except RuntimeError as error:  # in containers a user may have neither a name nor HOME
        raise UsageError(
            "this user has no home folder; set HOME to a folder for your data"
        ) from error


def _descriptor(path: Path) -> int | None:
    """The open file of this process to which a path such as `/dev/stdout` refers.

    It may be a regular file; replacing it by name would not write to the one that the shell opened.
    """
    place = os.path.abspath(path)  # noqa: PTH100  # links are followed one by one
    for _ in range(_LINKS):
        folder, name = os.path.split(place)
        for spelled in (place, os.path.join(os.path.realpath(folder), name)):  # noqa: PTH118
            found = _DESCRIPTORS.fullmatch(spelled)
            if found and found[1] in (None, "self", str(os.getpid())):
                return int(found[2])
        if not os.path.islink(place):  # noqa: PTH114  # takes any name; Path may raise
            return None
        place = os.path.normpath(os.path.join(folder, os.readlink(place)))  # noqa: PTH115, PTH118
    return None


def _spare_stores(path: Path, target: Path) -> None:
    """Raise `UsageError` for an SQLite file, for what SQLite keeps beside it, and for stored
    photos."""
    found = _BESIDE_SQLITE.fullmatch(target.name)
    of_store = [target, *([target.with_name(found[1])] if found else ())]
    for folder in target.parents:
        if folder.suffix == ".photos":
            of_store += [folder.with_suffix(s) for s in (".sqlite", ".sqlite3", ".db", "")]
    if any(_is_sqlite(file) for file in of_store):
        raise UsageError("{path} belongs to a store; name another file", path=path)


def _is_sqlite(file: Path) -> bool:
    try:
        if not file.is_file():
            return False
        with file.open("rb") as content:
            return content.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False
