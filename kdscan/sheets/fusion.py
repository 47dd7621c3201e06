"""Fusion: a sheet that several photos of a run show is read from all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.marks.boards import DEFAULT_RISK, SheetView, fuse, group, same_photo
from kdscan.sheets.duel_map.interpret import beliefs, interpret
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading

Where = tuple[int, int]
"""Number of the photo and of the sheet in it, both from 0, as in the JSON."""


@dataclass(frozen=True, eq=False)
class FusedSheet:
    """One sheet that several photos show.

    views: its places, in the order of the photos.
    best: the most confident of these.
    sheet: the fused reading; pixels and coordinates are those of `best`.
    one_photo: whether they are one photo, given several times.
    """

    views: tuple[Where, ...]
    best: Where
    sheet: MapReading
    one_photo: bool = False

    @property
    def photograph_again(self) -> tuple[tuple[int, int], ...]:
        """Row and column of the shields that stay doubtful, the least confident first."""
        if not self.sheet.review:
            return ()
        doubtful = [c for c in self.sheet.board_estimate.cells if c.review]
        return tuple(c.at for c in sorted(doubtful, key=lambda c: c.confidence))


def fuse_sheets(
    maps: Mapping[Where, MapReading], *, risk: float = DEFAULT_RISK
) -> tuple[FusedSheet, ...]:
    """Find the sheets that several photos show, and fuse the photos of each.

    maps: all maps of all photos. risk: see `kdscan.read_photo`.
    """
    if len(maps) < 2:
        return ()
    places = sorted(maps)
    views = [
        SheetView(where[0], beliefs(maps[where].evidence), maps[where].sheet_id) for where in places
    ]
    fused = []
    for same in (tuple(places[i] for i in indices) for indices in group(views)):
        best = max(same, key=lambda where: maps[where].confidence)
        evidence = [maps[where].evidence for where in same]
        sheet = interpret(fuse_evidence(evidence, same.index(best)), risk)
        fused.append(FusedSheet(same, best, sheet, _one_photo(evidence)))
    return tuple(fused)


def fuse_evidence(views: Sequence[MapEvidence], best: int) -> MapEvidence:
    """The fused evidence of several photos of one sheet, in the frame of the best of them.

    A shield is clipped or covered, and the picture bilevel, blurred or dark, if it is so in all of
    them; a covered one with its least probability.
    Corrections of all views hold; where they contradict each other, that of the earliest view.
    """
    base = views[best]
    layouts = [view.layout for view in views if view.layout != UNKNOWN_LAYOUT]
    ids = [view.sheet_id for view in views if view.sheet_id is not None]
    clipped = set.intersection(*(set(view.still_clipped) for view in views))
    covers = [view.still_covered for view in views]
    everywhere = [at for at in covers[0] if all(at in cover for cover in covers)]
    return replace(
        base,
        probs=base.probs if _one_photo(views) else fuse([beliefs(view) for view in views]),
        layout=layouts[0] if layouts else base.layout,
        sheet_id=ids[0] if ids else None,
        clipped=tuple(sorted(clipped)),
        bilevel=all(view.bilevel for view in views),
        blurred=all(view.blurred for view in views),
        dark=all(view.dark for view in views),
        covered={at: min(cover[at] for cover in covers) for at in everywhere},
        wizard=max(
            (view.wizard for view in views), key=lambda w: (w.coat is not None, w.confidence)
        ),
        corrections=reduce(MapCorrections.merge, [view.corrections for view in reversed(views)]),
    )


def _one_photo(views: Sequence[MapEvidence]) -> bool:
    first = views[0]
    return all(
        same_photo(first.probs, view.probs)
        and (first.covered, first.clipped) == (view.covered, view.clipped)
        for view in views
    )
