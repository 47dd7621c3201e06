"""Whether a store's content is what it was: asked when something in it cannot be understood."""

from __future__ import annotations

from sqlalchemy import Engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from kdscan.tournament.store import schema
from kdscan.tournament.store.checks import check_reading, check_row


def is_damaged(engine: Engine) -> bool:
    """Whether a disk, or a hand, has changed an SQLite store behind SQLite's back.

    Servers look after theirs themselves; for them the answer is no.
    """
    if engine.dialect.name != "sqlite":
        return False
    seated = select(schema.seat.c.game_id)
    try:
        with engine.connect() as db:
            if db.scalar(text("PRAGMA quick_check(1)")) != "ok":
                return True
            if db.execute(text("PRAGMA foreign_key_check")).first() is not None:
                return True
            for table in schema.metadata.sorted_tables:
                for row in db.execute(select(table)).mappings():
                    check_row(table, dict(row))
                    if table is schema.reading:
                        check_reading(row["entry"], row["kept"])
            game = schema.game.c.id
            return db.execute(select(game).where(game.not_in(seated))).first() is not None
    except (SQLAlchemyError, LookupError, ValueError, TypeError, AttributeError, OverflowError):
        return True
