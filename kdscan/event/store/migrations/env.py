"""Alembic's entry point: migrations run on the given connection and in its transaction."""

from __future__ import annotations

from alembic import context

from kdscan.event.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
