"""Games whose two maps and spellbook are in several photos: evidence of one counts for the others.

They are matched by round and table, according to a person, a printed code or the photo's file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlalchemy import Connection, select

from kdscan.event.apply_corrections import Overrides, corrected_json
from kdscan.event.deduplicate import Compared, Entry, marks_code, same_sheets
from kdscan.event.names import Seats, seats_of
from kdscan.event.places import FirstNames, Place, first_names, place_of
from kdscan.event.removing import removed_from
from kdscan.event.store import schema
from kdscan.event.store.corrections import corrections, effective_by_sheet
from kdscan.event.store.photos import files
from kdscan.event.store.readings import sheet as get_sheet
from kdscan.event.store.records import Correction, Sheet
from kdscan.paper.ids import SheetId


def compared(
    sheets: Iterable[Sheet],
    overrides: Mapping[int, Overrides],
    named: FirstNames,
    seats: Seats,
) -> Compared:
    """Compare sheets in the order of their files' names, because photos arrive in any order.

    overrides: corrections by sheet id.
    """
    found: list[tuple[tuple[int, int, int], Entry]] = []
    tables: dict[tuple[int, int], list[_Seated]] = defaultdict(list)
    for sheet in sheets:
        mine = overrides.get(sheet.id, {})
        order, file = named[sheet.photo_id]
        if mine.get("ignored") is True:
            continue
        place = seats.of(place_of(sheet.code, mine, file))
        found.append(((order, sheet.page, sheet.number), _entry(sheet, mine, place.round)))
        if place.round is not None and place.table is not None:
            seated = _Seated(sheet.id, sheet.kind, (sheet.photo_id, sheet.page))
            tables[place.round, place.table].append(seated)
    found.sort(key=lambda one: one[0])
    pile = same_sheets([entry for _, entry in found])
    return replace(pile, games=_games(tables.values(), pile.same))


def _entry(sheet: Sheet, overrides: Overrides, round_: int | None) -> Entry:
    touched = any(field not in ("same_as", "place") for field in overrides)
    rank = (float(overrides.get("confirmed") is True), float(touched), sheet.confidence)
    marks = marks_code(corrected_json(sheet, overrides) if overrides else sheet.data)
    code = _whole(sheet.code, round_)
    return Entry(sheet.id, code, marks, rank, overrides.get("same_as"), sheet.kind)


def _whole(code: str | None, round_: int | None) -> str | None:
    """The code with its round, else with the photo's; None without any, because one sheet per round
    bears it."""
    printed = SheetId.parse(code) if code else None
    if printed is None or printed.round is not None:
        return code
    return None if round_ is None else f"{code} {round_}"


GAME = ("duel_map", "duel_spellbook")
"""Kinds of sheets of a game that may be in several photos."""


@dataclass(frozen=True)
class _Seated:
    """A sheet whose table is known. page: id of the photo, and the page."""

    id: int
    kind: str
    page: tuple[int, int]


def _games(
    tables: Iterable[Sequence[_Seated]], same: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for everything in tables:
        those = [one for one in everything if one.id not in same]
        maps = [one for one in those if one.kind == "duel_map"]
        books = [one for one in those if one.kind == "duel_spellbook"]
        game = (*maps, *books)
        if (len(maps), len(books)) == (2, 1) and len({one.page for one in game}) > 1:
            found |= dict.fromkeys((one.id for one in game), tuple(one.id for one in game))
    return found


class MultiPhotoGames:
    """An event's games in several photos; what they need is loaded once, with the first one."""

    def __init__(self, db: Connection, event_id: int) -> None:
        self._db, self._event = db, event_id

    @cached_property
    def _overrides(self) -> Mapping[int, Overrides]:
        return effective_by_sheet(self._said)

    @cached_property
    def _said(self) -> list[Correction]:
        return corrections(self._db, self._event)

    @cached_property
    def _named(self) -> FirstNames:
        return first_names(files(self._db, self._event))

    @cached_property
    def _seats(self) -> Seats:
        return seats_of(self._db, self._event)

    @cached_property
    def _places(self) -> dict[int, tuple[str, Place]]:
        """The kind and the place of each sheet that was not removed."""
        at, removed = schema.sheet.c, removed_from(self._said)
        query = select(at.id, at.code, at.kind, at.photo_id, at.page, schema.photo.c.sha256)
        query = query.join(schema.photo).where(at.event_id == self._event).order_by(at.id)
        found: dict[int, tuple[str, Place]] = {}
        for row in self._db.execute(query):
            if not removed.has(row.sha256, row.page):
                said, (_, file) = self._overrides.get(row.id, {}), self._named[row.photo_id]
                found[row.id] = row.kind, self._seats.of(place_of(row.code, said, file))
        return found

    def of(self, one: Sheet) -> tuple[Sheet, ...]:
        """The two maps and the spellbook of a sheet's game, if they are in several photos.

        Empty if they are not, or if one is missing. Only sheets with the same table are compared:
        another photo of a sheet without its code is not recognised here.
        """
        _, mine = self._places.get(one.id, ("", Place()))  # it may have been removed
        if mine.table is None:
            return ()
        at = (mine.round, mine.table)
        beside = {n: k for n, (k, p) in self._places.items() if (p.round, p.table) == at}
        if not set(GAME) <= set(beside.values()):
            return ()
        found = {n: sheet for n in beside if (sheet := get_sheet(self._db, n)) is not None}
        pile = compared(found.values(), self._overrides, self._named, self._seats)
        game = pile.games.get(one.id, ())
        return tuple(found[n] for n in game)
