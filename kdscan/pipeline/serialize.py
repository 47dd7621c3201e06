"""A sheet that was read, as plain values and back, so that it can be corrected tomorrow.

What is kept is the evidence, not the pixels: board, kingdom or spellbook are made of it again, in
this version of kdscan or a later one. The values are JSON's own (a few kilobytes a sheet), so they
can lie in any store and cross any process boundary without being trusted to run code.
"""

from __future__ import annotations

from typing import Any

from kdscan.kinds import kind_named, kind_of
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import AnyReading

Json = dict[str, Any]


def serialize(found: AnyReading) -> Json:
    """What `deserialize` needs of a sheet: where it lies and what was seen, ready for JSON."""
    return kind_of(found).serialize(found)


def deserialize(kept: Json, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The sheet again, without its pixels: where there were any stands a single black one.

    Raises KeyError, TypeError or ValueError for what `serialize` did not write.
    """
    name = kept.get("kind", "duel_map")  # there was no other once
    kind = kind_named(name)
    if kind is None:
        raise ValueError(f"there is no kind of sheet called {name!r}")
    return kind.deserialize(kept, risk)
