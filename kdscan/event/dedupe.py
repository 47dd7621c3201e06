"""Finds sheets that were photographed twice, by their code or by what is on them.

Two different finished sheets agree on few shields: among 400 random games and 60 by greedy players
no two maps had more than 14 equal filled shields of some 31, and the two maps of one game no more
than 10. Two readings of one sheet agree on nearly all. Sheets are also compared turned by 180° and
mirrored, because a reader may mistake which way is up, and a photo may be mirrored.

Kingdoms are compared around their castles, in all four directions: among 300 random kingdoms and
300 by greedy players no two agreed on more than half of their squares on 5 x 5, or on more than 41%
on 7 x 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from kdscan.event.sheets import KINGDOM_SIDE, Brief, marks_from
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.base import DUEL_MAP

SHARE = 0.6
"""Sheets that agree on this share of their filled shields are one: 19 of 31. Equal codes on sheets
that agree on less are a conflict: one of them bears a code that is not its own."""

FILLED = 12
"""With fewer filled shields or squares, sheets cannot be told apart."""

MIRRORED = [CELLS.index((row, 6 - col)) for row, col in CELLS]
"""Where each of a map's shields lies in a mirrored photo."""


@dataclass(frozen=True)
class Entry:
    """A sheet in a photo.

    same_as: the key of the sheet that this one is, according to a person; 0: of none; None:
    unknown. said: whether the desk confirmed it, and whether it corrected it; at home everybody is
    the desk. came, judged: when the photo came, and when the desk last said `said` or `same_as`, in
    seconds. late: see `Event.late`. over: when its round was over. excluded: when the desk ignored
    it, or removed its photo.
    """

    key: int
    code: str | None
    brief: Brief
    same_as: int | None = None
    kind: str = DUEL_MAP.name
    said: tuple[bool, bool] = (False, False)
    came: float = 0.0
    judged: float = -1.0
    late: bool = False
    over: float = inf
    excluded: float = inf

    @property
    def marks(self) -> str:
        return self.brief.marks

    @property
    def filled(self) -> int:
        """Number of shields or squares that hold something."""
        return (len(self.marks) - 2 * bytes.fromhex(self.marks).count(0)) // 2


@dataclass(frozen=True)
class Compared:
    """Result of comparing sheets.

    same: photos of sheets that another photo shows better: their key → its key. conflicts: sheets
    (best photos) with one code but different marks: key → the others' keys, without late ones for
    one that is not. differs: best photos → key and total of other photos of the sheet that came
    since a person judged it, and certainly show another total, or are late. late: photos that came
    when the round of another photo of the sheet was over, see `Event.late`. again: best photos of
    sheets that were photographed again after the desk excluded them.
    """

    same: Mapping[int, int]
    conflicts: Mapping[int, tuple[int, ...]]
    differs: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    late: Set[int] = frozenset()
    again: Set[int] = frozenset()


class Alike:
    """Which sheets' marks are so similar that the sheets are one. It remembers what it has
    compared: a sheet that changes is compared with all others, and they are not compared again.

    Sheets with different codes are two sheets, however similar, so sheets with a code are compared
    only with those that have none.
    """

    def __init__(self) -> None:
        self._near: dict[tuple[str, bool], dict[str, float]] = {}
        self._known: dict[tuple[int, bool], tuple[list[str], NDArray[np.uint8] | None]] = {}

    def near(self, marks: str, *, coded: bool) -> Mapping[str, float]:
        """Known marks that are similar to these, each with the share on which they agree."""
        return self._near.get((marks, coded), {})

    def add(self, marks: str, *, coded: bool) -> None:
        """Compare marks with all that are known, unless they are known themselves."""
        own = marks_from(marks)
        if own is None or (marks, coded) in self._near or np.count_nonzero(own) < FILLED:
            return
        near = self._near[marks, coded] = {}
        for others_coded in (False,) if coded else (False, True):
            rows, table = self._known.get((len(own), others_coded), ([], None))
            if table is not None:
                shares = agreements(own, table).max(axis=0)
                for n in np.flatnonzero(shares >= SHARE):
                    other, share = rows[int(n)], float(shares[n])
                    near[other] = max(share, near.get(other, 0.0))
                    mirror = self._near[other, others_coded]
                    mirror[marks] = max(share, mirror.get(marks, 0.0))
        rows, table = self._known.get((len(own), coded), ([], None))
        column = own[:, None]
        table = column if table is None else np.hstack((table, column))
        self._known[len(own), coded] = [*rows, marks], table


def agreements(marks: NDArray[np.uint8], others: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(orientations, N): share of equal filled shields of a sheet, (cells,), in each orientation in
    which it may have been read, and of each of N others, (cells, N)."""
    if len(marks) == len(CELLS):
        mirrored = marks[MIRRORED]
        views = [marks, marks[::-1], mirrored, mirrored[::-1]]
    else:
        square = marks.reshape(KINGDOM_SIDE, KINGDOM_SIDE)
        views = [np.rot90(square, turn).ravel() for turn in range(4)]
    equal = []
    for view in views:
        filled = np.flatnonzero(view)
        equal.append((others[filled] == view[filled, None]).sum(0, dtype=np.uint8))
    most = (others > 0).sum(0, dtype=np.uint8).clip(max(1, np.count_nonzero(marks)))
    return np.asarray(np.stack(equal) / most, np.float64)


def same_sheets(entries: Sequence[Entry], alike: Alike) -> Compared:
    """Find photos that show one sheet, and sheets that claim one code.

    alike: has the marks of all that no person has compared. A person's statement has priority,
    then equal codes on marks that agree, then marks. The result depends on the given order, not on
    when the photos were read.
    """
    groups, claims = _groups(entries, alike)
    best: dict[int, int] = {}
    differs: dict[int, tuple[tuple[int, int], ...]] = {}
    late, again = set[int](), set[int]()
    for photos in groups:
        excluded = max((e.excluded for e in photos if e.excluded < inf), default=inf)
        photos[:] = [entry for entry in photos if entry.excluded == inf]
        if not photos:
            continue
        over = min(entry.over for entry in photos)
        group = [
            replace(e, late=True) if e.over > over and e.came > over >= e.judged else e
            for e in photos
        ]
        late |= {entry.key for entry in group if entry.late}
        # confirmed by the desk, or corrected; else one that is not late; of different readings the
        # one with more shields, then the later; of equal ones the surest
        alone = len({e.marks for e in group}) == 1
        better = max(
            group,
            key=lambda e: (
                e.said,
                not e.late,
                *((e.brief.confidence,) if alone else (e.filled, e.came)),
            ),
        )
        best |= {entry.key: better.key for entry in group}
        if all(entry.came > excluded > entry.judged for entry in group):
            again.add(better.key)
        judged = max(entry.judged for entry in group if entry is better or entry.same_as)
        total = better.brief.total or 0
        others = [
            entry
            for entry in group
            if entry.came > judged and entry.brief.total != total
            if (entry.late and not better.late) or not entry.brief.low <= total <= entry.brief.high
        ]
        if others and better.marks:
            differs[better.key] = tuple((entry.key, entry.brief.total or 0) for entry in others)
    conflicts: dict[int, tuple[int, ...]] = {}
    for rivals in claims:
        ended = {best[g[0].key]: all(e.key in late for e in g) for g in rivals if g}
        for key in ended:
            against = tuple(k for k in ended if k != key and (ended[key] or not ended[k]))
            if against:
                conflicts[key] = against
    same = {key: other for key, other in best.items() if key != other}
    return Compared(same, conflicts, differs, late, again)


def _groups(
    entries: Sequence[Entry], alike: Alike
) -> tuple[list[list[Entry]], list[list[list[Entry]]]]:
    """The photos of each sheet, and for each code the sheets that bear it."""
    of_key: dict[int, list[Entry]] = {}
    of_code: dict[tuple[str, str], list[list[Entry]]] = {}
    of_marks: dict[str, list[Entry]] = {}
    by_key = {entry.key: entry for entry in entries}

    def depth(entry: Entry) -> int:
        """How many sheets it refers to, one after another; a ring ends it."""
        passed: set[int] = set()
        at: Entry | None = entry
        while at is not None and at.key not in passed:
            passed.add(at.key)
            at = by_key.get(at.same_as or 0)
        return len(passed)

    groups: list[list[Entry]] = []
    for entry in sorted(entries, key=depth):  # each after the one that it is another photo of
        claims = of_code.setdefault((entry.kind, entry.code), []) if entry.code else []
        agreeing = (group for group in claims if _agree(entry, group))
        group = of_key.get(entry.same_as) if entry.same_as is not None else next(agreeing, None)
        if group is None and entry.same_as is None:
            near = {**alike.near(entry.marks, coded=bool(entry.code))} if entry.marks else {}
            if not entry.code and entry.filled >= FILLED:
                near[entry.marks] = 1.0
            similar = [
                (share, -n, other)
                for marks, share in near.items()
                for n, other in enumerate(of_marks.get(marks, ()))
                if other.kind == entry.kind and not (entry.code and other.code)
            ]
            if similar:
                group = of_key[max(similar, key=lambda pair: pair[:2])[2].key]
        if group is None:
            group = []
            groups.append(group)
        group.append(entry)
        of_key[entry.key] = group
        if entry.same_as is None:
            if entry.marks:
                of_marks.setdefault(entry.marks, []).append(entry)
            if entry.code and not any(group is claim for claim in claims):
                claims.append(group)
    return groups, list(of_code.values())


def _agree(entry: Entry, group: Iterable[Entry]) -> bool:
    """Whether a sheet may be that of the group; without marks the code alone decides."""
    own = marks_from(entry.marks)
    others = [marks for other in group if (marks := marks_from(other.marks)) is not None]
    if own is None or not others:
        return True
    empty = not own.any() and not all(marks.any() for marks in others)
    return empty or bool(agreements(own, np.stack(others, 1)).max() >= SHARE)
