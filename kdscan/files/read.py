"""Text files up to a maximum size: a device such as /dev/zero would fill all memory."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TextIO

from kdscan.errors import UsageError

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
