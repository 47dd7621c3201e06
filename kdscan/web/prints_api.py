"""Handlers for the prints that an event knows, and for new ones from photos of a pad's sheets.

A photo of a pad's blank sheet goes through the workers like any other, but is not a photo of the
event. In an event with players only the desk may change prints, because they decide how everybody's
sheets are read; at home everybody may teach one, unless automatic learning is switched off.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.errors import KdscanError, LayoutError
from kdscan.files import Json
from kdscan.i18n.errors import error_json, error_text
from kdscan.web import schemas
from kdscan.web.answers import ApiError, desk_only, not_found
from kdscan.web.operation import DESK_ONLY, NONE_SUCH, get, post
from kdscan.web.pictures import local_file
from kdscan.web.prints import Prints
from kdscan.web.requests import (
    KEEP_FOREVER,
    Services,
    event_of,
    id_of,
    receive,
    refused,
    services_of,
    session_of,
    words_of,
)
from kdscan.web.tasks import LearnPrint
from kdscan.web.views import visible_photo, visible_sheets

NOT_LEARNED = {409: "The photos are unsuitable; `message` says what to do."}


def may_teach(request: Request) -> bool:
    """Whether a session may teach pads."""
    if session_of(request).role == "desk":
        return True
    services = services_of(request)
    try:
        return not services.live.event().has_players and services.prints.learns()
    except ApiError:  # the event was deleted
        return False


@get("/api/prints")
def prints(request: Request) -> schemas.KnownPrints:
    """The prints that are known."""
    return _all(services_of(request).prints)


def _all(known: Prints) -> schemas.KnownPrints:
    return {"prints": known.all(), "learns": known.learns()}


@post("/api/prints/learning", desk=True, errors=NONE_SUCH)
async def switch_learning(request: Request, body: schemas.Switch) -> schemas.KnownPrints:
    """Switch the automatic learning of prints from uploaded sheets on or off (desk)."""
    services = services_of(request)
    await run_in_threadpool(services.prints.switch, body.on)
    if body.on:
        services.reader.look_for_pads(afresh=True)
    return await run_in_threadpool(_all, services.prints)


@get("/api/prints/{id}/picture.png", "image/png")
def print_picture(request: Request) -> Response:
    """A known print's picture."""
    return _png(services_of(request).prints.picture(id_of(request)))


@get("/api/prints/{id}/found.png", "image/png", desk=True)
def print_found(request: Request) -> Response:
    """A known print with what was found in it: cells, shields, circles, castle (desk)."""
    return _png(services_of(request).prints.found(id_of(request)))


def _png(data: bytes) -> Response:
    return Response(data, media_type="image/png", headers={"Cache-Control": KEEP_FOREVER})


@post("/api/prints/{id}/corners", desk=True, errors=NOT_LEARNED)
async def set_print_corners(request: Request, body: schemas.Corners) -> schemas.KnownPrints:
    """Set the corners of a print's grid in its picture (desk)."""
    services = services_of(request)
    try:
        again = await run_in_threadpool(services.prints.set_corners, id_of(request), body.corners)
    except LayoutError as error:
        raise refused(request, error, "not_learned") from error
    services.reader.enqueue(*again)
    return await run_in_threadpool(_all, services.prints)


@post(
    "/api/prints",
    body=bytes,
    query={
        "name": ({"type": "string"}, "what the pad is called", True),
        "unmarked": ({"type": "boolean"}, "nobody has drawn on it, for certain", False),
    },
    errors=NOT_LEARNED | DESK_ONLY,
    status=201,
)
async def learn_print(request: Request) -> schemas.LearnedPrint:
    """Learn a pad's print; the body is a photo of an unmarked sheet. Where there are players, only
    the desk may, and nobody else learns a known name anew."""
    services = services_of(request)
    name = request.query_params.get("name", "")
    if session_of(request).role != "desk":
        names = {row.name.casefold() for row in await run_in_threadpool(services.prints.rows)}
        if name.casefold() in names or not await run_in_threadpool(may_teach, request):
            raise desk_only()
    with tempfile.TemporaryDirectory(prefix="kdscan-") as folder:
        path = Path(folder, "upload")
        with path.open("wb") as out:
            await receive(request, out, services.settings)
        unmarked = request.query_params.get("unmarked") == "true"
        return await _learned(request, services, [path], name, unmarked)


@post("/api/prints/of-photos", errors=NONE_SUCH | NOT_LEARNED, desk=True, status=201)
async def learn_print_of_photos(request: Request, body: schemas.PadPhotos) -> schemas.LearnedPrint:
    """Learn a pad's print from uploaded photos of filled sheets (desk)."""
    services = services_of(request)
    event = await run_in_threadpool(event_of, request)
    rows = [visible_photo(event, n, session_of(request)) for n in body.photos]
    async with contextlib.AsyncExitStack() as files:
        local = (local_file(services.store, row) for row in rows)
        paths = [await files.enter_async_context(one) for one in local]
        return await _learned(request, services, paths, body.name)


async def _learned(
    request: Request, services: Services, paths: Sequence[Path], name: str, unmarked: bool = False
) -> schemas.LearnedPrint:
    problem: Json | None = None
    data = b""
    try:
        async for frame in services.pool.ask(LearnPrint(name, tuple(paths), unmarked)):
            problem, data = frame.header["problem"], b"".join(frame.blobs)
    except KdscanError as error:
        problem = error_json(error)
    if problem is not None:
        raise ApiError(409, "not_learned", error_text(problem, words_of(request)))
    known, again = await run_in_threadpool(services.prints.add, data)
    services.reader.enqueue(*again)
    return {**known, "again": again}


@post("/api/prints/{id}/forget", desk=True)
def forget_a_print(request: Request, body: schemas.Nothing) -> schemas.KnownPrints:
    """Forget a print (desk)."""
    known = services_of(request).prints
    known.forget_numbered(id_of(request))
    return _all(known)


@get("/api/sheets/{id}/ink.png", "image/png")
async def ink(request: Request) -> Response:
    """Only the ink of a sheet of a known print."""
    services = services_of(request)
    event = await run_in_threadpool(event_of, request)
    visible_sheets(event, [id_of(request)], session_of(request))
    sheet = event.sheets[id_of(request)]
    photo = event.photos[sheet.photo_id]
    rows = await run_in_threadpool(services.prints.rows)
    # Only for a known print; otherwise each request would make a worker read the photo in vain.
    known = any(row.name == sheet.brief.layout for row in rows)
    prints = tuple(row.sha256 for row in rows) if known else ()
    path = await services.pictures.ink(photo, sheet.page, sheet.number, prints)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/png")
