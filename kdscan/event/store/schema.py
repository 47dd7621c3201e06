"""The tables. `docs/store.md` says what each column means.

`upgrade` creates them for a new store; `migrations` bring those of an older one up to date.

Nothing that a person did or a model read is ever overwritten: readings and actions are only added.
A `sheet` row points to the newest reading of its piece of paper, and holds its current state, which
can be computed anew from those. `version` of an event is raised with every change; that of a photo
is the event's when the photo or one of its sheets last changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC, with its time zone on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        # SQLite returns the value without its zone; PostgreSQL returns it in the session's.
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _in(table: str, *, optional: bool = False, index: bool = True) -> Column[int]:
    """A reference to another row; deleting that row deletes this one too."""
    return Column(
        f"{table}_id",
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=optional,
        index=index,
    )


setting = Table(
    "setting",
    metadata,
    Column("key", String(50), primary_key=True),
    Column("value", Text, nullable=False),
)

event = Table(
    "event",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("game", String(20), nullable=False),
    Column("details", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("version", Integer, nullable=False, server_default="0"),
)

action = Table(
    "action",
    metadata,
    _id(),
    _in("event"),
    Column("at", UtcDateTime, nullable=False),
    Column("who", Text, nullable=False),
    Column("role", String(10), nullable=False),
    Column("session", String(50), nullable=False),
    Column("action", JSON, nullable=False),
)

photo = Table(
    "photo",
    metadata,
    _id(),
    _in("event", index=False),
    Column("sha256", String(64), nullable=False),
    Column("suffix", String(10), nullable=False),
    Column("size", Integer, nullable=False),
    Column("pages", Integer),
    Column("error_code", String(50)),
    Column("error_message", Text),
    Column("error_said", JSON(none_as_null=True)),
    Column("added_at", UtcDateTime, nullable=False),
    Column("version", Integer, nullable=False, server_default="0"),
    UniqueConstraint("event_id", "sha256"),
)

file = Table(
    "file",
    metadata,
    _id(),
    _in("event", index=False),
    _in("photo", optional=True),
    Column("name", Text, nullable=False),
    Column("source", String(20), nullable=False),
    Column("details", JSON, nullable=False),
    Column("error_code", String(50)),
    Column("error_message", Text),
    Column("error_said", JSON(none_as_null=True)),
    Column("added_at", UtcDateTime, nullable=False),
    UniqueConstraint("event_id", "name", "photo_id"),
)

known_print = Table(
    "known_print",
    metadata,
    _id(),
    _in("event", index=False),
    Column("name", Text, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("added_at", UtcDateTime, nullable=False),
    UniqueConstraint("event_id", "name"),
)

reading = Table(
    "reading",
    metadata,
    _id(),
    _in("photo", index=False),
    Column("page", Integer, nullable=False),
    Column("models", Text, nullable=False),
    Column("entry", JSON, nullable=False),
    Column("kept", JSON, nullable=False),
    Column("error_code", String(50)),
    Column("seconds", Float, nullable=False),
    Column("read_at", UtcDateTime, nullable=False),
    UniqueConstraint("photo_id", "page", "models"),
)

sheet = Table(
    "sheet",
    metadata,
    _id(),
    _in("event"),
    _in("photo"),
    Column("page", Integer, nullable=False),
    _in("reading", index=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(30), nullable=False),
    Column("code", Text),
    Column("basis", String(30)),
    Column("state", JSON(none_as_null=True)),
    Column("brief", JSON(none_as_null=True)),
    UniqueConstraint("reading_id", "number"),
)
