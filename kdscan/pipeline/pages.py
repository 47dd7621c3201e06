"""One page of a file, read, whatever comes of it: sheets, or the error that stands for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kdscan.errors import Bug, ModelError, NoSheetFound, PhotoError, UsageError
from kdscan.imaging.photo import Pages
from kdscan.kinds.common.options import ReadOptions
from kdscan.pipeline.document import PhotoReport
from kdscan.pipeline.read import read_with
from kdscan.pipeline.table import apply_spellbook
from kdscan.records import AnyReading, Photo

Change = Callable[[AnyReading, int], AnyReading]
"""What becomes of a sheet, given its number from 0: corrections, mostly."""


DEFAULT = ReadOptions()


def read_page(
    pages: Pages,
    page: int,
    options: ReadOptions = DEFAULT,
    change: Change | None = None,
) -> tuple[PhotoReport, Photo | None]:
    """Read a page of a file; the picture comes along if it could be decoded.

    A photo that cannot be read, holds no sheet or meets a bug is a report with its error. Raises
    `ModelError`, because then no photo can be read, and `UsageError` of `change`.
    """
    report = partial(PhotoReport, pages.name, page, len(pages))
    try:
        photo = pages[page]
    except PhotoError as error:
        return report(error=error), None
    size = (photo.width, photo.height)
    try:
        sheets = read_with(photo, options)
        if change is not None:
            changed = [change(sheet, number) for number, sheet in enumerate(sheets)]
            sheets = apply_spellbook(changed, options.risk)
        return report(size, sheets), photo
    except (NoSheetFound, PhotoError) as error:  # the whole of it is decoded when it is needed
        return report(size, error=error), photo
    except (ModelError, UsageError):
        raise
    except Exception as cause:
        # The other photos are still read; the exit code says that there was a bug.
        return report(size, error=bug_of(cause)), photo


def bug_of(cause: Exception) -> Bug:
    """The error that stands for one that nobody foresaw."""
    bug = Bug(f"a bug in kdscan: {type(cause).__name__}: {cause}; please report it")
    bug.__cause__ = cause
    return bug
