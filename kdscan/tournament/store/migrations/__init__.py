"""How the tables of older stores become those of `schema`, by Alembic; `upgrade` runs them."""
