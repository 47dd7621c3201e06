"""From all photos of a run to the sheets that several of them show, each read from all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kdscan.game.grid import Cell
from kdscan.kinds.duel_map.interpret import beliefs, interpret
from kdscan.marks.fuse import SheetView, fuse, group
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import AnyReading, MapCorrections, MapEvidence, SheetReading

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
    maps = {}
    for n, sheet in enumerate(found):
        if isinstance(sheet, SheetReading):
            flat = replace(sheet.rectified, bgr=bare)
            evidence = replace(sheet.evidence, rectified=flat, ink=None)
            maps[photo, n] = replace(sheet, evidence=evidence)
    return maps


def fuse_sheets(
    maps: dict[Where, SheetReading], *, risk: float = DEFAULT_RISK
) -> tuple[FusedSheet, ...]:
    """Find the sheets that several photos show, and read each from all of its photos.

    maps: every map that was read; see `maps_of`. risk: see `kdscan.read_photo`.
    """
    places = sorted(maps)
    views = [
        SheetView(where[0], beliefs(maps[where].evidence), maps[where].sheet_id) for where in places
    ]
    return tuple(_fused([places[i] for i in indices], maps, risk) for indices in group(views))


def _fused(places: Sequence[Where], maps: dict[Where, SheetReading], risk: float) -> FusedSheet:
    best = max(places, key=lambda where: maps[where].confidence)
    evidence = fuse_evidence([maps[where].evidence for where in places], places.index(best))
    return FusedSheet(tuple(places), best, interpret(evidence, risk))


def fuse_evidence(views: Sequence[MapEvidence], best: int) -> MapEvidence:
    """What several photos of one sheet say together, in the frame of the best of them.

    A shield is clipped or covered where it is so in all of them; what a person says of any view
    stands, what is said of an earlier one before that of a later one.
    """
    onto = views[best]
    layouts = [view.layout for view in views if view.layout != "unknown"]
    ids = [view.sheet_id for view in views if view.sheet_id is not None]
    unseen = set.intersection(*(set(view.unseen) for view in views))
    given = [view.corrections for view in views]
    corrections = MapCorrections(
        cells={at: marks for one in reversed(given) for at, marks in one.cells.items()},
        castle=next((one.castle for one in given if one.castle is not None), None),
        wizard=next((one.wizard for one in given if one.wizard is not None), None),
        confirmed=any(one.confirmed for one in given),
    )
    return replace(
        onto,
        probs=fuse([beliefs(view) for view in views]),
        layout=layouts[0] if layouts else onto.layout,
        sheet_id=ids[0] if ids else None,
        clipped=tuple(sorted(unseen)),
        covered=_covered(views),
        wizard=max(
            (view.wizard for view in views), key=lambda one: (one.coat is not None, one.confidence)
        ),
        corrections=corrections,
    )


def _covered(views: Sequence[MapEvidence]) -> dict[Cell, float]:
    """The shields that look covered in all views, each as it does in the one that shows it best."""
    everywhere = [at for at in views[0].hidden if all(at in view.hidden for view in views)]
    return {at: min(view.hidden[at] for view in views) for at in everywhere}
