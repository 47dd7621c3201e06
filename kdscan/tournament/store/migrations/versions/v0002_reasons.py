"""Why a photo failed is kept with its figures, to be told in any language."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = ("photo", "file")


def upgrade() -> None:
    """Add the column; rows that are there already keep their texts alone."""
    for table in TABLES:
        op.add_column(table, sa.Column("error_said", sa.JSON))
