"""Finds sheets that were photographed twice, by their code or by what is on them.

Two different finished sheets agree on few shields: among 400 random games and 60 by greedy players
no two maps had more than 14 equal filled shields of some 31, and the two maps of one game no more
than 10. Two readings of one sheet agree on nearly all. Sheets are also compared turned by 180°,
because a reader may mistake which way is up.

Kingdoms are compared around their castles, in all four directions: among 300 random kingdoms and
300 by greedy players no two agreed on more than half of their squares on 5 x 5, or on more than 41%
on 7 x 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kdscan.records import CELLS, COATS, KINDS, MAX_CROSSES
from kdscan.tournament.apply_corrections import cells_of

SHARE = 0.6
"""Sheets that agree on this share of their filled shields are one: 19 of 31. Equal codes on sheets
that agree on less are a conflict: one of them bears a code that is not its own."""

FILLED = 12
"""With fewer filled shields or squares, sheets cannot be told apart."""

_SIDE = 13
"""Squares along the side of the area that a kingdom of 7 x 7 can reach around its castle."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A sheet in a photo. marks: `marks_code`, None for kinds that have none.

    same_as: the key of the sheet that this one is, according to a person; 0: of none; None:
    unknown. rank: larger for better photos.
    """

    key: int
    code: str | None
    marks: NDArray[np.uint8] | None
    rank: tuple[float, ...]
    same_as: int | None = None
    kind: str = "duel_map"


def marks_code(sheet: Mapping[str, Any]) -> NDArray[np.uint8] | None:
    """The content of each cell as one number, 0 for empty ones; None for a spellbook.

    Map: (34,) uint8, coat and crosses. Kingdom: (169,) uint8, terrain and crowns, with its castle
    in the middle of 13 x 13 squares.
    """
    if sheet["kind"] == "kingdom":
        return _around_castle(sheet)
    if sheet["kind"] != "duel_map":
        return None
    marks = cells_of(sheet)
    codes = [
        0 if coat is None else COATS.index(coat) * (MAX_CROSSES + 1) + crosses
        for coat, crosses in (marks[at] for at in CELLS)
    ]
    return np.array(codes, np.uint8)


def _around_castle(kingdom: Mapping[str, Any]) -> NDArray[np.uint8]:
    found = np.zeros((_SIDE, _SIDE), np.uint8)
    cells = {(c["row"], c["col"]): (c["terrain"], c["crowns"]) for c in kingdom["cells"]}
    castle = next((at for at, kind in cells.items() if kind == ("castle", 0)), None)
    for (row, col), kind in cells.items():
        if castle is not None and kind[0] not in ("castle", "empty"):
            middle = _SIDE // 2
            found[row - castle[0] + middle, col - castle[1] + middle] = KINDS.index(kind)
    return found.ravel()


def _views(marks: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """The sheet in all orientations in which it may have been read."""
    if len(marks) == len(CELLS):
        return [marks, marks[::-1]]
    square = marks.reshape(_SIDE, _SIDE)
    return [np.rot90(square, turn).ravel() for turn in range(4)]


def agreement(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Share of equal filled shields of two sheets in the best orientation; 1 for two empty ones."""
    most = max(np.count_nonzero(one), np.count_nonzero(other))
    if most == 0:
        return 1.0
    return max(
        float(np.count_nonzero((mine == other) & (mine != 0))) / most for mine in _views(one)
    )


@dataclass(frozen=True)
class Compared:
    """Result of comparing sheets.

    same: photos of sheets that another photo shows better: their key → its key. conflicts: sheets
    (best photos) with one code but different marks: key → the others' keys. games: two maps and a
    spellbook of one table in several photos, by each of the three.
    """

    same: Mapping[int, int]
    conflicts: Mapping[int, tuple[int, ...]]
    games: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def same_sheets(entries: Sequence[Entry]) -> Compared:
    """Find photos that show one sheet, and sheets that claim one code.

    A person's statement has priority, then equal codes on marks that agree, then marks. The result
    depends on the given order, not on when the photos were read.
    """
    groups: list[list[Entry]] = []
    of_key: dict[int, list[Entry]] = {}
    of_code: dict[tuple[str, str], list[list[Entry]]] = {}
    kinds = Counter(entry.kind for entry in entries if entry.marks is not None)
    seen = {kind: _Seen(most) for kind, most in kinds.items()}
    for entry in sorted(entries, key=lambda one: bool(one.same_as)):  # references come last
        claims = of_code.setdefault((entry.kind, entry.code), []) if entry.code else []
        group = _group_of(entry, of_key, claims, seen)
        if group is None:
            group = []
            groups.append(group)
        group.append(entry)
        of_key[entry.key] = group
        if entry.code and entry.same_as is None and not any(group is one for one in claims):
            claims.append(group)
        if entry.same_as is None and entry.marks is not None:
            seen[entry.kind].add(entry, entry.marks, group)
    best = {id(group): max(group, key=lambda entry: entry.rank).key for group in groups}
    same: dict[int, int] = {}
    for group in groups:
        same |= {entry.key: best[id(group)] for entry in group if entry.key != best[id(group)]}
    conflicts: dict[int, tuple[int, ...]] = {}
    for claims in of_code.values():
        keys = [best[id(group)] for group in claims]
        if len(keys) > 1:
            conflicts |= {key: tuple(k for k in keys if k != key) for key in keys}
    return Compared(same, conflicts)


def _group_of(
    entry: Entry,
    of_key: dict[int, list[Entry]],
    claims: Sequence[list[Entry]],
    seen: Mapping[str, _Seen],
) -> list[Entry] | None:
    """The group that an entry belongs to, if any. claims: the groups that bear its code."""
    if entry.same_as is not None:
        return of_key.get(entry.same_as)
    for group in claims:
        if _agree(entry, group):
            return group
    return None if entry.marks is None else seen[entry.kind].like(entry, entry.marks)


def _agree(entry: Entry, group: Sequence[Entry]) -> bool:
    """Whether a sheet may be that of the group; without marks the code alone decides."""
    marks = [one.marks for one in group if one.marks is not None]
    if entry.marks is None or not marks:
        return True
    return any(agreement(entry.marks, one) >= SHARE for one in marks)


class _Seen:
    """The marks of the sheets so far, to compare one with all at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._marks = np.zeros((0, most), np.uint8)  # one row per shield: fast to compare
        self._filled = np.zeros(most, np.int64)
        self._entries: list[tuple[Entry, list[Entry]]] = []

    def add(self, entry: Entry, marks: NDArray[np.uint8], group: list[Entry]) -> None:
        if np.count_nonzero(marks) < FILLED:
            return
        if not self._entries:
            self._marks = np.zeros((len(marks), self._most), np.uint8)
        self._marks[:, len(self._entries)] = marks
        self._filled[len(self._entries)] = np.count_nonzero(marks)
        self._entries.append((entry, group))

    def like(self, entry: Entry, marks: NDArray[np.uint8]) -> list[Entry] | None:
        """The group of the most similar sheet, if it is similar enough to be the same."""
        n, count = len(self._entries), np.count_nonzero(marks)
        if n == 0 or count < FILLED:
            return None
        best, where = 0.0, 0
        for mine in _views(marks):
            cells = np.flatnonzero(mine)
            equal = self._marks[cells, :n] == mine[cells, None]
            shares = equal.sum(0, dtype=np.uint8) / np.maximum(self._filled[:n], count)
            at = int(shares.argmax())
            if shares[at] > best:
                best, where = float(shares[at]), at
        other, group = self._entries[where]
        # Different printed codes mean two sheets, however similar.
        both_named = entry.code and other.code and entry.code != other.code
        return group if best >= SHARE and not both_named else None
