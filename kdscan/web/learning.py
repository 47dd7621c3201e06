"""Handlers: what prints an event knows, and new ones from photos of a pad's sheets.

A pad's blank sheet goes through the workers as any photo does, but is no photo of the event.
A print decides how everybody's sheets are read: who runs the event says so, at the desk.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.errors import KdscanError, LayoutError
from kdscan.locale import words
from kdscan.locale.errors import error_json, told
from kdscan.web import bodies, schemas
from kdscan.web.answers import ApiError, JsonAnswer, not_found
from kdscan.web.api import (
    KEEP_FOREVER,
    Services,
    ask,
    body_as,
    desk_session,
    id_of,
    language_of,
    receive,
    refused,
    services_of,
    session_of,
)
from kdscan.web.operation import DESK_ONLY, NONE_SUCH, Operation
from kdscan.web.pool import Request as Asked
from kdscan.web.prints import Prints
from kdscan.web.views import local_file

Json = dict[str, Any]

NOT_LEARNED = {409: "The photos are no good for it; the message says what to do."}


async def prints(request: Request) -> Response:
    """GET /api/prints"""
    return JsonAnswer(await ask(_all, services_of(request).prints))


def _all(known: Prints) -> Json:
    return {"prints": known.all(), "learns": known.learns()}


async def switch_learning(request: Request) -> Response:
    """POST /api/prints/learning"""
    services = services_of(request)
    desk_session(request)
    body = await body_as(request, bodies.Switch)
    await ask(services.prints.switch, body.on)
    if body.on:
        services.reader.look_for_pads(afresh=True)
    return JsonAnswer(await ask(_all, services.prints))


async def print_picture(request: Request) -> Response:
    """GET /api/prints/{id}/picture.png"""
    data = await ask(services_of(request).prints.picture, id_of(request))
    return Response(data, media_type="image/png", headers={"Cache-Control": KEEP_FOREVER})


async def print_found(request: Request) -> Response:
    """GET /api/prints/{id}/found.png"""
    data = await ask(services_of(request).prints.found, id_of(request))
    return Response(data, media_type="image/png", headers={"Cache-Control": KEEP_FOREVER})


async def put_print_right(request: Request) -> Response:
    """POST /api/prints/{id}/corners"""
    services = services_of(request)
    desk_session(request)
    body = await body_as(request, bodies.Corners)
    try:
        again = await ask(services.prints.put_right, id_of(request), body.corners)
    except LayoutError as error:
        raise refused(request, error, "not_learned") from error
    services.reader.enqueue(*again)
    return JsonAnswer(await ask(_all, services.prints))


async def learn_print(request: Request) -> Response:
    """POST /api/prints?name=NAME: a photo of an unmarked sheet in the body."""
    services = services_of(request)
    desk_session(request)
    name = request.query_params.get("name", "")
    with tempfile.TemporaryDirectory(prefix="kdscan-") as folder:
        path = Path(folder, "upload")
        with path.open("wb") as out:
            await receive(request, out, services.settings)
        unmarked = request.query_params.get("unmarked") == "true"
        return await _learned(request, services, [path], name, unmarked)


async def learn_print_of_photos(request: Request) -> Response:
    """POST /api/prints/of-photos: from filled sheets whose photos were sent already."""
    services = services_of(request)
    desk_session(request)
    body = await body_as(request, bodies.PadPhotos)
    rows = [await ask(services.sheets.photo_row, n, session_of(request)) for n in body.photos]
    async with contextlib.AsyncExitStack() as files:
        store = services.prints.store
        paths = [await files.enter_async_context(local_file(store, row)) for row in rows]
        return await _learned(request, services, paths, body.name)


async def _learned(
    request: Request, services: Services, paths: Sequence[Path], name: str, unmarked: bool = False
) -> Response:
    what = Asked(paths[0], name, "learn", more=tuple(paths[1:]), unmarked=unmarked)
    problem: Json | None = None
    data = b""
    try:
        async for frame in services.pool.ask(what):
            problem, data = frame.header["problem"], b"".join(frame.blobs)
    except KdscanError as error:
        problem = error_json(error)
    if problem is not None:
        raise ApiError(409, "not_learned", told(problem, words(language_of(request))))
    known, again = await ask(services.prints.add, data)
    services.reader.enqueue(*again)
    return JsonAnswer(known | {"again": again}, 201)


async def forget_a_print(request: Request) -> Response:
    """POST /api/prints/{id}/forget"""
    desk_session(request)
    await body_as(request, bodies.Nothing)
    await ask(services_of(request).prints.forget_numbered, id_of(request))
    return JsonAnswer(await ask(_all, services_of(request).prints))


async def ink(request: Request) -> Response:
    """GET /api/sheets/{id}/ink.png"""
    services = services_of(request)
    sheet, photo = await ask(services.sheets.sheet_place, id_of(request), session_of(request))
    prints = await ask(services.prints.hashes)
    path = await services.views.ink(services.pool, photo, sheet.page, sheet.number, prints)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/png", headers={"Cache-Control": KEEP_FOREVER})


OPERATIONS = (
    Operation(
        "GET",
        "/api/sheets/{id}/ink.png",
        ink,
        "What was drawn on a sheet of a known print, alone",
        "image/png",
    ),
    Operation("GET", "/api/prints", prints, "The prints that are known", schemas.KnownPrints),
    Operation(
        "POST",
        "/api/prints/learning",
        switch_learning,
        "Have prints learned by themselves from the sheets that are sent, or not (desk)",
        schemas.KnownPrints,
        bodies.Switch,
        more_errors=NONE_SUCH | DESK_ONLY,
    ),
    Operation(
        "POST",
        "/api/prints",
        learn_print,
        "Learn a pad's print (desk); the body is a photo of an unmarked sheet",
        schemas.LearnedPrint,
        bytes,
        in_query={
            "name": ({"type": "string"}, "what the pad is called", True),
            "unmarked": ({"type": "boolean"}, "nobody has drawn on it, for certain", False),
        },
        more_errors=DESK_ONLY | NOT_LEARNED | {408: "The file came too slowly."},
        status=201,
    ),
    Operation(
        "POST",
        "/api/prints/of-photos",
        learn_print_of_photos,
        "Learn a pad's print from photos of filled sheets that were sent (desk)",
        schemas.LearnedPrint,
        bodies.PadPhotos,
        more_errors=NONE_SUCH | DESK_ONLY | NOT_LEARNED,
        status=201,
    ),
    Operation(
        "GET",
        "/api/prints/{id}/picture.png",
        print_picture,
        "A known print as a picture",
        "image/png",
    ),
    Operation(
        "GET",
        "/api/prints/{id}/found.png",
        print_found,
        "A known print with what was found in it: cells, shields, circles, castle",
        "image/png",
    ),
    Operation(
        "POST",
        "/api/prints/{id}/corners",
        put_print_right,
        "Say where a print's grid has its corners in its picture (desk)",
        schemas.KnownPrints,
        bodies.Corners,
        more_errors=DESK_ONLY | NOT_LEARNED,
    ),
    Operation(
        "POST",
        "/api/prints/{id}/forget",
        forget_a_print,
        "Forget a print (desk)",
        schemas.KnownPrints,
        bodies.Nothing,
        more_errors=DESK_ONLY,
    ),
)
