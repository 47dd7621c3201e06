"""Reads files given by name, one photo or page at a time.

A file that cannot be read becomes a report with its error, and reading continues with the next one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kdscan.document import PhotoReport
from kdscan.errors import PhotoError, UsageError
from kdscan.imaging.limits import MAX_BYTES
from kdscan.imaging.photo import decode, open_photos
from kdscan.reader import read_page
from kdscan.sheets.base import kind_of
from kdscan.sheets.common import ReadOptions

if TYPE_CHECKING:
    from kdscan.cli.corrections import Correction
    from kdscan.imaging.picture import Photo
    from kdscan.sheets.base import AnyReading

STDIN = "-"
"""The name under which a photo is read from stdin."""

Progress = Callable[[int, str], None]
"""Called before each file with its number from 1 and its name."""


def read_stdin() -> bytes:
    """A photo from stdin; raise `UsageError` if stdin is a terminal."""
    if sys.stdin.isatty():
        raise UsageError("-: the photo comes from standard input, like: kdscan score - < photo.jpg")
    return sys.stdin.buffer.read(MAX_BYTES + 1_000_000)  # too many; a pipe may be endless


def read_all(
    paths: Sequence[str],
    corrections: Sequence[Correction],
    options: ReadOptions,
    progress: Progress,
    only: Container[int] | None = None,
    stdin: Callable[[], bytes] = read_stdin,
) -> Iterator[tuple[int, PhotoReport, Photo | None]]:
    """Yield the number (from 0) of each photo or page, its report, and its picture if there is one.

    only: numbers of those to read; all if omitted. stdin: called for the photo named `-`. Raises
    `ModelError`, because then no photo can be read, and `UsageError`.
    """
    number = 0
    for at, path in enumerate(paths, 1):
        progress(at, path)
        try:
            pages = decode(stdin(), path) if path == STDIN else open_photos(path)
        except PhotoError as error:
            if only is None or number in only:
                yield number, PhotoReport(path, error=error), None
            number += 1
            continue
        if len(paths) > 1 or len(pages) > 1:
            _check_photos_named(corrections)
        for page in range(len(pages)):
            if only is None or number in only:
                mine = [c for c in corrections if (c.photo or 0) == number]
                change = partial(_corrected, corrections=mine, risk=options.risk) if mine else None
                yield number, *read_page(pages, page, options, change)
            number += 1


def _check_photos_named(corrections: Sequence[Correction]) -> None:
    for one in corrections:
        if one.photo is None:
            raise UsageError(
                "--set {text}: there are several photos; say which, like --set 2:{text}",
                text=one.text,
            )


def _corrected(
    sheet: AnyReading, number: int, *, corrections: Sequence[Correction], risk: float
) -> AnyReading:
    from kdscan.cli.corrections import field_of
    from kdscan.sheets.kingdom.model import KingdomReading

    size = sheet.variants.size if isinstance(sheet, KingdomReading) else 0
    fields = dict(field_of(one, sheet.kind, size) for one in corrections if one.sheet == number)
    return kind_of(sheet).correct_fields(sheet, fields, risk) if fields else sheet
