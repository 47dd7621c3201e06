"""All errors that kdscan raises on purpose.

    KdscanError
    ├── UsageError            2   wrong usage, or a file that cannot be used
    │   └── LayoutError       2   a layout file is broken
    ├── PhotoError            3   a file could not be read as a picture
    │   ├── UnreadableImage   3   broken, empty, cut off, or no picture at all
    │   ├── ImageTooLarge     3   more pixels or bytes than a photo can have
    │   └── ReaderDied        3   the process that read it crashed or took too long
    ├── NoSheetFound          4   a picture, but no sheet on it
    │   └── BlankPage         4   a page with nothing on it, such as the back of a sheet
    ├── ModelError            6   weights missing, corrupt or of another version
    ├── StoreError            8   the store cannot be reached, written or understood
    │   └── StoreFull         8   there is no room for more
    └── Bug                   1   something that should never happen, did

Every error has the exit code of the command line (`exit_code`), a stable name for JSON (`code`)
and, in its message, what to do about it. Violations of the game's rules are not errors: they are
`Problem` values beside the reading.
"""

from __future__ import annotations

from typing import ClassVar


class KdscanError(Exception):
    """Base of all errors that kdscan raises on purpose.

    text: English text, a key of the catalogues (`kdscan.i18n`); values: for its {braces}. `what`
    is a key too, and another error as a value is expressed in its own words. A text that the
    catalogues lack is not translated.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, text: str, /, **values: object) -> None:
        super().__init__(text.format(**values) if values else text)
        self.text, self.values = text, values


class UsageError(KdscanError):
    """Wrong usage, a file that cannot be used, or a change that is not possible."""

    code = "usage"
    exit_code = 2


class LayoutError(UsageError):
    """A layout file is missing, broken or contradicts itself."""

    code = "bad_layout"


class PhotoError(KdscanError):
    """A file could not be read as a picture."""

    code = "unreadable_image"
    exit_code = 3


class UnreadableImage(PhotoError):
    """The file is broken, empty, cut off, or no picture at all."""


class ImageTooLarge(PhotoError):
    """The file claims more pixels or bytes than a photo can have."""

    code = "image_too_large"


class ReaderDied(PhotoError):
    """The process that read the photo crashed, ran out of memory or took too long."""

    code = "reader_died"


class NoSheetFound(KdscanError):
    """The picture is fine, but no sheet was found on it."""

    code = "no_sheet"
    exit_code = 4


class BlankPage(NoSheetFound):
    """There is nothing on the page: a scanner's feeder scans both sides of a sheet."""

    code = "blank_page"


class ModelError(KdscanError):
    """Weights are missing, corrupt or for another version."""

    code = "model"
    exit_code = 6


class StoreError(KdscanError):
    """The store cannot be reached, written to or understood."""

    code = "store"
    exit_code = 8


class StoreFull(StoreError):
    """There is no room for more: on the disk, or in what one may send."""

    code = "store_full"


class Bug(KdscanError):
    """Something that should never happen did, while one photo was read; the cause is chained."""

    code = "bug"
    exit_code = 1


def bug_of(cause: Exception) -> Bug:
    """An unexpected exception as a `Bug`."""
    bug = Bug(f"a bug in kdscan: {type(cause).__name__}: {cause}; please report it")
    bug.__cause__ = cause
    return bug
