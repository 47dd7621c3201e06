"""One page of a file, read, whatever comes of it: sheets, or the error that stands for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kdscan.errors import Bug, ModelError, NoSheetFound, PhotoError, UsageError
from kdscan.game.kingdomino.variants import PLAIN, Variants
from kdscan.imaging.photo import Pages
from kdscan.marks.decode import DEFAULT_RISK
from kdscan.pipeline.document import PhotoReport
from kdscan.pipeline.read import Game, read_photo
from kdscan.pipeline.table import share
from kdscan.prints.known import KnownPrint
from kdscan.records import AnyReading, Photo

Change = Callable[[AnyReading, int], AnyReading]
"""What becomes of a sheet, given its number from 0: corrections, mostly."""


def read_page(
    pages: Pages,
    page: int,
    *,
    risk: float = DEFAULT_RISK,
    game: Game | None = None,
    variants: Variants = PLAIN,
    change: Change | None = None,
    prints: Sequence[KnownPrint] = (),
) -> tuple[PhotoReport, Photo | None]:
    """Read a page of a file; the picture comes along if it could be decoded.

    risk, game, variants, prints: see `kdscan.read_photo`. A photo that cannot be read, holds no
    sheet or meets a bug is a report with its error. Raises `ModelError`, because then no photo can
    be read, and `UsageError` of `change`.
    """
    report = partial(PhotoReport, pages.name, page, len(pages))
    try:
        photo = pages[page]
    except PhotoError as error:
        return report(error=error), None
    size = (photo.width, photo.height)
    try:
        sheets = read_photo(photo, risk=risk, game=game, variants=variants, prints=prints)
        if change is not None:
            changed = [change(sheet, number) for number, sheet in enumerate(sheets)]
            sheets = share(changed, risk)
        return report(size, sheets), photo
    except NoSheetFound as error:
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
