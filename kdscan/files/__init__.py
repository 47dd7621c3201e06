"""Files: names, reading, and atomic writing, completely or not at all, whatever happens meanwhile.

Data are written to a randomly named file beside the target, synced, and then renamed over it: a
full disk, a killed program or a power failure leaves the old file as it was. Links stay links. A
device or a pipe is written to directly; `-` is stdout. A store is never overwritten.
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
from typing import Any, BinaryIO, TextIO
from unicodedata import category, normalize

import platformdirs

from kdscan.errors import UsageError

Json = dict[str, Any]
"""A JSON object that no type here describes: a kind's evidence, details of a row, an answer."""


# Names in one spelling, and sanitised for stores, terminals and other programs: no control or
# misleading characters.

MAX_LETTERS = 200
"""Most letters of a name; three times the longest that any table shows."""

STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of invisible characters with an effect: new lines, right to left, …"""

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: part of the spelling in Persian, Hindi, and many emoji."""

_IDLE = f"(?<![\u0590-\U0010ffff])[{JOINERS}]|[{JOINERS}](?![\u0590-\U0010ffff])"
"""Joiners in Latin, Greek, Cyrillic and Armenian, the scripts before U+0590: they do nothing. (A
pattern that is compiled on use; it takes 4 ms.)"""


def escape_control(name: str) -> str:
    """A name with escapes for bytes that are not text and for control characters."""
    if name.isprintable():
        return name
    try:
        text = os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        text = name.encode("utf-8", "backslashreplace").decode()
    return "".join(
        c.encode("unicode_escape").decode("ascii")
        if category(c) in STEERING and c not in JOINERS
        else c
        for c in text
    )


def normalize_name(name: str) -> str:
    """A name in one spelling: accents as one letter each (Unicode's form NFC), as most keyboards
    type them, single spaces between its words, and none of the invisible marks that phones and
    spreadsheets put around what is copied; joiners stay where they shape letters."""
    letters = "".join(c for c in name if category(c) != "Cf" or c in JOINERS)
    return normalize("NFC", " ".join(re.sub(_IDLE, "", letters).split()))


def hide_password(word: str) -> str:
    """A URL, or any other word, without anything that may be a password."""
    return re.sub("(://[^:@]*:).*(?=@)|(password=)[^&]*", r"\1\2***", word)


def plain_name(name: str) -> str:
    """A name for comparison: without case, accents and joiners, with single spaces between its
    words."""
    letters = normalize("NFKD", normalize_name(name).casefold())
    return "".join(c for c in letters if category(c) not in "Mn Cf")


def by_surname(name: str) -> tuple[str, str]:
    """A key that sorts names by surname, however they are spelled: "Doe, John", "John Doe", and
    "John Doe B" or "John Doe (Leeds)", as two of one name are told apart."""
    plain = plain_name(name)
    surname, comma, _ = plain.partition(",")
    if not comma:
        words = re.sub(r"\s*\(.*\)$", "", plain).split() or [plain]
        alone = len(words) > 2 and len(words[-1].rstrip(".")) == 1
        surname = words[-2] if alone else words[-1]
    return surname.strip(), plain


def check_name(name: str) -> None:
    """Raise `UsageError` for a name that should not be stored: too long, or with invisible or
    invalid characters."""
    if len(name) > MAX_LETTERS:
        raise UsageError(
            "{name}…: a name can have at most {most} letters; shorten it",
            name=name[:40],
            most=MAX_LETTERS,
        )
    if escape_control(name) != name:
        raise UsageError(
            "{name}: a name cannot contain invisible or invalid characters; type it again",
            name=name,
        )


def new_name(text: str) -> str:
    """A player's name as it is stored; raises `UsageError` for one that should not be."""
    name = normalize_name(text)
    if not name:
        raise UsageError("a player needs a name")
    check_name(name)
    return name


def in_list_error(name: str) -> UsageError:
    """The error for the name of another player."""
    return UsageError(
        "{name} is in the list already; tell two of one name apart by a letter or a town.",
        name=name,
    )


# Texts up to a maximum size: a device such as /dev/zero would fill all memory.

LARGEST = 16_000_000
"""Most letters of a text: boards of 100,000 games."""


def read_text(source: Path | TextIO) -> str:
    """The whole content of a UTF-8 file or an open stream, without a byte order mark.

    Raises `OSError`, also for more than `LARGEST` letters, and `ValueError` for text that is not
    UTF-8 and for a name with a null byte.
    """
    if isinstance(source, Path):
        with source.open(encoding="utf-8") as stream:
            return read_text(stream)
    text = source.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return text.removeprefix("\ufeff")


def is_folder(path: Path | str) -> bool:
    """Whether a path leads to a folder; False also without permission to look, or for an impossible
    name, for which `Path.is_dir` raises."""
    return os.path.isdir(path)  # noqa: PTH112


def folder_read_error(folder: Path | str, error: OSError) -> UsageError:
    """The error for a folder that cannot be listed."""
    return UsageError(
        "{path}: this folder cannot be read ({why}); ask for access to it",
        path=folder,
        why=error.strerror or error,
    )


def read_error(error: OSError | ValueError) -> UsageError:
    """The error for a file that could not be read, with the remedy; the caller names the file."""
    if isinstance(error, FileNotFoundError):
        return UsageError("there is no such file; check the name and the folder")
    if isinstance(error, IsADirectoryError):
        return UsageError("this is a folder; name a file in it")
    if isinstance(error, PermissionError):
        return UsageError("no permission to read the file; ask for read access")
    if isinstance(error, UnicodeDecodeError):
        return UsageError("this is not UTF-8 text; save it again as UTF-8")
    why = (error.strerror if isinstance(error, OSError) else None) or error
    return UsageError("the file could not be read: {why}", why=why)


# Writing

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
