"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables; names of constraints and indexes follow `schema.metadata`."""
    op.create_table(
        "setting",
        sa.Column("key", sa.String(50), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "event",
        _id(),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("game", sa.String(20), nullable=False),
        _details(),
        _moment("created_at"),
    )
    op.create_table(
        "player",
        _id(),
        _in("event", index=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        _details(),
        sa.UniqueConstraint("event_id", "name"),
    )
    _photos()
    _sheets()
    op.create_table(
        "game",
        _id(),
        _in("event", index=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("table", sa.Integer, nullable=False),
        _details(),
        sa.UniqueConstraint("event_id", "round", "table"),
    )
    op.create_table(
        "seat",
        _id(),
        _in("game", index=False),
        sa.Column("number", sa.Integer, nullable=False),
        _in("player"),
        sa.UniqueConstraint("game_id", "number"),
    )
    op.create_table(
        "correction",
        _id(),
        _in("event"),
        _in("sheet", optional=True),
        _in("game", optional=True),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("old", sa.JSON),
        sa.Column("new", sa.JSON),
        sa.Column("who", sa.Text, nullable=False),
        _moment("at"),
        sa.Column(
            "undoes", sa.Integer, sa.ForeignKey("correction.id", ondelete="CASCADE"), unique=True
        ),
    )


def _photos() -> None:
    op.create_table(
        "photo",
        _id(),
        _in("event", index=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("suffix", sa.String(10), nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("pages", sa.Integer),
        sa.Column("error_code", sa.String(50)),
        sa.Column("error_message", sa.Text),
        _moment("added_at"),
        sa.UniqueConstraint("event_id", "sha256"),
    )
    op.create_table(
        "file",
        _id(),
        _in("event", index=False),
        _in("photo", optional=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("source", sa.String(20), nullable=False),
        _details(),
        sa.Column("error_code", sa.String(50)),
        sa.Column("error_message", sa.Text),
        _moment("added_at"),
        sa.UniqueConstraint("event_id", "name", "photo_id"),
    )
    op.create_table(
        "reading",
        _id(),
        _in("photo", index=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("models", sa.Text, nullable=False),
        sa.Column("entry", sa.JSON, nullable=False),
        sa.Column("kept", sa.JSON, nullable=False),
        sa.Column("error_code", sa.String(50)),
        sa.Column("seconds", sa.Float, nullable=False),
        _moment("read_at"),
        sa.UniqueConstraint("photo_id", "page", "models"),
    )


def _sheets() -> None:
    op.create_table(
        "sheet",
        _id(),
        _in("event"),
        _in("photo"),
        sa.Column("page", sa.Integer, nullable=False),
        _in("reading", index=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("code", sa.Text),
        sa.Column("total", sa.Integer),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("review", sa.Boolean, nullable=False),
        sa.UniqueConstraint("reading_id", "number"),
    )
    op.create_index("ix_sheet_event_review", "sheet", ["event_id", "review", "confidence"])


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _details() -> sa.Column[dict[str, object]]:
    return sa.Column("details", sa.JSON, nullable=False)


def _moment(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _in(table: str, *, optional: bool = False, index: bool = True) -> sa.Column[int]:
    return sa.Column(
        f"{table}_id",
        sa.Integer,
        sa.ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=optional,
        index=index,
    )
