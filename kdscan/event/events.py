"""Events in a store: created and found, loaded, and changed by one transaction each.

with store.write() as db:
    event = open_event(db, "Spring cup")
    event, _ = perform(db, event, Author("Ada"), AddPlayer("Bob"))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import convert, to_builtins
from msgspec.structs import asdict
from sqlalchemy import Connection, select

from kdscan.errors import StoreError, UsageError
from kdscan.event import log
from kdscan.event.actions import Action, CloseEvent, SetRules, Show, Undo, check_possible
from kdscan.event.corrections import (
    AssignSheet,
    NoSuchSheet,
    NotForPlayers,
    OnField,
    OnSheet,
    desk_only,
)
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.sheets import Brief, ReadSheet, Sheet, basis_of, brief_of, fold_table
from kdscan.event.store import schema
from kdscan.event.store.files import is_url
from kdscan.event.store.photos import changed_photos, errors, files, read_sheets, stored_files
from kdscan.event.store.schema import (
    EventRow,
    PhotoRow,
    all_of,
    all_with,
    first,
    insert_new,
    now,
    touch,
)
from kdscan.files import Json, check_name, plain_name
from kdscan.rules import GAMES, GameName

if TYPE_CHECKING:
    from kdscan.event.store import Store

MOST_ROUNDS_OF_FOLDING = 3
"""A sheet's corrections may show that it is another photo of a sheet, which changes a game, which
changes what its sheets are worth; nothing follows from that again."""


class EventGone(UsageError):
    """The event was deleted."""

    code = "event_gone"


def events(db: Connection) -> list[EventRow]:
    """All events, the oldest first."""
    return all_with(db, EventRow, schema.event)


def find_row(db: Connection, name: str | None) -> EventRow:
    """The event of that name, or the only one; raise `UsageError` that lists existing ones."""
    every = {event.name: event for event in events(db)}
    known = ", ".join(every)
    if name is None and not every:
        raise UsageError("there is no event yet; name one, like --event 'Spring cup'")
    if name is None and len(every) > 1:
        raise UsageError("there are several events; choose one with --event: {known}", known=known)
    if name is not None and name not in every:
        raise UsageError(
            "--event {name}: there is no such event; there are: {known}",
            name=name,
            known=known or "–",
        )
    return every[name or known]


def open_row(db: Connection, name: str | None, game: GameName | None = None) -> EventRow:
    """The event of that name, created if there is none; raise `UsageError` for another game's.

    name: None for the only event. game: of the event; None for the existing one, Duel for a new
    event.
    """
    if name is not None:
        if not name.strip():
            raise UsageError("--event: an event needs a name, like --event 'Spring cup'")
        # No database need encode the name; nor does its case, accents or spaces make another event.
        if plain_name(name) not in {plain_name(event.name) for event in events(db)}:
            check_name(name)
            insert_new(
                db,
                schema.event,
                {"name": name, "game": game or GAMES[0], "details": {}, "created_at": now()},
            )
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
    if rules not in (None, SetRules()):
        event, _ = perform(db, event, Author(""), rules)
    return event


def load(
    db: Connection, event_id: int, before: Event | None = None, *, write: bool = False
) -> Event:
    """An event at its current version; raises `EventGone` if it was deleted.

    before: an earlier version, of which everything that did not change is taken; without one, all
    is new. write: whether states of sheets that had to be computed anew are stored.
    """
    row = first(db, EventRow, schema.event, id=event_id)
    if row is None or (before and before.name != row.name):
        raise EventGone("the event was deleted")
    if before is None or before.created_at != row.created_at:  # deleted, and another has its number
        nothing: Json = {"photos": {}, "failures": {}, "sheets": {}}
        before = Event(**asdict(row) | {"version": -1}, log=(), files=(), **nothing)
    if before.version == row.version:
        return before
    at, since = schema.photo.c, before.version
    query = select(schema.photo).where(at.event_id == event_id, at.version > since)
    changed = {photo.id: photo for photo in all_of(db, PhotoRow, query.order_by(at.id))}
    of = schema.sheet.c
    found = select(*(of[name] for name in Sheet.__dataclass_fields__))
    found = found.where(of.photo_id.in_(changed_photos(event_id, since)))
    rows = db.execute(found.order_by(of.photo_id, of.page, of.number)).all()
    new = [row.id for row in rows if row.brief is None]  # as after an upgrade
    read = {sheet.id: sheet for sheet in read_sheets(db, id=new)} if new else {}
    briefs = {n: brief_of(sheet.data, sheet.data, sheet.kept) for n, sheet in read.items()}
    sheets = {
        row.id: Sheet(**{**row._mapping, "brief": briefs.get(row.id) or convert(row.brief, Brief)})
        for row in rows
    }
    names = files(db, event_id, since)
    names += [f for f in before.files if f.photo_id and f.photo_id not in changed]
    listed = tuple(sorted(names, key=lambda file: (file.name, file.id)))
    stay, failed = before.sheets.items(), before.failures.items()
    event = replace(
        before,
        **asdict(row),
        log=(*before.log, *log.entries(db, event_id, before.log[-1].id if before.log else 0)),
        photos={**before.photos, **changed} if changed else before.photos,
        files=before.files if listed == before.files else listed,
        failures={k: v for k, v in failed if k[0] not in changed} | errors(db, event_id, since),
        sheets={n: sheet for n, sheet in stay if sheet.photo_id not in changed} | sheets,
        unsaved={n: sheet.data for n, sheet in read.items()},
        read={},
    )
    return settle(db, event, write=write)


def settle(
    db: Connection, event: Event, ids: Collection[int] | None = None, *, write: bool = False
) -> Event:
    """The event with the current state of all its sheets.

    ids: the only sheets of which something new was said. write: whether to store the states that
    were computed.
    """
    stored: dict[int, ReadSheet] = {}
    for _ in range(MOST_ROUNDS_OF_FOLDING):
        near = event.sheets.keys() if ids is None else event.around(ids)
        groups = event.groups(near)
        fresh: dict[int, str | None] = {
            n: None for n in near - groups.keys() if event.sheets[n].basis is not None
        }
        work = []
        for numbers, one_table in set(groups.values()):
            words = [event.said_of(event.sheets[n]) for n in numbers]
            readings = [(n, event.sheets[n].reading_id) for n in numbers]
            basis = basis_of(readings, words, one_table)
            if any(event.sheets[n].basis != basis for n in numbers):
                fresh |= dict.fromkeys(numbers, basis)
                work.append((numbers, words, one_table))
        if not fresh:
            break
        stored |= {sheet.id: sheet for sheet in read_sheets(db, id=fresh.keys() - stored.keys())}
        states = {n: stored[n].data for n in fresh}
        for numbers, words, one_table in work:
            folded = fold_table([stored[n] for n in numbers], words, one_table=one_table)
            states |= zip(numbers, folded, strict=True)
        sheets = {
            n: replace(
                event.sheets[n],
                basis=basis_now,
                brief=brief_of(states[n], stored[n].data, stored[n].kept),
            )
            for n, basis_now in fresh.items()
        }
        before, unsaved = event, {**event.unsaved, **states}
        event = replace(event, sheets={**event.sheets, **sheets}, unsaved=unsaved)
        if ids is not None:
            ids = {*ids, *fresh}
            if event.uses_spellbooks:  # what a sheet is another photo of may change a game
                same, earlier = event.compared.same, before.compared.same
                ids |= {n for n in same.keys() | earlier.keys() if same.get(n) != earlier.get(n)}
    if write and event.unsaved:
        at, photo = schema.sheet.c, schema.photo
        for sheet_id, state in event.unsaved.items():
            sheet = event.sheets[sheet_id]
            values = {"basis": sheet.basis, "state": state if sheet.basis else None}
            update = schema.sheet.update().where(at.id == sheet_id)
            db.execute(update.values(**values, brief=to_builtins(sheet.brief)))
        touched = {event.sheets[n].photo_id for n in event.unsaved}
        db.execute(photo.update().where(photo.c.id.in_(touched)).values(version=event.version))
        read = {n: replace(stored[n], current=s) for n, s in event.unsaved.items() if n in stored}
        event = replace(event, unsaved={}, read=read if ids is not None else {})
    return event


def current_sheets(db: Connection, event: Event, ids: Iterable[int]) -> dict[int, ReadSheet]:
    """Sheets as they were read, and with their current state, by id."""
    wanted = set(ids)
    sheets = {n: event.read[n] for n in wanted & event.read.keys()}
    left = wanted - sheets.keys()
    for sheet in read_sheets(db, id=left) if left else ():
        sheets[sheet.id] = replace(sheet, current=event.unsaved.get(sheet.id, sheet.current))
    return sheets


def perform(
    db: Connection, event: Event, author: Author, *actions: Action, last: int = schema.MOST_NUMBER
) -> tuple[Event, list[log.AnyEntry]]:
    """Do something in an event, in a transaction that writes; returns the event after it, and the
    log's entries.

    last: the newest action that the author knew. Raises `UsageError` for what is impossible or not
    allowed, or if another desk has decided the same since.
    """
    check_name(author.who)
    raised = touch(db, event.id)
    if raised is None:
        raise EventGone("the event was deleted")
    if raised != event.version + 1:  # somebody else was faster
        event = load(db, event.id, event, write=True)
    before, at, entries = event, now(), []
    event = event.after(raised)
    for action in actions:
        check_allowed(event, author, action)
        action = action.prepare(event, author)
        if isinstance(action, Undo) and action.action in event.said.undone:
            continue
        entries.append(log.append(db, event.id, author, action, at))
        event = event.after(raised, entries[-1])
    own = {subject for entry in entries for subject in entry.action.subjects()}
    for other in reversed(event.log):
        if other.id <= last:
            break
        if (
            other.role == "desk"
            and other.session != author.session
            and own & other.action.subjects()
        ):
            raise UsageError("another desk has just decided this; look at it again")
    check_possible(before, event)
    ids = [e.action.sheet for e in entries if isinstance(e.action, OnField)]
    return settle(db, event, ids if len(ids) == len(entries) else None, write=True), entries


def check_allowed(event: Event, author: Author, action: Action) -> None:
    """Raise `NotForPlayers` for what this person may not do, and `UsageError` if the desk has
    decided it already: a player corrects sheets of photos that he was the first to send."""
    target = action
    if isinstance(action, Undo) and action.action in event.entries:
        target = event.entries[action.action].action
    if author.role == "desk":
        if event.said.closed and not isinstance(target, CloseEvent | Show):
            raise UsageError("{name} is over; reopen it first", name=event.name)
        return
    if event.said.closed:
        raise NotForPlayers("the event is over; ask the desk")
    if not (action.for_players and isinstance(target, OnSheet)):
        raise desk_only()
    sheet = event.sheet(target.sheet)
    if author.session not in event.senders(sheet.photo_id):
        raise NoSuchSheet("there is no such sheet")
    check_sender(event, author, sheet.photo_id)
    if not event.has_players:
        return
    firm, at = event.said_of(sheet).firm, event.assignments[sheet.id]
    decided = "confirmed" in firm or (isinstance(target, OnField) and target.field in firm)
    if isinstance(action, Undo):
        together = {entry.id for entry in event.together(event.entries[action.action])}
        decided |= event.said.over(at.round) is not None or bool(together & event.said.approved)
    elif isinstance(action, AssignSheet):
        decided = event.is_given_by_desk(sheet.id)
        if at.player and not at.word:
            raise NotForPlayers("the code of this sheet says whose it is; ask the desk")
    if decided:
        raise NotForPlayers("the desk has decided this; ask there")


def check_sender(event: Event, author: Author, photo_id: int) -> None:
    """Raise `NotForPlayers` for somebody who may not change what a photo shows: the desk may, and
    who was the first to send it."""
    if author.role == "player" and event.senders(photo_id)[:1] != [author.session]:
        raise NotForPlayers("somebody else has sent this photo before; ask the desk to change it")


def forget_event(store: Store, event_id: int) -> None:
    """Delete an event for good: its rows, then its photos, the pictures made of them, and its
    prints, except those that other events have.

    If it is interrupted, files without a row are left, but the event is gone.
    """
    with store.write() as db:
        others = (stored_files(db, row.id) for row in events(db) if row.id != event_id)
        alone = stored_files(db, event_id).difference(*others)
        db.execute(schema.event.delete().where(schema.event.c.id == event_id))
    for sha256, ending in alone:
        with suppress(StoreError):  # already gone
            store.photos.remove(sha256, ending)
        if not is_url(store.photos.root):
            views = Path(store.photos.root, "views", sha256[:2])
            for picture in views.glob(f"{sha256}-*"):
                picture.unlink(missing_ok=True)
    store.photos.sweep()
