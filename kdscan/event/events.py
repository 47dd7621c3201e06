"""Events in a store: created and found, loaded, and changed by one transaction each.

with store.write() as db:
    event = open_event(db, "Spring cup")
    event, _ = perform(db, event, Author("Ada"), AddPlayer("Bob"))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from msgspec import convert, to_builtins
from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.event import log
from kdscan.event.actions import (
    Action,
    AssignSheet,
    NotForPlayers,
    OnField,
    OnSheet,
    SetRules,
    Undo,
)
from kdscan.event.dedupe import Alike
from kdscan.event.log import Author
from kdscan.event.model import Event, Group, Sheet
from kdscan.event.sheets import Brief, StoredSheet, basis_of, brief_of, fold_table
from kdscan.event.store import Store, schema
from kdscan.event.store.photos import files
from kdscan.event.store.readings import ReadSheet, errors, read_sheets
from kdscan.event.store.records import PhotoRow
from kdscan.event.store.rows import all_of, insert_new, now, touch
from kdscan.files import Json
from kdscan.files.names import check_name
from kdscan.rules import GAMES, GameName

MOST_ROUNDS_OF_FOLDING = 3
"""A sheet's corrections may show that it is another photo of a sheet, which changes a game, which
changes what its sheets are worth; nothing follows from that again."""


@dataclass(frozen=True)
class EventRow:
    """What is stored of an event itself. game: "duel" or "kingdomino"."""

    id: int
    name: str
    game: str
    details: Json
    created_at: datetime
    version: int


def events(db: Connection) -> list[EventRow]:
    """All events, the oldest first."""
    return all_of(db, EventRow, select(schema.event).order_by(schema.event.c.id))


def find_row(db: Connection, name: str | None) -> EventRow:
    """The event of that name, or the only one; raise `UsageError` that lists existing ones."""
    every = events(db)
    if name is None:
        if not every:
            raise UsageError("there is no event yet; name one, like --event 'Spring cup'")
        if len(every) > 1:
            names = ", ".join(event.name for event in every)
            raise UsageError(
                "there are several events; choose one with --event: {known}", known=names
            )
        return every[0]
    for event in every:
        if event.name == name:
            return event
    known = ", ".join(event.name for event in every) or "none yet"
    raise UsageError(
        "--event {name}: there is no such event; there are: {known}", name=name, known=known
    )


def open_row(db: Connection, name: str | None, game: GameName | None = None) -> EventRow:
    """The event of that name, created if there is none; raise `UsageError` for another game's.

    name: None for the only event. game: of the event; None for the existing one, Duel for a new
    event.
    """
    if name is not None:
        if not name.strip():
            raise UsageError("--event: an event needs a name, like --event 'Spring cup'")
        if all(event.name != name for event in events(db)):
            check_name(name)
            fresh = {"name": name, "game": game or GAMES[0], "details": {}, "created_at": now()}
            insert_new(db, schema.event, fresh)
    event = find_row(db, name)
    if game not in (None, event.game):
        raise UsageError(
            "--event {name}: this is an event of {found}, not {game}",
            name=event.name,
            found=event.game,
            game=game,
        )
    return event


def find_event(db: Connection, name: str | None) -> Event:
    """The event of that name, or the only one; see `find_row`."""
    return load(db, find_row(db, name).id)


def open_event(
    db: Connection, name: str | None, game: GameName | None = None, rules: SetRules | None = None
) -> Event:
    """The event of that name, created if there is none, with its rules changed; see `open_row`."""
    event = load(db, open_row(db, name, game).id, write=True)
    if rules is not None and rules != SetRules():
        event, _ = perform(db, event, Author("", "desk"), rules)
    return event


def version(db: Connection, event_id: int, name: str) -> int | None:
    """An event's version; None if it was deleted: its number may be that of another by now."""
    at = schema.event.c
    found: int | None = db.scalar(select(at.version).where(at.id == event_id, at.name == name))
    return found


def check_exists(db: Connection, event_id: int, name: str) -> None:
    """Raise `UsageError` if an event was deleted meanwhile."""
    if version(db, event_id, name) is None:
        find_row(db, name)


def load(
    db: Connection, event_id: int, before: Event | None = None, *, write: bool = False
) -> Event:
    """An event at its current version; raises `UsageError` if it was deleted.

    before: an earlier version, of which everything that did not change is taken. write: whether
    states of sheets that had to be computed anew are stored.
    """
    rows = all_of(db, EventRow, select(schema.event).where(schema.event.c.id == event_id))
    if not rows:
        raise UsageError("the event was deleted")
    (row,) = rows
    if before is not None and before.version == row.version:
        return before
    known = before.log[-1].id if before is not None and before.log else 0
    at = schema.photo.c
    query = select(schema.photo).where(at.event_id == event_id).order_by(at.id)
    if before is not None:
        query = query.where(at.version > before.version)
    changed = all_of(db, PhotoRow, query)
    ids = None if before is None else [photo.id for photo in changed]
    photos = {photo.id: photo for photo in changed}
    sheets = {sheet.id: sheet for sheet in _sheets(db, event_id, ids)}
    failures = errors(db, event_id, ids)
    names = {file.id: file for file in files(db, event_id, ids)}
    entries = log.entries(db, event_id, known)
    alike = Alike()
    if before is not None:
        gone, alike = set(photos), before.alike
        photos = {**before.photos, **photos}
        stay = {n: one for n, one in before.sheets.items() if one.photo_id not in gone}
        sheets = stay | sheets
        failures = {k: one for k, one in before.failures.items() if k[0] not in gone} | failures
        kept = {f.id: f for f in before.files if f.photo_id and f.photo_id not in gone}
        names = kept | names
        entries = [*before.log, *entries]
    event = Event(
        row.id,
        row.name,
        row.game,
        row.version,
        row.details,
        row.created_at,
        tuple(entries),
        photos,
        tuple(sorted(names.values(), key=lambda file: (file.name, file.id))),
        failures,
        sheets,
        alike,
    )
    return settle(db, event, write=write)


def _sheets(db: Connection, event_id: int, photo_ids: Collection[int] | None) -> list[Sheet]:
    at = schema.sheet.c
    names = [f for f in Sheet.__dataclass_fields__ if f != "brief"]
    query = select(*(at[name] for name in names), at.brief).where(at.event_id == event_id)
    if photo_ids is not None:
        query = query.where(at.photo_id.in_(photo_ids))
    rows = db.execute(query.order_by(at.photo_id, at.page, at.number)).all()
    old = [row.id for row in rows if row.brief is None]  # stored by an older version
    fresh = {}
    if old:
        for one in read_sheets(db, ids=old):
            fresh[one.id] = brief_of(one.data, one.data, one.kept)
    return [
        Sheet(
            **dict(zip(names, row, strict=False)),
            brief=fresh[row.id] if row.brief is None else convert(row.brief, Brief),
        )
        for row in rows
    ]


def settle(db: Connection, event: Event, *, write: bool = False) -> Event:
    """The event with the current state of all its sheets; write: whether to store those that were
    computed."""
    for _ in range(MOST_ROUNDS_OF_FOLDING):
        groups = event.groups
        wanted = {sheet_id: _basis(event, group) for sheet_id, group in groups.items()}
        stale = [s for s in event.sheets.values() if s.basis != wanted.get(s.id)]
        if not stale:
            break
        needed = {n for s in stale for n in (groups[s.id].sheets if s.id in groups else (s.id,))}
        stored = {one.id: one for one in read_sheets(db, ids=needed)}
        states: dict[Group, list[Json]] = {}
        sheets, unsaved = dict(event.sheets), dict(event.unsaved)
        for sheet in stale:
            group, read = groups.get(sheet.id), stored[sheet.id]
            state = None
            if group is not None:
                if group not in states:
                    states[group] = _fold(event, group, stored)
                state = states[group][group.sheets.index(sheet.id)]
            brief = brief_of(read.data if state is None else state, read.data, read.kept)
            sheets[sheet.id] = replace(sheet, basis=wanted.get(sheet.id), brief=brief)
            unsaved[sheet.id] = read.data if state is None else state
        event = replace(event, sheets=sheets, unsaved=unsaved)
    if write and event.unsaved:
        for sheet_id, current in event.unsaved.items():
            sheet, at = event.sheets[sheet_id], schema.sheet.c
            values = {
                "basis": sheet.basis,
                "state": current if sheet.basis else None,
                "brief": to_builtins(sheet.brief),
            }
            db.execute(schema.sheet.update().where(at.id == sheet_id).values(**values))
        touched = {event.sheets[sheet_id].photo_id for sheet_id in event.unsaved}
        photo = schema.photo.c
        mark = schema.photo.update().where(photo.id.in_(touched))
        db.execute(mark.values(version=event.version))
        event = replace(event, unsaved={})
    return event


def _basis(event: Event, group: Group) -> str:
    sheets = [event.sheets[n] for n in group.sheets]
    readings = [(sheet.id, sheet.reading_id) for sheet in sheets]
    return basis_of(readings, [event.said_of(sheet) for sheet in sheets], group.one_table)


def _fold(event: Event, group: Group, stored: Mapping[int, ReadSheet]) -> list[Json]:
    sheets = [stored[n] for n in group.sheets]
    said = [event.said_of(event.sheets[n]) for n in group.sheets]
    read = [StoredSheet(one.id, one.kind, one.data, one.kept) for one in sheets]
    return fold_table(read, said, one_table=group.one_table)


def current_sheets(db: Connection, event: Event, ids: Iterable[int]) -> dict[int, ReadSheet]:
    """Sheets as they were read, and with their current state, by id."""
    return {
        one.id: replace(one, state=event.unsaved.get(one.id, one.state))
        for one in read_sheets(db, ids=[*ids])
    }


def perform(
    db: Connection, event: Event, author: Author, *actions: Action, prepared: bool = False
) -> tuple[Event, list[log.Entry]]:
    """Do something in an event, in a transaction that writes; returns the event after it, and the
    log's entries. prepared: the actions are complete, and need no check.

    Raises `UsageError` for what is impossible or not allowed.
    """
    check_name(author.who)
    raised = touch(db, event.id)
    if raised is None:
        raise UsageError("the event was deleted")
    if raised != event.version + 1:  # somebody else was faster
        event = load(db, event.id, event, write=True)
        event = replace(event, version=raised - 1)
    at, entries = now(), []
    for action in actions:
        if not prepared:
            check_allowed(event, author, action)
            action = action.prepare(event, author)
            if isinstance(action, Undo) and action.action in event.said.undone:
                continue
        new = log.append(db, event.id, author, [action], at)
        entries += new
        event = replace(event, log=(*event.log, *new))
    return settle(db, replace(event, version=raised), write=True), entries


def check_allowed(event: Event, author: Author, action: Action) -> None:
    """Raise `NotForPlayers` for what this person may not do, and `UsageError` if the desk has
    decided it already: a player corrects sheets of photos that he was the first to send."""
    if author.role == "desk":
        return
    if not action.for_players:
        raise NotForPlayers("this is for the desk: come in with its code")
    target: Action = action
    if isinstance(action, Undo) and action.action in event.entries:
        target = event.entries[action.action].action
    if not isinstance(target, OnSheet):
        raise NotForPlayers("this is for the desk: come in with its code")
    sheet = event.sheet(target.sheet)
    if event.senders(sheet.photo_id)[:1] != [author.session]:
        raise NotForPlayers("somebody else has sent this photo before; ask the desk to change it")
    if not event.has_players or isinstance(action, Undo):
        return
    firm, at = event.said_of(sheet).firm, event.assignment(sheet.id)
    decided = "confirmed" in firm or (isinstance(action, OnField) and action.field in firm)
    if isinstance(action, AssignSheet):
        words = event.said.assigned.get(sheet.id, ())
        decided = any(entry.role == "desk" for entry, _ in words)
        if at.by == "code" and at.player:
            raise NotForPlayers("the code of this sheet says whose it is; ask the desk")
    if decided:
        raise NotForPlayers("the desk has decided this; ask there")


def current_event(store: Store, name: str | None) -> Event:
    """The event of that name, or the only one, as it is now; states of its sheets that an older
    version or another program left open are stored if the store can be written."""
    with store.read() as db:
        event = find_event(db, name)
    if event.unsaved and store.lies_at is not None:
        with store.write() as db:
            event = load(db, event.id, write=True)
    return event
