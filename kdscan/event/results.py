"""The sheets of an event, and the rows of its results, a sheet or a file that shows none each."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.event.names import Assignment
from kdscan.event.sheets import Brief
from kdscan.event.store.schema import FileRow, PhotoRow
from kdscan.files import Json
from kdscan.sheets.base import AnyEvidence, AnyReading, SheetType, kind_named

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"
CONFLICT = "conflict"


@dataclass(frozen=True)
class Sheet:
    """A sheet of paper in a photo, according to its newest reading. number: its index there.

    code: text of its printed code. basis: what `brief`, its current state, rests on; None if
    nothing but the reading.
    """

    id: int
    photo_id: int
    page: int
    number: int
    reading_id: int
    kind: str
    code: str | None
    basis: str | None
    brief: Brief

    @property
    def type(self) -> SheetType[AnyEvidence, AnyReading] | None:
        """What kind of sheet it is; None for one of a newer version."""
        return kind_named(self.kind)

    @property
    def place(self) -> str:
        """Page and number on it, counted from 1, like 2.1."""
        return f"{self.page + 1}.{self.number + 1}"

    def name_in(self, file: str) -> str:
        """Its name for people: the file's, with the sheet's place unless it is the first."""
        return file if (self.page, self.number) == (0, 0) else f"{file}#{self.place}"


@dataclass(frozen=True)
class Result:
    """A row of an event's results: a file, or a page of its photo, that shows no sheet; or a
    `SheetResult`. status: one of the words above.

    photo: None if the file could not be read at all. other: the name of a file with the same photo,
    or of a sheet (`name#page.number`) that shows the same sheet better or bears the same code.
    """

    file: FileRow
    photo: PhotoRow | None
    status: str
    page: int = 0
    other: str | None = None
    problem: Json | None = None

    @property
    def name(self) -> str:
        """Its name for people: the file, and the page or sheet if there are others."""
        pages = self.photo.pages if self.photo else None
        return f"{self.file.name}#{self.page + 1}" if pages and pages > 1 else self.file.name


@dataclass(frozen=True, kw_only=True)
class SheetResult(Result):
    """A row with a sheet. It counts if its status is `OK` or `REVIEW`, and may count if it is
    `CONFLICT`: another sheet bears its code, and a person must say whose is which. corrected:
    somebody said something of it."""

    photo: PhotoRow
    sheet: Sheet
    assignment: Assignment
    corrected: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is a sheet of the event, and not another photo of one."""
        return self.status in (OK, REVIEW, CONFLICT)

    @property
    def name(self) -> str:
        return self.sheet.name_in(self.file.name)

    @property
    def address(self) -> str:
        """The name that tells a sheet from all others: the file, and the sheet's place in it."""
        return f"{self.file.name}#{self.sheet.place}"


def short_name(file: str) -> str:
    """A file's own name, because the folders of a batch should not be published on the network."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def reason_of(row: FileRow | PhotoRow) -> Json | None:
    """Why a file or photo could not be read, as `kdscan.i18n.errors` tells it."""
    if row.error_code is None:
        return None
    reason = {"code": row.error_code, "message": row.error_message or ""}
    return reason | (row.error_said or {})
