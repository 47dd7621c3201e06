"""Alembic's entry: migrations run on the connection, and in the transaction, that is handed in."""

from __future__ import annotations

from alembic import context

from kdscan.tournament.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
