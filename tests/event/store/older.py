"""A store as version 0003 had it, with corrections, players and games in tables of their own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

AT = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

BACK = """DROP TABLE action;
ALTER TABLE event DROP COLUMN version;
ALTER TABLE photo DROP COLUMN version;
ALTER TABLE sheet DROP COLUMN basis;
ALTER TABLE sheet DROP COLUMN state;
ALTER TABLE sheet DROP COLUMN brief;
ALTER TABLE sheet ADD COLUMN total INTEGER;
ALTER TABLE sheet ADD COLUMN confidence FLOAT DEFAULT 1;
ALTER TABLE sheet ADD COLUMN review BOOLEAN DEFAULT false;
CREATE INDEX ix_sheet_event_review ON sheet (event_id, review, confidence);
CREATE TABLE player (
    id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    name TEXT, active BOOLEAN, details JSON
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    round INTEGER, "table" INTEGER, details JSON
);
CREATE TABLE seat (
    id INTEGER PRIMARY KEY, game_id INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number INTEGER, player_id INTEGER NOT NULL REFERENCES player (id) ON DELETE CASCADE
);
CREATE TABLE correction (
    id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    sheet_id INTEGER REFERENCES sheet (id) ON DELETE CASCADE,
    game_id INTEGER REFERENCES game (id) ON DELETE CASCADE,
    field TEXT, old JSON, new JSON, who TEXT, at DATETIME,
    undoes INTEGER REFERENCES correction (id) ON DELETE CASCADE
);
UPDATE alembic_version SET version_num = '0003'"""


def make_older(db: Connection, **rows: list[dict[str, Any]]) -> None:
    """Turn an open store into one of version 0003, with these rows in the tables that it had."""
    moment = "DATETIME" if db.dialect.name == "sqlite" else "TIMESTAMP WITH TIME ZONE"
    for statement in BACK.replace("DATETIME", moment).split(";"):
        db.execute(sa.text(statement))
    old = sa.MetaData()
    old.reflect(db)
    for name, given in rows.items():
        db.execute(old.tables[name].insert(), given)
