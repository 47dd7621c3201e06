"""Whether a store's content is what it was: asked when something in it cannot be understood."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Boolean, Connection, Engine, Float, Integer, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.schema import Column

from kdscan.tournament.store import schema


def is_damaged(engine: Engine) -> bool:
    """Whether a disk, or a hand, has changed an SQLite store behind SQLite's back.

    Servers look after theirs themselves; for them the answer is no.
    """
    if engine.dialect.name != "sqlite":
        return False
    try:
        with engine.connect() as db:
            if db.scalar(text("PRAGMA quick_check(1)")) != "ok":
                return True
            if db.execute(text("PRAGMA foreign_key_check")).first() is not None:
                return True
            if any(
                _holds(db, f'"{table.name}"', _wrong(column))
                for table in schema.metadata.sorted_tables
                for column in table.columns
            ):
                return True
            if _holds(db, "game", "id NOT IN (SELECT game_id FROM seat)"):
                return True
            at = schema.reading.c
            for entry, kept in db.execute(select(at.entry, at.kept)):
                check_reading(entry, kept)
    except (SQLAlchemyError, LookupError, ValueError, TypeError, AttributeError, OverflowError):
        return True
    return False


def check_reading(entry: Any, kept: Any) -> None:
    """Raise what Python raises at a reading that no version has written."""
    from kdscan.pipeline.document import sheet_json
    from kdscan.pipeline.serialize import deserialize
    from kdscan.tournament.apply_corrections import cells_of

    if entry["error"] is not None:
        _ = entry["error"]["code"], entry["error"]["message"]
    for sheet, probs in zip(entry["sheets"], kept, strict=True):
        if sheet["kind"] == "duel_map":
            cells_of(sheet)
        if probs is not None:
            _check_keys(sheet, sheet_json(deserialize(probs)))


def _check_keys(found: Any, written: Any) -> None:
    """Raise KeyError for a key that this version does not write; older ones may write fewer."""
    if isinstance(found, dict) and isinstance(written, dict):
        for key, value in found.items():
            _check_keys(value, written[key])
    elif isinstance(found, list) and isinstance(written, list):
        for one, other in zip(found, written, strict=False):
            _check_keys(one, other)


def _wrong(column: Column[object]) -> str:
    """SQL's condition for a value that no program has written into a column."""
    name = f'"{column.name}"'
    kind = column.type
    if isinstance(kind, JSON):
        wrong = f"NOT json_valid({name})"
    elif isinstance(kind, Integer | Boolean) or column.foreign_keys:
        wrong = f"typeof({name}) <> 'integer'"
    elif isinstance(kind, Float):
        wrong = f"typeof({name}) NOT IN ('real', 'integer')"
    elif isinstance(kind, schema.UtcDateTime):
        wrong = f"julianday({name}) IS NULL"
    else:  # a character that is no text was one, or was none at all
        wrong = f"typeof({name}) <> 'text' OR instr({name}, char(65533)) OR instr({name}, char(0))"
    return f"({name} IS NOT NULL AND ({wrong}))" + (
        "" if column.nullable else f" OR {name} IS NULL"
    )


def _holds(db: Connection, table: str, condition: str) -> bool:
    return db.execute(text(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1")).first() is not None
