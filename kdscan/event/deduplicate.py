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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kdscan.rules.duel.board import CELLS, MAX_CROSSES
from kdscan.rules.duel.coats import COATS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.duel_map.model import cells_of

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
            found[row - castle[0] + middle, col - castle[1] + middle] = SQUARE_CLASSES.index(kind)
    return found.ravel()


def _views(marks: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """The sheet in all orientations in which it may have been read."""
    if len(marks) == len(CELLS):
        return [marks, marks[::-1]]
    square = marks.reshape(_SIDE, _SIDE)
    return [np.rot90(square, turn).ravel() for turn in range(4)]


def agreements(marks: NDArray[np.uint8], others: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(orientations, N): share of equal filled shields of a sheet, (cells,), in each orientation in
    which it may have been read, and of each of N others, (cells, N)."""
    equal = []
    for mine in _views(marks):
        filled = np.flatnonzero(mine)
        equal.append((others[filled] == mine[filled, None]).sum(0, dtype=np.uint8))
    most = (others > 0).sum(0, dtype=np.uint8).clip(np.count_nonzero(marks))
    return np.asarray(np.stack(equal) / most, np.float64)


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
    group_of, claims = _groups(entries)
    best: dict[int, int] = {}
    for group in group_of.values():
        better = max(group, key=lambda one: one.rank)
        best |= {one.key: better.key for one in group}
    same = {key: other for key, other in best.items() if key != other}
    conflicts: dict[int, tuple[int, ...]] = {}
    for groups in claims:
        keys = [best[group[0].key] for group in groups]
        if len(keys) > 1:
            conflicts |= {key: tuple(k for k in keys if k != key) for key in keys}
    return Compared(same, conflicts)


def _groups(
    entries: Sequence[Entry],
) -> tuple[dict[int, list[Entry]], list[list[list[Entry]]]]:
    """The photos of each sheet: by each of their keys, and by code for the sheets that bear it."""
    of_key: dict[int, list[Entry]] = {}
    of_code: dict[tuple[str, str], list[list[Entry]]] = {}
    ordered = _references_last(entries)
    alike = _alike([one for one in ordered if one.same_as is None])
    for entry in ordered:
        claims = of_code.setdefault((entry.kind, entry.code), []) if entry.code else []
        group = _group_of(entry, of_key, claims, alike) or []
        group.append(entry)
        of_key[entry.key] = group
        if entry.code and entry.same_as is None and not any(group is one for one in claims):
            claims.append(group)
    return of_key, list(of_code.values())


def _references_last(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, each after the one that it is another photo of according to a person."""
    found = [one for one in entries if not one.same_as]
    waiting = [one for one in entries if one.same_as]
    there = {one.key for one in found}
    while waiting:
        # If none can follow, they refer to each other, or to sheets that do not count.
        one = next((one for one in waiting if one.same_as in there), waiting[0])
        waiting.remove(one)
        found.append(one)
        there.add(one.key)
    return found


def _alike(entries: Sequence[Entry]) -> dict[int, int]:
    """For each sheet that is so similar to one before it that they are one, the most similar one;
    both by their keys."""
    found: dict[int, int] = {}
    of_kind: dict[str, list[tuple[Entry, NDArray[np.uint8]]]] = {}
    for one in entries:
        if one.marks is not None and np.count_nonzero(one.marks) >= FILLED:
            of_kind.setdefault(one.kind, []).append((one, one.marks))
    for mine in of_kind.values():
        every = np.stack([marks for _, marks in mine], 1)  # one row per shield: fast to compare
        for n, (one, marks) in enumerate(mine[1:], 1):
            shares = agreements(marks, every[:, :n])
            other = mine[int(shares.argmax()) % n][0]
            # Different printed codes mean two sheets, however similar.
            both_named = one.code and other.code and one.code != other.code
            if shares.max() >= SHARE and not both_named:
                found[one.key] = other.key
    return found


def _group_of(
    entry: Entry,
    of_key: Mapping[int, list[Entry]],
    claims: Sequence[list[Entry]],
    alike: Mapping[int, int],
) -> list[Entry] | None:
    """The group that an entry belongs to, if any. claims: the groups that bear its code; alike: see
    `_alike`."""
    if entry.same_as is not None:
        return of_key.get(entry.same_as)
    for group in claims:
        if _agree(entry, group):
            return group
    return of_key[alike[entry.key]] if entry.key in alike else None


def _agree(entry: Entry, group: Sequence[Entry]) -> bool:
    """Whether a sheet may be that of the group; without marks the code alone decides."""
    marks = [one.marks for one in group if one.marks is not None]
    if entry.marks is None or not marks:
        return True
    empty = not entry.marks.any() and any(not one.any() for one in marks)
    return empty or bool(agreements(entry.marks, np.stack(marks, 1)).max() >= SHARE)
