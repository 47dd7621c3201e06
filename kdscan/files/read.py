"""Text files up to a largest size: a device such as /dev/zero would fill all memory."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TextIO

LARGEST = 16_000_000
"""Letters of a text at most: boards of 100,000 games."""


def read_text(source: Path | TextIO) -> str:
    """All of a file in UTF-8, or of an open stream, without the mark that editors put before it.

    Raises `OSError`, also for more than `LARGEST` letters, and `ValueError` for what is no text in
    UTF-8 and for a name with a null byte.
    """
    if isinstance(source, Path):
        with source.open(encoding="utf-8") as stream:
            return read_text(stream)
    text = source.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return text.removeprefix("\ufeff")
