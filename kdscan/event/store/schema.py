"""The tables, each declared once as the record of its rows. `docs/store.md` says what each column
means.

`upgrade` creates them for a new store, and brings those of an older one up to date.

Nothing that a person did or a model read is ever overwritten: readings and actions are only added.
A `sheet` row points to the newest reading of its piece of paper, and holds its current state, which
can be computed anew from those. `version` of an event is raised with every change; that of a photo
is the event's when the photo or one of its sheets last changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
import msgspec.inspect
from msgspec import Meta, Struct
from sqlalchemy import (
    JSON,
    Column,
    Connection,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from kdscan.files import Json

R = TypeVar("R", bound=Struct)

MOST_NUMBER = 2**31 - 1
"""The largest number that a column of both databases can hold."""

Key = Annotated[int, Meta(ge=1, le=MOST_NUMBER)]
Count = Annotated[int, Meta(ge=0, le=MOST_NUMBER)]
Page = Annotated[int, Meta(ge=0, le=5_000)]
"""A file of more pages, as a PDF of photos, would have a gigabyte."""

Prose = Annotated[str, Meta(max_length=20_000)]
Word = Annotated[str, Meta(max_length=50)]
Short = Annotated[str, Meta(max_length=30)]
Brand = Annotated[str, Meta(max_length=20)]
Suffix = Annotated[str, Meta(max_length=10)]
Sha256 = Annotated[str, Meta(max_length=64, pattern="^[0-9a-f]{64}$")]


class Setting(Struct, frozen=True):
    """A setting of the store itself."""

    key: Word
    value: Prose


class EventRow(Struct, frozen=True):
    """What is stored of an event itself. game: "duel" or "kingdomino"."""

    id: Key
    name: Prose
    game: Brand
    details: Json
    created_at: datetime
    version: Count = 0


class ActionRow(Struct, frozen=True):
    """What somebody did; see `kdscan.event.log.Entry`."""

    id: Key
    event_id: Key
    at: datetime
    who: Prose
    role: Suffix
    session: Word
    action: Json


class PhotoRow(Struct, frozen=True):
    """A file by its content. pages: None before it is opened; errors: why it cannot be opened."""

    id: Key
    event_id: Key
    sha256: Sha256
    suffix: Suffix
    size: Count
    pages: Page | None
    error_code: Word | None
    error_message: Prose | None
    error_said: Json | None
    added_at: datetime
    version: Count = 0

    def key(self, page: int | None = None) -> str:
        """How the log names it, or one of its pages, which are counted from 0."""
        return f"photo:{self.sha256}" if page is None else f"page:{self.sha256}#{page + 1}"


UPLOADED = "web"
"""`source` of a file that was uploaded to the page."""


class FileRow(Struct, frozen=True):
    """A name under which a photo came, once per name. photo_id: None if never read."""

    id: Key
    event_id: Key
    photo_id: Key | None
    name: Prose
    source: Brand
    details: Json
    error_code: Word | None
    error_message: Prose | None
    error_said: Json | None
    added_at: datetime


class PrintRow(Struct, frozen=True):
    """A print that an event knows; `sha256` names its file beside the photos."""

    id: Key
    event_id: Key
    name: Prose
    sha256: Sha256
    added_at: datetime


class ReadingRow(Struct, frozen=True):
    """One page as one version of the models read it.

    entry: an element of `photos` of the JSON `kdscan/1`. kept: for each of its sheets the output of
    `kdscan.sheets.base.serialize`, or None for kinds that an older version did not store.
    """

    id: Key
    photo_id: Key
    page: Page
    models: Prose
    entry: Json
    kept: list[Json | None]
    error_code: Word | None
    seconds: float
    read_at: datetime


class SheetRow(Struct, frozen=True):
    """A piece of paper in a photo, as its newest reading has it; number: its index there.

    code: text of its printed code. basis: what `state` and `brief` rest on; None if nothing but the
    reading. brief: see `kdscan.event.sheets.Brief`.
    """

    id: Key
    event_id: Key
    photo_id: Key
    page: Page
    reading_id: Key
    number: Page
    kind: Short
    code: Prose | None
    basis: Short | None
    state: Json | None
    brief: list[Any] | None


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC, with its time zone on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        # SQLite returns the value without its zone; PostgreSQL returns it in the session's.
        if value is None or value.tzinfo is None:
            return value and value.replace(tzinfo=UTC)
        return value.astimezone(UTC)

    process_result_value = process_bind_param


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _table(name: str, record: type[Struct], *unique: str, index: tuple[str, ...] = ()) -> Table:
    """A table with the columns of a record. The first is the key; one called `event_id` refers to
    an event, and is deleted with it."""
    first, *others = msgspec.inspect.type_info(record).fields  # type: ignore[attr-defined]
    columns = [Column(first.name, _type(first.type)[0], primary_key=True)]
    for field in others:
        kind, optional = _type(field.type)
        given: list[Any] = [kind]
        if field.name.endswith("_id"):
            given = [ForeignKey(f"{field.name[:-3]}.id", ondelete="CASCADE")]
        default = None if field.default is msgspec.NODEFAULT else str(field.default)
        more: Json = {"index": field.name in index, "server_default": default}
        columns.append(Column(field.name, *given, nullable=optional, **more))
    constraints = [UniqueConstraint(*unique)] if unique else []
    return Table(name, metadata, *columns, *constraints)


def _type(info: msgspec.inspect.Type) -> tuple[Any, bool]:
    """The SQL type of a field, and whether it may be NULL."""
    types = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    optional = any(isinstance(kind, msgspec.inspect.NoneType) for kind in types)
    match next(kind for kind in types if not isinstance(kind, msgspec.inspect.NoneType)):
        case msgspec.inspect.IntType():
            return Integer(), optional
        case msgspec.inspect.FloatType():
            return Float(), optional
        case msgspec.inspect.DateTimeType():
            return UtcDateTime(), optional
        case msgspec.inspect.StrType(max_length=int(most)) if most <= 100:
            return String(most), optional
        case msgspec.inspect.StrType():
            return Text(), optional
    return JSON(none_as_null=optional), optional


setting = _table("setting", Setting)
event = _table("event", EventRow, "name")
action = _table("action", ActionRow, index=("event_id",))
photo = _table("photo", PhotoRow, "event_id", "sha256")
file = _table("file", FileRow, "event_id", "name", "photo_id", index=("photo_id",))
known_print = _table("known_print", PrintRow, "event_id", "name")
reading = _table("reading", ReadingRow, "photo_id", "page", "models")
sheet = _table("sheet", SheetRow, "reading_id", "number", index=("event_id", "photo_id"))

OF_EVENT: dict[Table, type[Struct]] = {
    photo: PhotoRow,
    file: FileRow,
    known_print: PrintRow,
    reading: ReadingRow,
    sheet: SheetRow,
    action: ActionRow,
}
"""The tables of an event with the records of their rows, in an order in which rows can be added."""


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def checked(record: type[R], row: Any) -> R:
    """A row of a record's table, which somebody else may have written; raises
    msgspec.ValidationError for values that its columns should not hold."""
    return msgspec.convert(dict(zip(record.__struct_fields__, row, strict=True)), record)


def all_of(db: Connection, record: type[R], query: Select[Any]) -> list[R]:
    """All rows of a query on a record's table."""
    return [record(*row) for row in db.execute(query)]


def all_with(db: Connection, record: type[R], table: Table, **values: Any) -> list[R]:
    """All rows of a table with these values, in the order in which they were added."""
    return all_of(db, record, select(table).filter_by(**values).order_by(table.c.id))


def first(db: Connection, record: type[R], table: Table, **values: Any) -> R | None:
    """The first row of a table with these values, or None."""
    return next(iter(all_with(db, record, table, **values)), None)


def insert_new(db: Connection, table: Table, values: dict[str, Any]) -> int | None:
    """Insert a row unless an equal unique one exists; return its id, or None if one did."""
    make: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[db.dialect.name]
    fresh = make(table).on_conflict_do_nothing().returning(table.c.id)
    number: int | None = db.scalar(fresh, values)
    return number


def insert(db: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert a row and return its id."""
    number: int | None = db.scalar(table.insert().returning(table.c.id), values)
    assert number is not None
    return number


def touch(db: Connection, event_id: int, photo_id: int | None = None) -> int | None:
    """Raise an event's version, and mark a photo as changed; returns the version, None if the event
    was deleted."""
    raised = event.update().where(event.c.id == event_id).values(version=event.c.version + 1)
    version: int | None = db.scalar(raised.returning(event.c.version))
    if photo_id is not None:
        db.execute(photo.update().where(photo.c.id == photo_id).values(version=version))
    return version
