"""A store as version 0003 had it, with corrections, players and games in tables of their own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

AT = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def _key(table: str, *, optional: bool = False) -> sa.Column[int]:
    at = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", sa.Integer, at, nullable=optional)


def tables() -> sa.MetaData:
    """The tables that are gone."""
    old = sa.MetaData()
    for name in ("event", "sheet"):
        sa.Table(name, old, sa.Column("id", sa.Integer, primary_key=True))

    def number(name: str = "id", **more: Any) -> sa.Column[int]:
        return sa.Column(name, sa.Integer, **more)

    sa.Table("player", old, number(primary_key=True), _key("event"), sa.Column("name", sa.Text),
             sa.Column("active", sa.Boolean), sa.Column("details", sa.JSON))  # fmt: skip
    sa.Table("game", old, number(primary_key=True), _key("event"), number("round"),
             number("table"), sa.Column("details", sa.JSON))  # fmt: skip
    sa.Table("seat", old, number(primary_key=True), _key("game"), number("number"),
             _key("player"))  # fmt: skip
    sa.Table("correction", old, number(primary_key=True), _key("event"),
             _key("sheet", optional=True), _key("game", optional=True),
             sa.Column("field", sa.Text), sa.Column("old", sa.JSON), sa.Column("new", sa.JSON),
             sa.Column("who", sa.Text), sa.Column("at", sa.DateTime(timezone=True)),
             sa.Column("undoes", sa.ForeignKey("correction.id", ondelete="CASCADE")))  # fmt: skip
    return old


def make_older(db: Connection, **rows: list[dict[str, Any]]) -> None:
    """Turn an open store into one of version 0003, with these rows in the tables that it had."""
    db.execute(sa.text("DROP TABLE action"))
    for table, column in (("event", "version"), ("photo", "version")):
        db.execute(sa.text(f"ALTER TABLE {table} DROP COLUMN {column}"))
    for column in ("basis", "state", "brief"):
        db.execute(sa.text(f"ALTER TABLE sheet DROP COLUMN {column}"))
    for column in ("total integer", "confidence float default 1", "review boolean default false"):
        db.execute(sa.text(f"ALTER TABLE sheet ADD COLUMN {column}"))
    index = "CREATE INDEX ix_sheet_event_review ON sheet (event_id, review, confidence)"
    db.execute(sa.text(index))
    old = tables()
    old.create_all(db)
    for name, given in rows.items():
        db.execute(old.tables[name].insert(), given)
    db.execute(sa.text("UPDATE alembic_version SET version_num = '0003'"))
