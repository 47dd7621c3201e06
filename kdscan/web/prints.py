"""The prints that an event knows, and new ones from photos of a pad's sheets.

A photo of a pad's blank sheet goes through the workers like any other, but is not a photo of the
event. In an event with players only the desk may change prints, because they decide how everybody's
sheets are read; at home everybody may teach one, unless automatic learning is switched off.
"""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.errors import KdscanError, LayoutError
from kdscan.event.prints import EventPrints, add_print, event_prints, is_of_pad
from kdscan.event.store.files import load_prints
from kdscan.event.store.photos import read_sheets
from kdscan.event.store.schema import PrintRow
from kdscan.imaging.formats import png
from kdscan.templates.drawing import draw_template
from kdscan.templates.geometry import with_corners
from kdscan.templates.library import StoredTemplate, parse_template, to_stored
from kdscan.web import schemas
from kdscan.web.answers import ApiError, desk_only, not_found
from kdscan.web.operations import DESK_ONLY, NONE_SUCH, get, post
from kdscan.web.requests import (
    KEEP_FOREVER,
    event_of,
    id_of,
    receive,
    refused,
    services_of,
    session_of,
)
from kdscan.web.tasks import LearnPrint
from kdscan.web.views import visible_photo, visible_sheets

NOT_LEARNED = {409: "The photos are unsuitable; `message` says what to do."}


def may_teach(request: Request) -> bool:
    """Whether a session may teach pads."""
    if session_of(request).role == "desk":
        return True
    try:
        return not services_of(request).live.event().has_players and _known(request).learns()
    except ApiError:  # the event was deleted
        return False


@get("/api/prints")
def prints(request: Request) -> schemas.KnownPrints:
    """The prints that are known."""
    return _all(request)


def _all(request: Request) -> schemas.KnownPrints:
    known = _known(request)
    templates = [_print_json(row, one) for row in known.rows() for one in _load(known, row)]
    return {"prints": templates, "learns": known.learns()}


@post("/api/prints/learning", desk=True, errors=NONE_SUCH)
def switch_learning(request: Request, body: schemas.Switch) -> schemas.KnownPrints:
    """Switch the automatic learning of prints from uploaded sheets on or off (desk)."""
    _known(request).switch(body.on)
    if body.on:
        services_of(request).reader.look_for_pads()
    return _all(request)


@get("/api/prints/{id}/picture.png", "image/png")
def print_picture(request: Request) -> Response:
    """A known print's picture."""
    return _png(_template(request)[1].picture_png)


@get("/api/prints/{id}/found.png", "image/png", desk=True)
def print_found(request: Request) -> Response:
    """A known print with what was found in it: cells, shields, circles, castle (desk)."""
    return _png(png(draw_template(_template(request)[1])))


@post("/api/prints/{id}/corners", desk=True, errors=NOT_LEARNED)
def set_print_corners(request: Request, body: schemas.Corners) -> schemas.KnownPrints:
    """Set the corners of a print's grid in its picture (desk)."""
    _, template = _template(request)
    try:
        moved = replace(with_corners(template, np.array(body.corners, np.float64)), by_itself=False)
        stored = to_stored(moved, template.head.learned)
        parse_template(stored.data, template.name)  # one that could not be read would be lost
    except LayoutError as error:
        raise refused(request, error, "not_learned") from error
    _save(request, stored)
    return _all(request)


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
    name, file = request.query_params.get("name", ""), io.BytesIO()
    if session_of(request).role != "desk":
        names = {row.name.casefold() for row in await run_in_threadpool(_known(request).rows)}
        if name.casefold() in names or not await run_in_threadpool(may_teach, request):
            raise desk_only()
    await receive(request, file, services_of(request).settings)
    unmarked = request.query_params.get("unmarked") == "true"
    return await _learned(request, LearnPrint(name, file.getvalue(), unmarked))


@post("/api/prints/of-photos", errors=NONE_SUCH | NOT_LEARNED, desk=True, status=201)
async def learn_print_of_photos(request: Request, body: schemas.PadPhotos) -> schemas.LearnedPrint:
    """Learn a pad's print from uploaded photos of filled sheets (desk)."""
    event = await run_in_threadpool(event_of, request)
    rows = [visible_photo(event, n, session_of(request)) for n in body.photos]
    stored = tuple((row.sha256, row.suffix) for row in rows)
    photos = services_of(request).store.photos.root
    return await _learned(request, LearnPrint(body.name, photos=photos, stored=stored))


@post("/api/prints/{id}/forget", desk=True)
def forget_a_print(request: Request, body: schemas.Nothing) -> schemas.KnownPrints:
    """Forget a print (desk); if it was learned automatically, that is switched off."""
    known, row = _known(request), _row(request)
    automatic = any(template.by_itself for template in _load(known, row))
    known.forget(row.name)
    if automatic:
        known.switch(False)
    return _all(request)


@get("/api/sheets/{id}/ink.png", "image/png")
async def ink(request: Request) -> Response:
    """Only the ink of a sheet of a known print."""
    event = await run_in_threadpool(event_of, request)
    visible_sheets(event, [id_of(request)], session_of(request))
    sheet = event.sheets[id_of(request)]
    photo = event.photos[sheet.photo_id]
    rows = await run_in_threadpool(_known(request).rows)
    # Only for a known print; otherwise each request would make a worker read the photo in vain.
    known = any(row.name == sheet.brief.layout for row in rows)
    hashes = tuple(row.sha256 for row in rows) if known else ()
    path = await services_of(request).pictures.ink(photo, sheet.page, sheet.number, hashes)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/png")


async def _learned(request: Request, task: LearnPrint) -> schemas.LearnedPrint:
    try:
        data = await asyncio.wrap_future(services_of(request).pool.submit(task))
    except KdscanError as error:
        raise refused(request, error, "not_learned") from error
    template = parse_template(data, "print")
    row, again = await run_in_threadpool(_save, request, template)
    return {**_print_json(row, template), "again": again}


def _save(request: Request, template: StoredTemplate) -> tuple[PrintRow, list[int]]:
    """Add a print to the event; returns its row, and the photos whose sheets may bear it, which are
    read again."""
    known = _known(request)
    with known.store.write() as db:
        row = add_print(known.store, db, known.event_id, template)
        others = {one.name for one in event_prints(db, known.event_id)} - {template.name}
        maps = (s for s in read_sheets(db, event_id=known.event_id) if is_of_pad(s.data))
        again = sorted({sheet.photo_id for sheet in maps if sheet.data["layout"] not in others})
    services_of(request).reader.enqueue(*again)
    return row, again


def _known(request: Request) -> EventPrints:
    services = services_of(request)
    return EventPrints(services.store, services.live.id)


def _row(request: Request) -> PrintRow:
    for row in _known(request).rows():
        if row.id == id_of(request):
            return row
    raise not_found("print")


def _template(request: Request) -> tuple[PrintRow, StoredTemplate]:
    """The print whose number is in the path; raises ApiError 404."""
    row = _row(request)
    for template in _load(_known(request), row):
        return row, template
    raise not_found("print")


def _load(known: EventPrints, row: PrintRow) -> tuple[StoredTemplate, ...]:
    """The print of a row; none if its file is missing or damaged."""
    return load_prints(known.store.photos.root, [row.sha256])


def _png(data: bytes) -> Response:
    return Response(data, media_type="image/png", headers={"Cache-Control": KEEP_FOREVER})


def _print_json(row: PrintRow, template: StoredTemplate) -> schemas.KnownPrint:
    return {
        "id": row.id,
        "name": row.name,
        "sheets": template.sheets,
        "by_itself": template.by_itself,
        "learned": template.head.learned,
        # A print that is learned again may get the same number, and pictures are cached forever.
        "picture": f"/api/prints/{row.id}/picture.png?{row.sha256[:12]}",
        "found": f"/api/prints/{row.id}/found.png?{row.sha256[:12]}",
    }
