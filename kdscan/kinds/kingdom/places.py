"""A kingdom's doubtful squares as places in the photo."""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.kinds.common.doubt import DoubtfulPlace
from kdscan.kinds.common.places import places_of
from kdscan.kinds.kingdom.doubts import doubts
from kdscan.kinds.kingdom.names import square_name
from kdscan.locale import Words
from kdscan.records import KingdomReading


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.kinds`."""
    return places_of(
        kingdom.rectified.centers_xy,
        doubts(kingdom),
        lambda square: square_name(words, square.terrain, square.crowns),
    )
