"""Conversion of SQL rows to records, and the statements that every table needs."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table, select
from sqlalchemy.dialects import postgresql, sqlite

from kdscan.event.store import schema

R = TypeVar("R")


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def first(db: Connection, record: type[R], table: Table, **values: Any) -> R | None:
    """The first row of a table with these values as a record, or None."""
    row = db.execute(select(table).filter_by(**values)).mappings().first()
    return None if row is None else as_record(record, row)


def all_with(db: Connection, record: type[R], table: Table, **values: Any) -> list[R]:
    """All rows of a table with these values as records, in the order in which they were added."""
    return all_of(db, record, select(table).filter_by(**values).order_by(table.c.id))


def all_of(db: Connection, record: type[R], query: Select[Any]) -> list[R]:
    """All rows of a query as records."""
    return [as_record(record, row) for row in db.execute(query).mappings()]


def as_record(record: type[R], row: Any, **more: Any) -> R:
    """A record from the columns named like its fields."""
    names = [f.name for f in fields(record) if f.name not in more]  # type: ignore[arg-type]
    return record(**{name: row[name] for name in names}, **more)


def insert_new(db: Connection, table: Table, values: dict[str, Any]) -> int | None:
    """Insert a row unless an equal unique one exists; return its id, or None if one did."""
    found: int | None = db.scalar(_insert_unless_there(table, db.dialect.name), values)
    return found


@cache
def _insert_unless_there(table: Table, dialect: str) -> Any:
    dialects: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    return dialects[dialect](table).on_conflict_do_nothing().returning(table.c.id)


def insert(db: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert a row and return its id."""
    key = db.execute(_insert(table), values).inserted_primary_key
    assert key is not None
    return int(key[0])


@cache
def _insert(table: Table) -> Any:
    return table.insert()


def touch(db: Connection, event_id: int, photo_id: int | None = None) -> int | None:
    """Raise an event's version, and mark a photo as changed; returns the version, None if the event
    was deleted."""
    event, photo = schema.event, schema.photo
    raised = event.update().where(event.c.id == event_id).values(version=event.c.version + 1)
    version: int | None = db.scalar(raised.returning(event.c.version))
    if photo_id is not None:
        db.execute(photo.update().where(photo.c.id == photo_id).values(version=version))
    return version


def set_detail(db: Connection, event_id: int, key: str, value: Any) -> None:
    """Store one of an event's settings that no action changes; None removes it."""
    at = schema.event.c
    details: dict[str, Any] = db.scalar(select(at.details).where(at.id == event_id)) or {}
    details = {name: old for name, old in details.items() if name != key}
    details = details if value is None else details | {key: value}
    db.execute(schema.event.update().where(at.id == event_id).values(details=details))
    touch(db, event_id)
