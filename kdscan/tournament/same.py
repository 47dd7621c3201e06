"""The same sheet photographed twice: found by its code, or by what is drawn on it.

Two different finished sheets agree in few shields: among 400 games played by lot and 60
by greedy players no two maps had more than 14 equal filled shields of some 31, and the
two maps of one game no more than 10. Two readings of one sheet agree in nearly all. A
sheet that was taken for its half turn is compared that way too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.records import CELLS, COATS, MAX_CROSSES
from kdscan.tournament.current import marks_of
from kdscan.tournament.store.records import Json

SHARE = 0.6
"""Sheets that agree in this share of their filled shields are one: 19 of 31."""

FILLED = 12
"""Fewer filled shields say too little to tell sheets apart."""


@dataclass(frozen=True, eq=False)
class Look:
    """What a photo shows of a sheet. marks: `marks_code`, None if they can't be compared.

    said: the key of the sheet that this one is, by a person; 0: of none; None: nobody said.
    rank: the larger, the better is the photo.
    """

    key: int
    code: str | None
    marks: NDArray[np.uint8] | None
    rank: tuple[float, ...]
    said: int | None = None


def marks_code(sheet: Json) -> NDArray[np.uint8] | None:
    """(34,) uint8: coat and crosses of each shield in one number, 0 for an empty one."""
    if sheet["kind"] != "duel_map":
        return None
    marks = marks_of(sheet)
    codes = [
        0 if marks[at][0] is None else COATS.index(marks[at][0]) * (MAX_CROSSES + 1) + marks[at][1]
        for at in CELLS
    ]
    found = np.array(codes, np.uint8)
    return found if np.count_nonzero(found) >= FILLED else None


def same_sheets(looks: Sequence[Look]) -> dict[int, int]:
    """Which photos show a sheet that another photo shows better: their key → its key.

    A person's word goes first, then equal codes, then marks. The answer does not depend
    on when the photos were read, only on the order given.
    """
    groups: list[list[Look]] = []
    of_key: dict[int, list[Look]] = {}
    of_code: dict[str, list[Look]] = {}
    seen = _Seen(sum(look.marks is not None for look in looks))
    for look in sorted(looks, key=lambda look: bool(look.said)):  # those who point come last
        group = _group_of(look, of_key, of_code, seen)
        if group is None:
            group = []
            groups.append(group)
        group.append(look)
        of_key[look.key] = group
        if look.code and look.said is None:
            of_code.setdefault(look.code, group)
        if look.said is None:
            seen.add(look, group)
    same: dict[int, int] = {}
    for group in groups:
        best = max(group, key=lambda look: look.rank)
        same |= {look.key: best.key for look in group if look is not best}
    return same


def _group_of(
    look: Look, of_key: dict[int, list[Look]], of_code: dict[str, list[Look]], seen: _Seen
) -> list[Look] | None:
    if look.said is not None:
        return of_key.get(look.said)
    if look.code and look.code in of_code:
        return of_code[look.code]
    return seen.like(look)


class _Seen:
    """Marks of the sheets so far, to compare one with all at once."""

    def __init__(self, most: int) -> None:
        self._marks = np.zeros((len(CELLS), most), np.uint8)  # a row a shield: fast to compare
        self._filled = np.zeros(most, np.int64)
        self._looks: list[tuple[Look, list[Look]]] = []

    def add(self, look: Look, group: list[Look]) -> None:
        if look.marks is None:
            return
        self._marks[:, len(self._looks)] = look.marks
        self._filled[len(self._looks)] = np.count_nonzero(look.marks)
        self._looks.append((look, group))

    def like(self, look: Look) -> list[Look] | None:
        """The group of the most similar sheet, if it is similar enough to be the same."""
        if look.marks is None or not self._looks:
            return None
        n, count = len(self._looks), np.count_nonzero(look.marks)
        best, where = 0.0, 0
        for mine in (look.marks, look.marks[::-1]):
            cells = np.flatnonzero(mine)
            equal = self._marks[cells, :n] == mine[cells, None]
            shares = equal.sum(0, dtype=np.uint8) / np.maximum(self._filled[:n], count)
            at = int(shares.argmax())
            if shares[at] > best:
                best, where = float(shares[at]), at
        other, group = self._looks[where]
        # Printed codes that differ are two sheets, however alike.
        both_named = look.code and other.code and look.code != other.code
        return group if best >= SHARE and not both_named else None
