"""Creates a store's tables, or upgrades them to the version of this program, safely.

One transaction contains the whole upgrade, so it is done completely or not at all. An older SQLite
file is copied beside itself before it is changed. Alembic is imported only if there is something to
do.
"""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from kdscan.errors import StoreError
from kdscan.event.store.schema import metadata

KNOWN = ("0001", "0002", "0003", "0004")
"""All revisions in `migrations/versions`, the oldest first."""

HEAD = KNOWN[-1]
"""The revision whose tables `schema` describes."""


def upgrade(engine: Engine) -> None:
    """Create the tables, or bring them up to date; raise `StoreError` for a newer store."""
    with engine.connect() as db:
        found = _revision(db)
    if found == HEAD:
        return
    _check_known(found)
    if found is not None and engine.dialect.name == "sqlite":
        _back_up(Path(str(engine.url.database)), found)
    with engine.execution_options(writes=True).begin() as db:
        found = _revision(db)  # another program may have been faster
        if found != HEAD:
            _run(db, new=found is None)


def check_current(engine: Engine) -> None:
    """Raise `StoreError` for a store that must be upgraded before it can be read."""
    with engine.connect() as db:
        found = _revision(db)
    _check_known(found)
    if found != HEAD:
        raise StoreError(
            "this store was made by an older kdscan (its tables are version {found}) and is "
            "read-only; copy it with its photos to where you can write",
            found=found or "0",
        )


def _revision(db: Connection) -> str | None:
    if not inspect(db).has_table("alembic_version"):
        return None
    found: str | None = db.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def _check_known(found: str | None) -> None:
    if found is not None and found not in KNOWN:
        raise StoreError(
            "this store was made by a newer kdscan (its tables are version {found}, this "
            "program knows {known}); install the newer one",
            found=found,
            known=HEAD,
        )


def _run(db: Connection, *, new: bool) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = db
    if new:
        metadata.create_all(db)
        command.stamp(config, HEAD)
    else:
        command.upgrade(config, HEAD)


def _back_up(path: Path, revision: str) -> None:
    copy = path.with_name(f"{path.name}.before-{revision}")
    copy.touch(stat.S_IMODE(path.stat().st_mode))  # no more readable than the store
    with (
        closing(sqlite3.connect(path)) as old,
        closing(sqlite3.connect(copy)) as new,
    ):
        old.backup(new)
