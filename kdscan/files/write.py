"""Atomic writing of files: completely or not at all, whatever happens meanwhile.

Data are written to a randomly named file beside the target, synced, and then renamed over it: a
full disk, a killed program or a power failure leaves the old file as it was. Links stay links. A
device or a pipe is written to directly; `-` is stdout. A store is never overwritten.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

import platformdirs

from kdscan.errors import UsageError

STDOUT = Path("-")
"""The name that means standard output."""

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""All its names. It may be a regular file, and one renamed over it is not what the shell opened."""


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write, which gets the name `path` at the end if all went well, and is
    deleted otherwise.

    Raises `UsageError` if it cannot be written, or is a store; for stdout OSError, like `print`.
    """
    if str(path) in _STDOUT:
        sys.stdout.flush()  # what was printed before comes first
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if "\0" in str(path):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():  # opening a folder raises a suitable error
            with target.open("wb") as out:
                yield out
            return
        if target.is_file():
            with target.open("rb") as old:
                if old.read(16) == b"SQLite format 3\0":
                    raise UsageError("{path} belongs to a store; name another file", path=path)
        with replacing(target) as out:
            yield out
    except OSError as error:
        raise write_error(path, error) from error


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
        with replacing(path) as out:
            out.write(data)
    except OSError as error:
        raise folder_write_error(path.parent, error) from error


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


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, and flush each to disk; raises OSError."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in new:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system can do that; raises OSError."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def default_folder() -> Path:
    """The folder for this user's data; raises UsageError if the system knows none."""
    try:
        return platformdirs.user_data_path("kdscan", appauthor=False)
    except RuntimeError as error:  # in containers a user may have neither a name nor HOME
        raise UsageError(
            "this user has no home folder; set HOME to a folder for your data"
        ) from error


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


def folder_write_error(folder: Path, error: OSError) -> UsageError:
    """The error for one of kdscan's own folders that could not be written."""
    return UsageError(
        "{path}: this folder cannot be written ({why}); make room there, or ask for write access",
        path=folder,
        why=error.strerror or error,
    )
