"""From the names of files to what was read in them, one photo or page at a time.

A file that cannot be read becomes a report with its error, and the next one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kdscan.cli.corrections import Correction
from kdscan.errors import PhotoError, UsageError
from kdscan.pipeline import correct
from kdscan.reading import read_page
from kdscan.records import AnyReading, Photo, SheetReading
from kdscan.report import PhotoReport
from kdscan.vision.decode import DEFAULT_RISK
from kdscan.vision.photo import open_photos

Progress = Callable[[int, str], None]
"""Called before each file with its number from 1 and its name."""


def read_all(
    paths: Sequence[str],
    corrections: Sequence[Correction],
    risk: float | None,
    progress: Progress,
) -> Iterator[tuple[PhotoReport, Photo | None]]:
    """Yield a report for each photo or page, with the picture where there is one.

    risk: see `kdscan.pipeline.read_photo`; None for its default.
    Raises `ModelError`, because then no photo can be read, and `UsageError`.
    """
    accepted = DEFAULT_RISK if risk is None else risk
    number = 0
    for at, path in enumerate(paths, 1):
        progress(at, path)
        try:
            pages = open_photos(path)
        except PhotoError as error:
            yield PhotoReport(path, error=error), None
            number += 1
            continue
        if len(paths) > 1 or len(pages) > 1:
            _check_photos_named(corrections)
        for page in range(len(pages)):
            mine = [c for c in corrections if (c.photo or 0) == number]
            change = partial(_corrected, corrections=mine, risk=accepted)
            yield read_page(pages, page, risk=accepted, change=change)
            number += 1


def _check_photos_named(corrections: Sequence[Correction]) -> None:
    for one in corrections:
        if one.photo is None:
            raise UsageError(
                f"--set {one.text}: there are several photos; say which, like --set 2:{one.text}"
            )


def _corrected(
    sheet: AnyReading, number: int, *, corrections: Sequence[Correction], risk: float
) -> AnyReading:
    mine = [c for c in corrections if c.sheet == number]
    if not mine:
        return sheet
    if not isinstance(sheet, SheetReading):
        raise UsageError(f"--set {mine[0].text}: that is no map of Kingdomino Duel")
    return correct(sheet, {c.cell: (c.coat, c.crosses) for c in mine}, risk=risk)
