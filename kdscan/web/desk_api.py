"""The desk over HTTP: what comes is checked and done, and the desk is answered anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.errors import UsageError
from kdscan.web import bodies, schemas
from kdscan.web import desk as acts
from kdscan.web.answers import JsonAnswer
from kdscan.web.api import ask, body_as, desk_session, id_of, news, refused, services_of
from kdscan.web.operation import DESK_ONLY, NEWS, Operation

REFUSED = {409: "It cannot be so; `message` says why, in the language that is asked for."}


async def desk(request: Request) -> Response:
    """GET /api/desk?after=STATE&wait=SECONDS"""
    desk_session(request)
    await news(request)
    return await _answer(request)


async def _answer(request: Request) -> Response:
    services, who = services_of(request), desk_session(request).name
    found = await ask(services.tables.desk)
    return JsonAnswer(found | {"undo": await ask(services.desk.newest, who)})


def _act(path: str, act: Callable[..., Any], summary: str, body: Any) -> Operation:
    """An act of `kdscan.web.desk`: of a sheet where the path names one, else of the event."""
    of_sheet = "{id}" in path

    async def handler(request: Request) -> Response:
        who, given = desk_session(request).name, await body_as(request, body)
        services = services_of(request)
        try:
            if of_sheet:
                await ask(services.desk.correct, act, id_of(request), given, who)
            else:
                await ask(services.desk.do, act, given, who)
        except UsageError as error:
            raise refused(request, error) from error
        return await _answer(request)

    handler.__name__, handler.__doc__ = act.__name__, f"POST {path}"
    return Operation(
        "POST",
        path,
        handler,
        summary,
        schemas.DeskView,
        body,
        more_errors=DESK_ONLY | REFUSED,
    )


OPERATIONS = (
    Operation(
        "GET",
        "/api/desk",
        desk,
        "All that is to settle in the event, its sheets, players and rounds (desk)",
        schemas.DeskView,
        in_query=NEWS,
        more_errors=DESK_ONLY,
    ),
    _act("/api/sheets/{id}/place", acts.place, "Say whose a sheet is (desk)", bodies.Place),
    _act(
        "/api/sheets/{id}/same", acts.same, "Say whether two photos show one sheet", bodies.SameAs
    ),
    _act("/api/sheets/{id}/ignore", acts.ignore, "Have a sheet count, or not", bodies.Ignored),
    _act("/api/event/remove", acts.remove, "Take a photo out of the event (desk)", bodies.File),
    _act(
        "/api/event/result",
        acts.result,
        "Say a table's points, a walkover, or neither any more",
        bodies.TableResult,
    ),
    _act(
        "/api/event/pair",
        acts.pair,
        "Pair the next round, or the last one anew (desk)",
        bodies.Pair,
    ),
    _act(
        "/api/event/player", acts.player, "A player enters, drops out, or comes back", bodies.Entry
    ),
    _act("/api/event/clock", acts.clock, "Start the round's clock, or take it away", bodies.Clock),
    _act("/api/event/show", acts.show, "Choose what the projector shows (desk)", bodies.Show),
    _act(
        "/api/event/undo",
        acts.take_back,
        "Take back what was done last here (desk)",
        bodies.Nothing,
    ),
)
