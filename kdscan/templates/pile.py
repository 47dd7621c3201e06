"""Learns prints from a pile of unsorted sheets, each print once enough sheets share it.

The result does not depend on the order in which sheets arrived: they are sorted by key, and a print
is learned from the first ones that agree.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import LayoutError
from kdscan.imaging.picture import Network
from kdscan.imaging.rectify import flatten
from kdscan.templates.describe import unknown_print
from kdscan.templates.flat import FLAT_CENTERS, FlatSheet, deduplicate
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX, KnownPrint
from kdscan.templates.learn import MAX_SHEETS, MIN_FILLED, learn_flat_sheets, register_either_way
from kdscan.templates.names import folded

STEPS = (MIN_FILLED, 8, MAX_SHEETS)
"""Numbers of sheets at which a print is learned, and learned again."""
MAX_COMPARED = 24
"""Most sheets that are registered with a sheet, by falling similarity of signatures."""
SAME_PRINT = 0.2
"""Least likeness, see `Aligned.likeness`, of two filled sheets with the same print: of 440 pairs of
16 pads nine in ten have more, of 190 pairs with different prints none more than 0.03."""
NO_STEP = 1 << 30
"""The next step of prints that are not learned again: more sheets than there can be."""
MAX_FAILURES = 6
"""After this many failed registrations a sheet is considered to be the only one of its print."""


Signatures = dict[str, NDArray[np.float32]]
"""Sheets' signatures, see `KnownPrint.signature`, by their keys."""


@dataclass(frozen=True, eq=False)
class LearnedPrint:
    """A print learned automatically. keys: of the sheets it was learned from."""

    known: KnownPrint
    keys: frozenset[str]


def learn_from_pile(
    sheets: Iterable[FlatSheet],
    prints: Sequence[KnownPrint],
    inking: Network,
    fresh: Container[str] | None = None,
) -> list[LearnedPrint]:
    """New prints that enough sheets share, and known prints improved by more sheets.

    sheets: of unknown or deleted prints, and of automatically learned prints that may improve.
    prints: all known ones; their names are not reused. inking: see `learn_flat_sheets`. fresh: keys
    of the sheets that were added since the others were last compared; all if omitted.
    """
    pile = deduplicate(sheets)
    found = [taught for known in prints if (taught := _relearn(known, pile, inking)) is not None]
    names = {folded(known.name) for known in prints}
    left = [sheet for sheet in pile if folded(sheet.layout) not in names]
    signatures = {sheet.key: _as_known(sheet).signature for sheet in left}
    seeds = deque(sheet for sheet in left if fresh is None or sheet.key in fresh)
    tried: set[str] = set()
    while seeds:
        seed = seeds.popleft()
        if seed.key in tried or seed not in left or len(left) < MIN_FILLED:
            continue
        tried.add(seed.key)
        mates = [seed, *_same_print(seed, [one for one in left if one is not seed], signatures)]
        if len(mates) < MIN_FILLED:
            seeds += mates
            continue
        try:
            known = learn_flat_sheets(_first(mates), new_name(names), inking)
        except LayoutError:
            continue
        names.add(folded(known.name))
        found.append(LearnedPrint(replace(known, by_itself=True), frozenset(m.key for m in mates)))
        left = [sheet for sheet in left if sheet not in mates]
    return found


def may_learn(layouts: Iterable[str], prints: Iterable[KnownPrint]) -> bool:
    """Whether sheets with these layouts are enough for `learn_from_pile` to learn anything."""
    count, steps = Counter(layouts), {one.name: next_step(one) for one in prints}
    strange = sum(number for layout, number in count.items() if layout not in steps)
    return strange >= MIN_FILLED or any(count[name] >= step for name, step in steps.items())


def may_teach(layout: str, prints: Iterable[KnownPrint]) -> bool:
    """Whether a sheet with this layout can contribute to learning."""
    return layout == UNKNOWN_LAYOUT or any(
        p.name == layout and next_step(p) < NO_STEP for p in prints
    )


def next_step(known: KnownPrint) -> int:
    """The number of sheets at which a print is learned again; `NO_STEP` if it is final."""
    steps = [step for step in STEPS if step > known.sheets]
    return steps[0] if known.by_itself and steps else NO_STEP


def _relearn(known: KnownPrint, pile: Sequence[FlatSheet], inking: Network) -> LearnedPrint | None:
    mine = [sheet for sheet in pile if sheet.layout == known.name]
    if len(mine) < next_step(known):
        return None
    try:
        again = learn_flat_sheets(_first(mine), known.name, inking, known)
    except LayoutError:
        return None
    if again.sheets <= known.sheets:
        return None
    return LearnedPrint(replace(again, by_itself=True), frozenset(sheet.key for sheet in mine))


def _first(sheets: Sequence[FlatSheet]) -> list[FlatSheet]:
    return sorted(sheets, key=lambda one: one.key)[:MAX_SHEETS]


def _same_print(
    seed: FlatSheet, others: Sequence[FlatSheet], signatures: Signatures
) -> list[FlatSheet]:
    """The other sheets that bear the same print, in the order of their keys."""
    known, mine = _as_known(seed), signatures[seed.key]
    alike = {other.key: _similarity(mine, signatures[other.key]) for other in others}
    near = sorted(others, key=lambda other: (-alike[other.key], other.key))[:MAX_COMPARED]
    found: list[FlatSheet] = []
    for tried, other in enumerate(near):
        if tried == MAX_FAILURES and not found:
            break
        if register_either_way(known, other.photo, FLAT_CENTERS).likeness >= SAME_PRINT:
            found.append(other)
    return sorted(found, key=lambda one: one.key)


def _as_known(sheet: FlatSheet) -> KnownPrint:
    """A sheet, including its ink, treated as a print."""
    bgr = flatten(sheet.photo, FLAT_CENTERS, PRINT_PX, PRINT_MARGIN)
    return replace(unknown_print(sheet.key), bgr=bgr)


def _similarity(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Similarity of two signatures, upright or upside down."""
    return float(max(np.vdot(one, other), np.vdot(one, other[:, ::-1])))


def new_name(taken: Container[str]) -> str:
    """A name for a pad that was learned automatically. taken: names as `folded`."""
    number = 1
    while f"pad {number}" in taken:
        number += 1
    return f"pad {number}"
