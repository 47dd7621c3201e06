"""Learns templates from a pile of unsorted sheets, each template once enough sheets share it.

The result does not depend on the order in which sheets arrived: they are sorted by key, and a
template is learned from the first ones that agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import CUT_OFF
from kdscan.errors import LayoutError
from kdscan.imaging.picture import (
    CENTERS,
    Bgr,
    Floats,
    FrozenArrays,
    Photo,
    flatten,
    lattice_to_flat,
)
from kdscan.inference.store import Models
from kdscan.templates.align import align
from kdscan.templates.cells import register_cells
from kdscan.templates.learn import (
    MAX_SHEETS,
    MIN_FILLED,
    MIN_LIKENESS,
    MIN_PX,
    LearningSheet,
    initial_template,
    marked,
    merge_sheets,
    same_sheet,
)
from kdscan.templates.template import TEMPLATE_MARGIN, TEMPLATE_PX, Template, empty_template, folded

MARGIN = TEMPLATE_MARGIN + 0.375
"""Cells of margin around the grid of a flat sheet: that of a template, and as much as a grid may be
off."""
STEPS = (MIN_FILLED, 8, MAX_SHEETS)
"""Numbers of sheets at which a template is learned, and learned again."""
MOST_COMPARED = 12
"""Most sheets of one command that are compared with each other."""
MAX_COMPARED = 24
"""Most sheets that are registered with a sheet, by falling similarity of signatures."""
SAME_PRINT = 0.2
"""Least likeness, see `Aligned.likeness`, of two filled sheets with the same print: of 408 pairs of
34 pads 94 in a hundred have more, of 408 with different prints none."""
NEVER = 1 << 30
"""The next step of templates that are not learned again: more sheets than there can be."""
MAX_FAILURES = 6
"""After this many failed registrations a sheet is considered to be the only one of its print."""

_UNSUITABLE = frozenset((CUT_OFF, "unsure_place", "mirrored", "bilevel"))
_FLAT_CENTERS = lattice_to_flat(CENTERS, TEMPLATE_PX, MARGIN)


@dataclass(frozen=True, eq=False)
class FlatSheet(FrozenArrays):
    """A sheet rectified by its detected grid.

    key: identifies and orders sheets independently of their arrival. coats: as read, see
    `coats_of`. layout: name of its template, or "unknown".
    bgr: (832, 1088, 3) uint8, `TEMPLATE_PX` pixels per cell and a margin of `MARGIN`.
    """

    key: str
    coats: str
    layout: str
    bgr: Bgr

    @property
    def photo(self) -> Photo:
        """The rectified sheet as a photo; its cells lie as in any other flat sheet."""
        return Photo(self.bgr, self.key)

    def as_template(self) -> Template:
        """The sheet, its ink included, treated as a template."""
        bgr = flatten(self.photo, _FLAT_CENTERS, TEMPLATE_PX, TEMPLATE_MARGIN)
        return empty_template(self.key, bgr)

    @cached_property
    def signature(self) -> NDArray[np.float32]:
        """As of the sheet's own template, see `Template.signature`."""
        return self.as_template().signature


def is_suitable(problems: Iterable[str], px_per_cell: float) -> bool:
    """Whether a sheet of this resolution, with problems of these codes, is suitable for
    learning."""
    return px_per_cell >= MIN_PX and _UNSUITABLE.isdisjoint(problems)


def flat_sheet_at(photo: Photo, centers_xy: Floats, coats: str, layout: str, key: str) -> FlatSheet:
    """A sheet whose cells lie at (5, 7, 2) in the photo; for the rest see `FlatSheet`."""
    return FlatSheet(key, coats, layout, flatten(photo, centers_xy, TEMPLATE_PX, MARGIN))


def learn_from_pile(
    sheets: Iterable[FlatSheet], templates: Sequence[Template], models: Models
) -> list[Template]:
    """New templates that enough sheets share, and templates improved by more sheets.

    sheets: of unknown or deleted templates, and of automatically learned ones that may improve.
    templates: all known ones; their names are not reused.
    """
    pile = _without_repeats(sheets)
    learned: list[Template] = []
    for known in templates:
        own = [sheet for sheet in pile if sheet.layout == known.name]
        if len(own) >= next_step(known):
            with suppress(LayoutError):
                better = learn_from_flat_sheets(own[:MAX_SHEETS], known.name, models, known)
                if better.sheets > known.sheets:
                    learned.append(replace(better, by_itself=True))
    names = {folded(template.name) for template in templates}
    for mates in _groups([sheet for sheet in pile if folded(sheet.layout) not in names]):
        name = next(name for n in count(1) if (name := f"pad {n}") not in names)
        with suppress(LayoutError):
            template = learn_from_flat_sheets(mates[:MAX_SHEETS], name, models)
            names.add(folded(template.name))
            learned.append(replace(template, by_itself=True))
    return learned


def shared_by_some(sheets: Iterable[FlatSheet]) -> list[FlatSheet]:
    """The first sheets of an unknown template that are enough to learn it; empty if there are
    none."""
    return next(_groups(_without_repeats(sheets)), [])


def learn_from_flat_sheets(
    sheets: Sequence[FlatSheet],
    name: str,
    models: Models,
    template: Template | None = None,
    least: int = MIN_FILLED,
) -> Template:
    """Learn a template from filled sheets that probably have the print of the first; others are
    dropped. Raises LayoutError if fewer than `least` remain.

    template: an earlier version.
    """
    measured = [
        LearningSheet(sheet.photo, register_cells(sheet.photo, _FLAT_CENTERS), sheet.coats)
        for sheet in sheets
    ]
    legible = [sheet for sheet in measured if sheet.cells.likeness >= MIN_LIKENESS]
    if len(legible) < least:
        raise LayoutError("too few of these sheets share a print; photograph some more of them")
    return merge_sheets(template or initial_template(name, legible[0], models), legible, models)


def may_learn(layouts: Iterable[str], templates: Iterable[Template]) -> bool:
    """Whether sheets with these layouts are enough for `learn_from_pile` to learn anything."""
    count, steps = Counter(layouts), {known.name: next_step(known) for known in templates}
    strange = sum(number for layout, number in count.items() if layout not in steps)
    return strange >= MIN_FILLED or any(count[name] >= step for name, step in steps.items())


def next_step(template: Template) -> int:
    """The number of sheets at which a template is learned again; `NEVER` if it is final."""
    steps = [step for step in STEPS if step > template.sheets]
    return steps[0] if template.by_itself and steps else NEVER


def _without_repeats(sheets: Iterable[FlatSheet]) -> list[FlatSheet]:
    """The sheets, sorted by key, with only one photo of each: the one with the most coats.

    Otherwise ink that two pictures share would be mistaken for print.
    """
    different: list[FlatSheet] = []
    for sheet in sorted(sheets, key=lambda sheet: (-marked(sheet.coats), sheet.key)):
        if not any(same_sheet(sheet.coats, other.coats) for other in different):
            different.append(sheet)
    return sorted(different, key=lambda sheet: sheet.key)


def _groups(sheets: Sequence[FlatSheet]) -> Iterator[list[FlatSheet]]:
    """Sheets that bear the same print, as many as are needed to learn it and more, in the order of
    their keys."""
    left = list(sheets)
    for seed in sheets:
        if len(left) >= MIN_FILLED and seed in left:
            mates = _same_print(seed, [sheet for sheet in left if sheet is not seed])
            if len(mates) >= MIN_FILLED:
                yield mates
                left = [sheet for sheet in left if sheet not in mates]


def _same_print(seed: FlatSheet, others: Sequence[FlatSheet]) -> list[FlatSheet]:
    """A sheet and those that bear the same print, in the order of their keys."""
    template = seed.as_template()

    def similarity(other: FlatSheet) -> float:  # upright or upside down
        ways = (other.signature, other.signature[:, ::-1])
        return float(max(np.vdot(seed.signature, way) for way in ways))

    near = sorted(others, key=lambda other: (-similarity(other), other.key))[:MAX_COMPARED]
    mates = [seed]
    for tried, other in enumerate(near):
        if tried == MAX_FAILURES and len(mates) == 1:
            break
        aligned = align(template, other.photo, _FLAT_CENTERS, least=0)
        if aligned.likeness >= SAME_PRINT:
            mates.append(other)
    return sorted(mates, key=lambda sheet: sheet.key)
