"""An event in one file: rows and photos, to move to another store or to keep for years.

The file is a ZIP. `event.jsonl` has a line that identifies it, then one line per row, with tables
in the order of their references; the photos are `photos/SHA256.suffix`.
"""

from __future__ import annotations

from kdscan.event.store import schema

FORMAT = "kdscan-event/1"
ROWS = "event.jsonl"

TABLES = (
    schema.player,
    schema.photo,
    schema.file,
    schema.known_print,
    schema.reading,
    schema.sheet,
    schema.game,
    schema.seat,
    schema.correction,
)
"""The tables of an event, in an order in which rows can be added."""
