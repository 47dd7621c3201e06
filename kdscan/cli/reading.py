"""From the names of files to what was read in them, one photo or page at a time.

A file that cannot be read becomes a report with its error, and the next one is read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kdscan.cli.book_corrections import BookCorrection
from kdscan.cli.corrections import AnyCorrection, Correction, square_of
from kdscan.errors import PhotoError, UsageError
from kdscan.imaging.photo import decode, open_photos
from kdscan.kinds.common.options import ReadOptions
from kdscan.kinds.duel_map.correct import correct
from kdscan.kinds.kingdom.correct import correct_kingdom
from kdscan.kinds.spellbook.correct import correct_book
from kdscan.pipeline.document import PhotoReport
from kdscan.pipeline.pages import read_page
from kdscan.records import (
    AnyReading,
    KingdomReading,
    Photo,
    SpellbookReading,
)

STDIN = "-"
"""The name under which a photo is read from stdin."""

Progress = Callable[[int, str], None]
"""Called before each file with its number from 1 and its name."""


def read_all(
    paths: Sequence[str],
    corrections: Sequence[AnyCorrection],
    options: ReadOptions,
    progress: Progress,
) -> Iterator[tuple[PhotoReport, Photo | None]]:
    """Yield a report for each photo or page, with the picture where there is one.

    Raises `ModelError`, because then no photo can be read, and `UsageError`.
    """
    number = 0
    for at, path in enumerate(paths, 1):
        progress(at, path)
        try:
            pages = decode(_stdin(), path) if path == STDIN else open_photos(path)
        except PhotoError as error:
            yield PhotoReport(path, error=error), None
            number += 1
            continue
        if len(paths) > 1 or len(pages) > 1:
            _check_photos_named(corrections)
        for page in range(len(pages)):
            mine = [c for c in corrections if (c.photo or 0) == number]
            change = partial(_corrected, corrections=mine, risk=options.risk)
            yield read_page(pages, page, options, change)
            number += 1


def _stdin() -> bytes:
    """A photo from stdin; raise `UsageError` where somebody would have to type it."""
    if sys.stdin.isatty():
        raise UsageError("-: a photo is read from stdin, like: kdscan score - < photo.jpg")
    return sys.stdin.buffer.read()


def _check_photos_named(corrections: Sequence[AnyCorrection]) -> None:
    for one in corrections:
        if one.photo is None:
            raise UsageError(
                "--set {text}: there are several photos; say which, like --set 2:{text}",
                text=one.text,
            )


def _corrected(
    sheet: AnyReading, number: int, *, corrections: Sequence[AnyCorrection], risk: float
) -> AnyReading:
    mine = [c for c in corrections if c.sheet == number]
    if not mine:
        return sheet
    lines = [c for c in mine if isinstance(c, BookCorrection)]
    cells = [c for c in mine if isinstance(c, Correction)]
    if isinstance(sheet, SpellbookReading):
        if cells:
            raise UsageError(
                "--set {text}: that is a spellbook, it has no such cells", text=cells[0].text
            )
        return _book(sheet, lines)
    if lines:
        raise UsageError(
            "--set {text}: that is no spellbook; name its sheet, like 1.3:", text=lines[0].text
        )
    if isinstance(sheet, KingdomReading):
        return correct_kingdom(
            sheet, {c.cell: square_of(c, sheet.variants.size) for c in cells}, risk=risk
        )
    for one in cells:
        if one.refused:
            raise one.refused
    return correct(sheet, {c.cell: (c.coat, c.crosses) for c in cells}, risk=risk)


def _book(book: SpellbookReading, parsed: Sequence[BookCorrection]) -> SpellbookReading:
    lines = {(c.player, c.coat): c.line for c in parsed if c.line and c.coat}
    return correct_book(book, lines, {c.player: c.coat for c in parsed if c.line is None})
