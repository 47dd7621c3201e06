"""The first tables, where the oldest stores start; new stores get all of `schema` at once."""

from __future__ import annotations

revision = "0001"
down_revision = None
