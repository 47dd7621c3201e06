"""Reading one page of a file into a report: its sheets, or an error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kdscan.errors import ModelError, NoSheetFound, PhotoError, UsageError, bug_of
from kdscan.imaging.photo import Pages
from kdscan.pipeline.document import PhotoReport
from kdscan.pipeline.read import read_with
from kdscan.pipeline.table import interpret_table
from kdscan.sheets.common.options import ReadOptions

if TYPE_CHECKING:
    from kdscan.records import AnyReading, Photo

Change = Callable[["AnyReading", int], "AnyReading"]
"""Changes a reading, given its index: mostly corrections."""


DEFAULT = ReadOptions()


def read_page(
    pages: Pages,
    page: int,
    options: ReadOptions = DEFAULT,
    change: Change | None = None,
) -> tuple[PhotoReport, Photo | None]:
    """Read a page of a file; also returns its photo if it could be decoded.

    A photo that cannot be decoded, shows no sheet or triggers a bug gives a report with the error.
    Raises `ModelError`, because then no photo can be read, and `UsageError` from `change`.
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
            sheets = interpret_table(changed, options.risk)
        return report(size, sheets), photo
    except (NoSheetFound, PhotoError) as error:  # a large photo may be decoded in full only here
        return report(size, error=error), photo
    except (ModelError, UsageError):
        raise
    except Exception as cause:
        # The other photos are still read; the exit code says that there was a bug.
        return report(size, error=bug_of(cause)), photo
