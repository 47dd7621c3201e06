"""Games whose two maps and spellbook are in several photos: evidence of one counts for the others.

They are matched by round and table, according to a person, a printed code or the photo's file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from kdscan.sheet.ids import SheetId
from kdscan.tournament.apply_corrections import Overrides, corrected_json
from kdscan.tournament.deduplicate import Compared, Entry, marks_code, same_sheets
from kdscan.tournament.places import Named, first_names, place_of
from kdscan.tournament.removing import removed_from
from kdscan.tournament.store import schema
from kdscan.tournament.store.corrections import corrections, effective_by_sheet, effective_values
from kdscan.tournament.store.photos import files
from kdscan.tournament.store.readings import sheet as get_sheet
from kdscan.tournament.store.records import Sheet


def compared(sheets: Iterable[Sheet], overrides: Mapping[int, Overrides], named: Named) -> Compared:
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
        place = place_of(sheet.code, mine, file)
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


def multi_photo_game(db: Connection, one: Sheet) -> tuple[Sheet, ...]:
    """The two maps and the spellbook of a sheet's game, if they are in several photos.

    Empty if they are not, or if one is missing. Only sheets with the same table are compared:
    another photo of a sheet without its code is not recognised here.
    """
    if one.kind not in ("duel_map", "duel_spellbook"):
        return ()
    event, at = one.event_id, schema.sheet.c
    mine = effective_values(corrections(db, event, sheet_id=one.id, field="place"))
    if place_of(one.code, mine).table is None:  # a file may give the round, but never the table
        return ()
    said = corrections(db, event)
    overrides, removed = effective_by_sheet(said), removed_from(said)
    query = select(at.id, at.code, at.photo_id, at.page, schema.photo.c.sha256).join(schema.photo)
    rows = db.execute(query.where(at.event_id == event))
    known = [row for row in rows if not removed.has(row.sha256, row.page)]
    tables = {row.id: place_of(row.code, overrides.get(row.id, {})).table for row in known}
    if one.id not in tables:  # it was removed
        return ()
    near = [row for row in known if tables[row.id] == tables[one.id]]
    names = [file for photo in {row.photo_id for row in near} for file in files(db, event, photo)]
    named = first_names(sorted(names, key=lambda file: (file.name, file.id)))
    places = {
        row.id: place_of(row.code, overrides.get(row.id, {}), named[row.photo_id][1])
        for row in near
    }
    there = [n for n, place in places.items() if place.round == places[one.id].round]
    beside = {n: sheet for n in there if (sheet := get_sheet(db, n)) is not None}
    game = compared(beside.values(), overrides, named).games.get(one.id, ())
    return tuple(beside[n] for n in game)
