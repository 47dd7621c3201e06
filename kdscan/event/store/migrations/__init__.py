"""Alembic migrations from the tables of older stores to those of `schema`; run by `upgrade`."""
