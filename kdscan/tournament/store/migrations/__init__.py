"""Versions of the store's tables, by Alembic; `upgrade` runs them."""
