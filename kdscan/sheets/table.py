"""What the sheets of one photo imply for each other, and several photos for one sheet.

Kingdoms share one box of dominoes. Two maps and their spellbook belong to one game: the spellbook
determines whose domains the wizard of the filled coat pays for, and both of its sides are compared
with the maps. Contradictions become problems; they do not change what was read. A map that several
photos of a run show is read from all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.marks.boards import DEFAULT_RISK, SheetView, fuse, group, same_photo
from kdscan.rules import Problem
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.spellbook import SIDES, BookPlace, map_problems, whose_maps
from kdscan.sheets.base import AnyReading
from kdscan.sheets.common import percent
from kdscan.sheets.duel_map.interpret import beliefs
from kdscan.sheets.duel_map.interpret import interpret as interpret_map
from kdscan.sheets.duel_map.model import MapCorrections, MapEvidence, MapReading, WizardEvidence
from kdscan.sheets.kingdom.interpret import decode_kingdoms
from kdscan.sheets.kingdom.model import KingdomReading
from kdscan.sheets.spellbook.interpret import interpret as interpret_book
from kdscan.sheets.spellbook.model import SpellbookReading, marks_at


def interpret_table(sheets: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The sheets of one photo after some were corrected, each with what the others imply for it.

    risk: as for `apply_spellbook`.
    """
    kingdoms = [sheet for sheet in sheets if isinstance(sheet, KingdomReading)]
    if len(kingdoms) > 1:
        decoded = iter(decode_kingdoms([kingdom.evidence for kingdom in kingdoms], risk))
        sheets = [next(decoded) if isinstance(s, KingdomReading) else s for s in sheets]
    return apply_spellbook(sheets, risk)


def apply_spellbook(sheets: Sequence[AnyReading], risk: float) -> tuple[AnyReading, ...]:
    """The readings, with the evidence of the spellbook added to the maps.

    risk: accepted probability that a total which is not marked for review is wrong.
    Idempotent: called again after corrections, it replaces a spellbook's earlier evidence.
    """
    readings = list(sheets)
    maps, books = dict[int, MapReading](), dict[int, SpellbookReading]()
    for n, sheet in enumerate(sheets):
        if isinstance(sheet, MapReading):
            readings[n] = maps[n] = _with_wizard(sheet, WizardEvidence(), risk)
        elif isinstance(sheet, SpellbookReading):
            books[n] = sheet
    for n, book in books.items():
        table = len(books), len(maps)
        readings[n] = books[n] = interpret_book(replace(book.evidence, table=table))
    if len(books) == 1 and len(maps) == 2:
        (book,), (first, second) = books.values(), maps.values()
        for n, wizard in zip(maps, wizards(book, first, second, risk), strict=True):
            readings[n] = _with_wizard(maps[n], wizard, risk)
    return tuple(readings)


def _with_wizard(sheet: MapReading, wizard: WizardEvidence, risk: float) -> MapReading:
    """A map interpreted with a spellbook's evidence."""
    if sheet.evidence.wizard == wizard:
        return sheet
    return interpret_map(replace(sheet.evidence, wizard=wizard), risk)


def wizards(
    book: SpellbookReading, first: MapReading, second: MapReading, risk: float
) -> tuple[WizardEvidence, WizardEvidence]:
    """The spellbook's evidence for both maps: the wizard's coat, and contradictions."""
    sides, p_sides = whose_maps(book.book, (first.board, second.board))
    # Probability that each place is marked, and that each side won the wizard of the filled coat:
    # that its line is complete and not struck. Errors are assumed to be independent.
    marked = {
        mark.place: mark.confidence if mark.marked else 1 - mark.confidence for mark in book.marks
    }
    won = [
        math.prod(marked[mark.place] for mark in marks_at(book.marks, side, Coat.FILLED, "square"))
        * (1 - marked.get(BookPlace(side, Coat.FILLED, "struck"), 0.0))
        for side in (0, 1)
    ]
    owner = book.book.owner(Coat.FILLED)
    # That the marks on which totals depend were read right: who won him, and which coat is chosen.
    p_book = (1 - won[0]) * (1 - won[1])
    if owner is not None:
        p_book = won[owner] * (1 - won[1 - owner])
        p_book *= math.prod(mark.confidence for mark in marks_at(book.marks, owner))
    paid = None if owner is None else book.book.chosen_by(owner)
    # If nobody is paid, the totals do not depend on who sat on which side.
    confidence = p_book * (p_sides if paid else 1.0)
    out = []
    for sheet, side in zip((first, second), sides, strict=True):
        problems = list(map_problems(book.book, side, sheet.board, sheet.castle_used))
        if paid and p_sides < 1 - risk:
            why = (
                "it is not certain which side of the spellbook belongs to which player "
                f"({percent(p_sides)}); this map is taken for the {SIDES[side]} player's"
            )
            problems.append(Problem("whose_map", "warning", why))
        if p_book < 1 - risk:
            why = "the wizard's points rest on lines of the spellbook that are hard to read"
            problems.append(Problem("spellbook_unsure", "warning", why))
        review = sheet.alone * confidence < 1 - risk or any(p.severity == "error" for p in problems)
        pays = dict.fromkeys((None, *Coat), 0.0)  # coats that the player's wizard may pay for
        for player, share in ((side, p_sides), (1 - side, 1 - p_sides)):
            pays[None] += share
            for chosen in Coat:
                alone = share * won[player] * (1 - won[1 - player])
                for other in Coat:
                    p = marked.get(BookPlace(player, other, "choice"), 0.0)
                    alone *= p if other is chosen else 1 - p
                pays[chosen] += alone
                pays[None] -= alone
        coat, coats = book.book.chosen_by(side), tuple(pays.items())
        out.append(WizardEvidence(coat, confidence, coats, review, tuple(problems)))
    return out[0], out[1]


# Several photos of one sheet

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
        doubtful = [c for c in self.sheet.cells if c.review]
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
        sheet = interpret_map(fuse_evidence(evidence, same.index(best)), risk)
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
