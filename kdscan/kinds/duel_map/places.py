"""A map's doubtful shields as places in the photo."""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.kinds.common.doubt import DoubtfulPlace
from kdscan.kinds.common.places import places_of
from kdscan.kinds.duel_map.doubts import doubts
from kdscan.kinds.duel_map.names import shield_name, with_cover
from kdscan.locale import Words
from kdscan.records import SheetReading


def places(sheet: SheetReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.kinds`."""
    return places_of(
        sheet.rectified.centers_xy,
        doubts(sheet),
        lambda cell: with_cover(words, shield_name(words, cell.coat, cell.crosses), cell),
    )
