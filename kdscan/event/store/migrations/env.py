"""Alembic's entry point: migrations run on the given connection and in its transaction."""

from __future__ import annotations

from alembic import context

from kdscan.event.events import events, load
from kdscan.event.store.schema import metadata

db = context.config.attributes["connection"]
context.configure(
    connection=db,
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
for row in events(db):  # states of sheets that the older version did not store
    load(db, row.id, write=True)
