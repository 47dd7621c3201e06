"""The reason why a photo failed is stored with its values, so that it can be told in any
language."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = ("photo", "file")


def upgrade() -> None:
    """Add the column; existing rows keep only their texts."""
    for table in TABLES:
        op.add_column(table, sa.Column("error_said", sa.JSON))
