"""The desk over HTTP: each handler checks what came, has it done, and answers the desk anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.errors import UsageError
from kdscan.locale import words
from kdscan.locale.errors import error_json, told
from kdscan.tournament.names import UnknownPlayer
from kdscan.web import bodies, schemas
from kdscan.web.answers import ApiError, JsonAnswer
from kdscan.web.api import ask, body_as, id_of, language_of, news, services_of, session_of
from kdscan.web.operation import BAD, BY_ID, NEWS, NONE_SUCH, TOO_MUCH, Operation
from kdscan.web.sessions import Session

DESK_ONLY = {403: "Only with the desk's code."}
REFUSED = {409: "It cannot be so; `message` says why, in the language that is asked for."}


def _desk(request: Request) -> Session:
    who = session_of(request)
    if who.role != "desk":
        raise ApiError(403, "desk_only", "this is for the desk: come in with its code")
    return who


def _name(who: Session) -> str:
    return who.who or who.role


async def desk(request: Request) -> Response:
    """GET /api/desk?after=STATE&wait=SECONDS"""
    _desk(request)
    await news(request)
    return await _answer(request)


async def _answer(request: Request) -> Response:
    rooms = services_of(request)
    found = await ask(rooms.tables.desk)
    return JsonAnswer(found | {"undo": await ask(rooms.desk.newest, _name(_desk(request)))})


async def _done(request: Request, act: Callable[..., Any], *given: Any) -> Response:
    try:
        await ask(act, *given)
    except UsageError as error:
        message = told(error_json(error), words(language_of(request)))
        known = list(error.known) if isinstance(error, UnknownPlayer) else []
        raise ApiError(409, "refused", message, known=known) from error
    return await _answer(request)


async def place(request: Request) -> Response:
    """POST /api/sheets/{id}/place"""
    who, said = _desk(request), await body_as(request, bodies.Place)
    return await _done(request, services_of(request).desk.place, id_of(request), said, _name(who))


async def same(request: Request) -> Response:
    """POST /api/sheets/{id}/same"""
    who, said = _desk(request), await body_as(request, bodies.SameAs)
    return await _done(request, services_of(request).desk.same, id_of(request), said.of, _name(who))


async def ignore(request: Request) -> Response:
    """POST /api/sheets/{id}/ignore"""
    who, said = _desk(request), await body_as(request, bodies.Ignored)
    act = services_of(request).desk.ignore
    return await _done(request, act, id_of(request), said.ignored, _name(who))


async def remove(request: Request) -> Response:
    """POST /api/event/remove"""
    who, said = _desk(request), await body_as(request, bodies.File)
    return await _done(request, services_of(request).desk.remove, said.file, _name(who))


async def result(request: Request) -> Response:
    """POST /api/event/result"""
    who, said = _desk(request), await body_as(request, bodies.TableResult)
    return await _done(request, services_of(request).desk.result, said, _name(who))


async def pair(request: Request) -> Response:
    """POST /api/event/pair"""
    who, said = _desk(request), await body_as(request, bodies.Pair)
    return await _done(request, services_of(request).desk.pair, said.again, _name(who))


async def player(request: Request) -> Response:
    """POST /api/event/player"""
    who, said = _desk(request), await body_as(request, bodies.Entry)
    act = services_of(request).desk.take_part
    return await _done(request, act, said.name, said.active, _name(who))


async def clock(request: Request) -> Response:
    """POST /api/event/clock"""
    _desk(request)
    said = await body_as(request, bodies.Clock)
    return await _done(request, services_of(request).desk.clock, said.minutes)


async def show(request: Request) -> Response:
    """POST /api/event/show"""
    _desk(request)
    said = await body_as(request, bodies.Show)
    return await _done(request, services_of(request).desk.show, said.what)


async def take_back(request: Request) -> Response:
    """POST /api/event/undo"""
    who = _desk(request)
    await body_as(request, bodies.Nothing)
    return await _done(request, services_of(request).desk.undo, _name(who))


def _act(path: str, handler: Any, summary: str, body: Any) -> Operation:
    return Operation(
        "POST",
        path,
        handler,
        summary,
        schemas.DeskView,
        body,
        in_path=BY_ID if "{id}" in path else None,
        errors=(NONE_SUCH if "{id}" in path else {}) | BAD | TOO_MUCH | DESK_ONLY | REFUSED,
    )


OPERATIONS = (
    Operation(
        "GET",
        "/api/desk",
        desk,
        "All that is to settle in the event, its sheets, players and rounds (desk)",
        schemas.DeskView,
        in_query=NEWS,
        errors=BAD | DESK_ONLY,
    ),
    _act("/api/sheets/{id}/place", place, "Say whose a sheet is (desk)", bodies.Place),
    _act("/api/sheets/{id}/same", same, "Say whether two photos show one sheet", bodies.SameAs),
    _act("/api/sheets/{id}/ignore", ignore, "Have a sheet count, or not", bodies.Ignored),
    _act("/api/event/remove", remove, "Take a photo out of the event (desk)", bodies.File),
    _act(
        "/api/event/result",
        result,
        "Say a table's points, a walkover, or neither any more",
        bodies.TableResult,
    ),
    _act("/api/event/pair", pair, "Pair the next round, or the last one anew (desk)", bodies.Pair),
    _act("/api/event/player", player, "A player enters, drops out, or comes back", bodies.Entry),
    _act("/api/event/clock", clock, "Start the round's clock, or take it away", bodies.Clock),
    _act("/api/event/show", show, "Choose what the projector shows (desk)", bodies.Show),
    _act("/api/event/undo", take_back, "Take back what was done last here (desk)", bodies.Nothing),
)
