"""From the names of files to what was read in them, one photo or page at a time.

A file that cannot be read becomes a report with its error, and the next one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kdscan.cli.corrections import Correction
from kdscan.errors import Bug, ModelError, NoSheetFound, PhotoError, UsageError
from kdscan.pipeline import correct, read_photo
from kdscan.records import AnyReading, Photo, SheetReading
from kdscan.report import PhotoReport
from kdscan.vision.decode import DEFAULT_RISK
from kdscan.vision.photo import Pages, open_photos

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
            yield _read_page(pages, page, mine, accepted)
            number += 1


def _check_photos_named(corrections: Sequence[Correction]) -> None:
    for one in corrections:
        if one.photo is None:
            raise UsageError(
                f"--set {one.text}: there are several photos; say which, like --set 2:{one.text}"
            )


def _read_page(
    pages: Pages, page: int, corrections: Sequence[Correction], risk: float
) -> tuple[PhotoReport, Photo | None]:
    report = partial(PhotoReport, pages.name, page, len(pages))
    try:
        photo = pages[page]
    except PhotoError as error:
        return report(error=error), None
    size = (photo.width, photo.height)
    try:
        sheets = read_photo(photo, risk=risk)
        corrected = [_corrected(s, n, corrections, risk) for n, s in enumerate(sheets)]
        return report(size, tuple(corrected)), photo
    except NoSheetFound as error:
        return report(size, error=error), photo
    except (ModelError, UsageError):
        raise
    except Exception as cause:
        # The other photos are still read; the exit code says that there was a bug.
        bug = Bug(f"a bug in kdscan: {type(cause).__name__}: {cause}; please report it")
        bug.__cause__ = cause
        return report(size, error=bug), photo


def _corrected(
    sheet: AnyReading, number: int, corrections: Sequence[Correction], risk: float
) -> AnyReading:
    mine = [c for c in corrections if c.sheet == number]
    if not mine:
        return sheet
    if not isinstance(sheet, SheetReading):
        raise UsageError(f"--set {mine[0].text}: that is no map of Kingdomino Duel")
    return correct(sheet, {c.cell: (c.coat, c.crosses) for c in mine}, risk=risk)
