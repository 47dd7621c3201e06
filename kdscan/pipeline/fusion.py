"""From all photos of a run to the sheets that several of them show, each read from all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kdscan.marks.decode import DEFAULT_RISK
from kdscan.marks.fuse import View, fuse, group
from kdscan.pipeline.read import hide, interpret
from kdscan.pipeline.table import paid_as
from kdscan.records import CELLS, AnyReading, MarkProbs, SheetReading

Where = tuple[int, int]
"""Number of the photo and of the sheet in it, both from 0, as in the JSON."""


@dataclass(frozen=True, eq=False)
class FusedSheet:
    """One sheet that several photos show.

    views: where it was seen, in the order of the photos.
    best: the surest of these views.
    sheet: read from all of them; pixels and coordinates are those of `best`.
    """

    views: tuple[Where, ...]
    best: Where
    sheet: SheetReading

    @property
    def photograph_again(self) -> tuple[tuple[int, int], ...]:
        """Row and column of the shields that none of the photos settles, the least sure first."""
        if not self.sheet.review:
            return ()
        open_ones = [c for c in self.sheet.reading.cells if c.review]
        return tuple((c.row, c.col) for c in sorted(open_ones, key=lambda c: c.confidence))


def maps_of(photo: int, found: Iterable[AnyReading]) -> dict[Where, SheetReading]:
    """The maps found in a photo by where they are, without their pixels: many can be kept."""
    bare = np.zeros((1, 1, 3), np.uint8)
    return {
        (photo, n): replace(sheet, rectified=replace(sheet.rectified, bgr=bare))
        for n, sheet in enumerate(found)
        if isinstance(sheet, SheetReading)
    }


def fuse_sheets(
    maps: dict[Where, SheetReading], *, risk: float = DEFAULT_RISK
) -> tuple[FusedSheet, ...]:
    """Find the sheets that several photos show, and read each from all of its photos.

    maps: every map that was read; see `maps_of`. risk: see `kdscan.pipeline.read.read_photo`.
    """
    places = sorted(maps)
    views = [View(where[0], _seen(maps[where]), maps[where].sheet_id) for where in places]
    return tuple(_fused([places[i] for i in indices], maps, risk) for indices in group(views))


def _seen(sheet: SheetReading) -> MarkProbs:
    """What a photo says of a sheet; of the shields that its edge cuts off it says nothing."""
    if not sheet.hidden:
        return sheet.probs
    coat, crosses = sheet.probs.coat.copy(), sheet.probs.crosses.copy()
    for index in map(CELLS.index, sheet.hidden):
        coat[index], crosses[index] = 1 / coat.shape[1], 1 / crosses.shape[1]
    return replace(sheet.probs, coat=coat, crosses=crosses)


def _fused(places: Sequence[Where], maps: dict[Where, SheetReading], risk: float) -> FusedSheet:
    best = max(places, key=lambda where: maps[where].confidence)
    surest = maps[best]
    names = [maps[where].layout for where in places if maps[where].layout != "unknown"]
    ids = [maps[where].sheet_id for where in places if maps[where].sheet_id is not None]
    sheet = interpret(
        surest.rectified,
        fuse([_seen(maps[where]) for where in places]),
        names[0] if names else surest.layout,
        risk,
    )
    told = max(
        (maps[where] for where in places),
        key=lambda one: (one.wizard_coat is not None, one.wizard_confidence),
    )
    sheet = paid_as(replace(sheet, sheet_id=ids[0] if ids else None), told)
    nowhere = set.intersection(*(set(maps[where].hidden) for where in places))
    sheet = hide(sheet, tuple(sorted(nowhere)))
    return FusedSheet(tuple(places), best, sheet)
