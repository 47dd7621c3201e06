"""Readings as JSON values and back, so that they can be corrected later.

Only the evidence is stored, without pixels; this version of kdscan or a later one computes board,
kingdom or spellbook from it again. It is plain JSON of a few kilobytes per sheet, so it can be
stored anywhere and, unlike pickles, loaded without running code.
"""

from __future__ import annotations

from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import AnyReading
from kdscan.records.results import Json
from kdscan.sheets import kind_named, kind_of


def serialize(found: AnyReading) -> Json:
    """The evidence of a reading, without pixels, as JSON values for `deserialize`."""
    return kind_of(found).serialize(found)


def deserialize(kept: Json, *, risk: float = DEFAULT_RISK) -> AnyReading:
    """The reading from what `serialize` returned; a single black pixel replaces its pixels.

    risk: see `kdscan.read_photo`. Raises KeyError, TypeError or ValueError for other values.
    """
    if not isinstance(kept, dict):
        raise TypeError(f"a reading is kept as a dictionary, not as {type(kept).__name__}")
    name = kept.get("kind", "duel_map")  # older stores omit it: it was the only kind
    kind = kind_named(name)
    if kind is None:
        raise ValueError(f"there is no kind of sheet called {name!r}")
    return kind.deserialize(kept, risk)
