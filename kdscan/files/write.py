"""Files that kdscan writes: there whole or not at all, whatever happens meanwhile.

    with writing(Path("results.csv")) as out:
        out.write(b"...")

Written beside the file under a name by lot, synced, then renamed over it: a full disk, a killed
program or a loss of power leaves the old file as it was. Links stay links. What is no regular
file (a device, a pipe, `/dev/stdout`) is written to as it is; `-` is stdout. A store is never
written over.
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
"""What an SQLite file starts with (sqlite.org/fileformat.html, 1.3)."""

_BESIDE_SQLITE = re.compile(r"(.+)-(?:wal|shm|journal)")
"""Files that SQLite keeps beside a database, and that belong to it."""

_DESCRIPTORS = re.compile(r"(?:/proc/(self|\d+)|/dev)/fd/(\d+)")
"""Names of open files."""

_LINKS = 40  # as many as Linux follows


STDOUT = Path("-")


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write; it takes the name `path` at the end if all went well, else is gone.

    Raises `UsageError` when it cannot be written, or is a store; OSError, as `print`, of stdout.
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
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> UsageError:
    """What to say of a file that the system did not let us write."""
    if isinstance(error, FileNotFoundError):
        return UsageError(
            "{path}: there is no folder {parent}; make it first", path=path, parent=path.parent
        )
    return UsageError(
        "{path} cannot be written ({why}); make room there, or name another file",
        path=path,
        why=error.strerror or error,
    )


@contextmanager
def writing_text(path: Path) -> Iterator[TextIO]:
    """The same as UTF-8 text; line ends are written as they are."""
    with writing(path) as out:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; raise `UsageError`, see `writing`."""
    with writing(path) as out:
        out.write(data)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if "\0" in str(path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    descriptor = _descriptor(path)
    if descriptor is not None:
        sys.stdout.flush()  # what was printed comes first
        with os.fdopen(os.dup(descriptor), "wb") as out:
            yield out
        return
    target = Path(os.path.realpath(path))
    _spare_stores(path, target)
    if target.exists() and not target.is_file():  # opening a folder says what is wrong
        with target.open("wb") as out:
            yield out
        return
    with replacing(target) as out:
        yield out


@contextmanager
def replacing(target: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A binary file that takes the name of a regular file, or of none, at the end if all went
    well; name and content have then reached the disk.

    mode: permissions of a new file, less the umask; an old one's stay. Raises OSError.
    """
    old = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # Opened like this, and not by `tempfile`, it has the permissions of any new file.
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
        with suppress(OSError):  # where nothing can be written nothing can be taken away
            part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder reach the disk, where the system can do that; raises OSError."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each of which reaches the disk; raises OSError."""
    new = [folder, *folder.parents]
    new = [one for one in new if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in new:
        sync_folder(one.parent)


def default_folder() -> Path:
    """Where this user's programs keep their data."""
    from platformdirs import user_data_path

    return user_data_path("kdscan", appauthor=False)


def _descriptor(path: Path) -> int | None:
    """The open file of this process that a path such as `/dev/stdout` stands for.

    It may be a regular file; replaced by name, it would not be the one that the shell opened.
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
    """Raise `UsageError` for an SQLite file, what SQLite keeps beside it, and kept photos."""
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
