"""Indices in `KINDS` of the two kinds without terrain."""

from __future__ import annotations

from kdscan.records import KINDS

EMPTY, CASTLE = KINDS.index(("empty", 0)), KINDS.index(("castle", 0))
