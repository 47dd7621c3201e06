"""Places in the row of `KINDS` that the rules know by name."""

from __future__ import annotations

from kdscan.records import KINDS

EMPTY, CASTLE = KINDS.index(("empty", 0)), KINDS.index(("castle", 0))
