"""The desk's actions on an event: everything that the command line can do, each in one transaction.

A `UsageError`, for what is impossible, becomes an error with its message. Every action is answered
with the desk's new state.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from kdscan.errors import UsageError
from kdscan.event.acts import Act, newest_act, note_pairing, note_participation, undo_act
from kdscan.event.correcting import correct_sheet
from kdscan.event.names import player_named, player_of
from kdscan.event.plan import drop, enter_player, next_round, set_result
from kdscan.event.removing import set_removed
from kdscan.event.store.events import find_event, players, set_event_detail
from kdscan.event.store.readings import sheet
from kdscan.event.store.records import Event, Sheet
from kdscan.files import Json
from kdscan.web import bodies, schemas_event
from kdscan.web.answers import not_found
from kdscan.web.operation import NEWS, get, post
from kdscan.web.photo_state import localized_error
from kdscan.web.requests import desk_session, id_of, news, refused, services_of, words_of
from kdscan.web.tables import CLOCK, SHOWN

A = TypeVar("A", bound=Callable[..., Any])

REFUSED = {409: "Impossible; `message` says why, in the language of `Accept-Language`."}


@get("/api/desk", query=NEWS, desk=True)
async def desk(request: Request) -> schemas_event.DeskView:
    """Everything that is to be settled in the event, its sheets, players and rounds (desk)."""
    await news(request)
    return await run_in_threadpool(_answer, request)


def _answer(request: Request) -> schemas_event.DeskView:
    services, who = services_of(request), desk_session(request).name
    with services.store.read() as db:
        act = newest_act(db, find_event(db, services.settings.event), who)
    view, spoken = services.tables.views().desk, words_of(request)
    cards: list[schemas_event.Card] = [
        {**card, "problem": localized_error(card["problem"], spoken)} for card in view["cards"]
    ]
    return {**view, "cards": cards, "undo": _undoable(act) if act else None}


def _undoable(act: Act) -> schemas_event.Undoable:
    values = {name: str(value) for name, value in act.values.items()}
    return {
        "id": act.rows[-1].id,
        "text": act.text,
        "values": values,
        "at": act.at.isoformat(),
        "sheet": act.sheet,
    }


def event_act(path: str) -> Callable[[A], A]:
    """Declare an action of the desk that changes the event."""

    def declare(function: A) -> A:
        @post(path, schemas_event.DeskView, desk=True, errors=REFUSED)
        @wraps(function)
        def handler(request: Request, body: object) -> schemas_event.DeskView:
            return _perform(request, lambda db, event, who: function(db, event, body, who))

        return function

    return declare


def sheet_act(path: str) -> Callable[[A], A]:
    """Declare an action of the desk that corrects a sheet; the function returns the corrections to
    add, field → new value."""

    def declare(function: A) -> A:
        @post(path, schemas_event.DeskView, desk=True, errors=REFUSED)
        @wraps(function)
        def handler(request: Request, body: object) -> schemas_event.DeskView:
            def correct(db: Connection, event: Event, who: str) -> None:
                one = _sheet(db, event, id_of(request))
                correct_sheet(db, one, function(db, one, event, body), who)

            return _perform(request, correct)

        return function

    return declare


def _perform(
    request: Request, change: Callable[[Connection, Event, str], None]
) -> schemas_event.DeskView:
    """Perform an action in one transaction; returns the desk's new state."""
    services, who = services_of(request), desk_session(request).name
    try:
        with services.store.write() as db:
            change(db, find_event(db, services.settings.event), who)
    except UsageError as error:
        raise refused(request, error) from error
    return _answer(request)


def _sheet(db: Connection, event: Event, sheet_id: int) -> Sheet:
    one = sheet(db, sheet_id)
    if one is None or one.event_id != event.id:
        raise not_found("sheet")
    return one


@sheet_act("/api/sheets/{id}/place")
def place(db: Connection, _: Sheet, event: Event, body: bodies.Place) -> Json:
    """Set whose a sheet is (desk)."""
    player = body.player and player_named(db, event, body.player, body.round)
    fields = {"place": {"round": body.round, "table": body.table, "player": player}}
    return fields | ({"same_as": 0} if body.own else {})


@sheet_act("/api/sheets/{id}/same")
def same(db: Connection, one: Sheet, event: Event, body: bodies.SameAs) -> Json:
    """Set whether two photos show one sheet."""
    if body.of is not None and _sheet(db, event, body.of).id == one.id:
        raise UsageError("a sheet cannot be another photo of itself")
    return {"same_as": body.of or 0}


@sheet_act("/api/sheets/{id}/ignore")
def ignore(_: Connection, __: Sheet, ___: Event, body: bodies.Ignored) -> Json:
    """Exclude a sheet from the results, or include it again."""
    return {"ignored": body.ignored}


@event_act("/api/event/remove")
def remove(db: Connection, event: Event, body: bodies.File, who: str) -> None:
    """Remove a photo from the event (desk)."""
    set_removed(db, event, body.file, who)


@event_act("/api/event/result")
def result(db: Connection, event: Event, body: bodies.TableResult, who: str) -> None:
    """Enter a table's points or a walkover, or withdraw them."""
    points = None if body.points is None else body.points.items()
    set_result(db, event, body.round, body.table, who, points=points, walkover=body.walkover)


@event_act("/api/event/pair")
def pair(db: Connection, event: Event, body: bodies.Pair, who: str) -> None:
    """Pair the next round, or pair the last one again (desk)."""
    round_, _ = next_round(db, event, again=body.again)
    note_pairing(db, event, round_, who)
    set_event_detail(db, event.id, CLOCK, None)


@event_act("/api/event/player")
def player(db: Connection, event: Event, body: bodies.Entry, who: str) -> None:
    """Enter a player, or have one drop out or come back."""
    name = body.name.strip()
    if not body.active:
        name = player_named(db, event, name, None)
    known = player_of(players(db, event.id), name)
    spelled = known.name if known else name
    before = known is not None and known.active
    if body.active and before:
        raise UsageError(
            "{name} is in the list already; tell two of one name apart by a letter or a town.",
            name=spelled,
        )
    if body.active:
        spelled = enter_player(db, event, spelled).name
    drop(db, event, [spelled], body.active)
    note_participation(db, event, spelled, body.active, who, before=before)


@event_act("/api/event/clock")
def clock(db: Connection, event: Event, body: bodies.Clock, who: str) -> None:
    """Start the round's clock, or remove it."""
    ends = body.minutes and (datetime.now(UTC) + timedelta(minutes=body.minutes)).isoformat()
    set_event_detail(db, event.id, CLOCK, ends)


@event_act("/api/event/show")
def show(db: Connection, event: Event, body: bodies.Show, who: str) -> None:
    """Choose what the projector shows (desk)."""
    set_event_detail(db, event.id, SHOWN, body.what)


@event_act("/api/event/undo")
def take_back(db: Connection, event: Event, body: bodies.Undo, who: str) -> None:
    """Undo the last action of this desk (desk)."""
    undo_act(db, event, who, body.correction)
