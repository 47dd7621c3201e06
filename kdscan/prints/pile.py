"""Prints learned from a pile of sheets that nobody sorted, each once enough sheets share it.

The same pile gives the same prints in whatever order its sheets came: they are taken in the order
of their keys, and a print is learned from the first of those that agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.layout import UNKNOWN
from kdscan.errors import LayoutError
from kdscan.imaging.rectify import flatten
from kdscan.prints.flat import FLAT_CENTERS, FlatSheet, deduplicate
from kdscan.prints.known import PRINT_MARGIN, PRINT_PX, KnownPrint
from kdscan.prints.learn import (
    ENOUGH_ALIKE,
    MOST_SHEETS,
    laid_over,
    learn_flat_sheets,
    unknown_print,
)
from kdscan.prints.names import folded
from kdscan.records.arrays import Network

STEPS = (ENOUGH_ALIKE, 8, 11, MOST_SHEETS)
"""A print is learned from so many sheets, and again when there are so many."""
MOST_ALIKE = 24
"""Sheets that a sheet's print is laid over, those that look most alike first."""
ALIKE = 0.2
"""Likeness, see `Aligned.likeness`, of two sheets, with all that was drawn on them, from which they
bear the same print: of 440 pairs of 16 pads nine in ten have more, of 190 others none more than
0.03."""
NEVER = 1 << 30
"""More sheets than there can be."""
GIVEN_UP = 6
"""So many in vain, and the sheet is alone."""


Looks = dict[str, NDArray[np.float32]]
"""Sheets' signatures, see `KnownPrint.signature`, by their keys."""


@dataclass(frozen=True, eq=False)
class Taught:
    """A print that sheets taught by themselves. keys: those it was learned from."""

    known: KnownPrint
    keys: frozenset[str]


def learn_from_pile(
    sheets: Iterable[FlatSheet], prints: Sequence[KnownPrint], inking: Network
) -> list[Taught]:
    """The prints that sheets share which nobody taught, and those that more sheets now tell better.

    sheets: of unknown prints, forgotten ones among them, and of prints that were learned so and may
    still get better.
    prints: all that are known; their names are taken. inking: see `learn_print`.
    """
    pile = deduplicate(sheets)
    found = [taught for known in prints if (taught := _better(known, pile, inking)) is not None]
    names = {folded(known.name) for known in prints}
    left = [sheet for sheet in pile if folded(sheet.layout) not in names]
    looks = {sheet.key: _as_print(sheet).signature for sheet in left}
    for seed in list(left):
        if len(left) < ENOUGH_ALIKE or seed not in left:
            continue
        mates = [seed, *_mates(seed, [one for one in left if one is not seed], looks)]
        if len(mates) < ENOUGH_ALIKE:
            continue
        try:
            known = learn_flat_sheets(_first(mates), _new_name(names), inking)
        except LayoutError:
            continue
        names.add(folded(known.name))
        found.append(Taught(replace(known, by_itself=True), frozenset(m.key for m in mates)))
        left = [sheet for sheet in left if sheet not in mates]
    return found


def may_learn(layouts: Iterable[str], prints: Iterable[KnownPrint]) -> bool:
    """Whether there are enough sheets, of these layouts, for `learn_from_pile` to find anything."""
    count, steps = Counter(layouts), {one.name: next_step(one) for one in prints}
    strange = sum(number for layout, number in count.items() if layout not in steps)
    return strange >= ENOUGH_ALIKE or any(count[name] >= step for name, step in steps.items())


def may_teach(layout: str, prints: Iterable[KnownPrint]) -> bool:
    """Whether a sheet of this layout may teach something, once there are enough of them."""
    return layout == UNKNOWN or any(p.name == layout and next_step(p) < NEVER for p in prints)


def next_step(known: KnownPrint) -> int:
    """From how many sheets a print is learned anew; `NEVER` when it is done."""
    steps = [step for step in STEPS if step > known.sheets]
    return steps[0] if known.by_itself and steps else NEVER


def _better(known: KnownPrint, pile: Sequence[FlatSheet], inking: Network) -> Taught | None:
    mine = [sheet for sheet in pile if sheet.layout == known.name]
    if len(mine) < next_step(known):
        return None
    try:
        again = learn_flat_sheets(_first(mine), known.name, inking, known)
    except LayoutError:
        return None
    if again.sheets <= known.sheets:
        return None
    return Taught(replace(again, by_itself=True), frozenset(sheet.key for sheet in mine))


def _first(sheets: Sequence[FlatSheet]) -> list[FlatSheet]:
    return sorted(sheets, key=lambda one: one.key)[:MOST_SHEETS]


def _mates(seed: FlatSheet, others: Sequence[FlatSheet], looks: Looks) -> list[FlatSheet]:
    """Of other sheets those that bear the same print, in the order of their keys."""
    known, mine = _as_print(seed), looks[seed.key]
    alike = {other.key: _alike(mine, looks[other.key]) for other in others}
    near = sorted(others, key=lambda other: (-alike[other.key], other.key))[:MOST_ALIKE]
    found: list[FlatSheet] = []
    for tried, other in enumerate(near):
        if tried == GIVEN_UP and not found:
            break
        if laid_over(known, other.photo, FLAT_CENTERS).likeness >= ALIKE:
            found.append(other)
    return sorted(found, key=lambda one: one.key)


def _as_print(sheet: FlatSheet) -> KnownPrint:
    """A sheet with all that was drawn on it as if it were a print."""
    bgr = flatten(sheet.photo, FLAT_CENTERS, PRINT_PX, PRINT_MARGIN)
    return replace(unknown_print(sheet.key), bgr=bgr)


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """How alike two signatures are, upright or upside down."""
    return float(max(np.vdot(one, other), np.vdot(one, other[:, ::-1])))


def _new_name(taken: set[str]) -> str:
    number = 1
    while f"pad {number}" in taken:
        number += 1
    return f"pad {number}"
