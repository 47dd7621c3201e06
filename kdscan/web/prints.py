"""The prints that an event knows, and new ones from photos of a pad's sheets.

A photo of a pad's blank sheet goes through the workers like any other, but is not a photo of the
event. In an event with players only the desk may change prints, because they decide how everybody's
sheets are read; at home everybody may teach one, unless automatic learning is switched off.
"""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from kdscan.event.corrections import desk_only
from kdscan.event.events import EventGone
from kdscan.event.prints import EventPrints, add_print, event_prints, is_of_pad
from kdscan.event.store.files import load_prints
from kdscan.event.store.photos import read_sheets
from kdscan.event.store.schema import PrintRow
from kdscan.i18n.errors import error_text
from kdscan.imaging.formats import png
from kdscan.templates.drawing import draw_template
from kdscan.templates.geometry import with_corners
from kdscan.templates.library import StoredTemplate, parse_template, to_stored
from kdscan.web import schemas
from kdscan.web.operations import DESK_ONLY, NONE_SUCH, Id, get, post
from kdscan.web.requests import KEEP_FOREVER, Call, address, not_found
from kdscan.web.tasks import LearnPrint
from kdscan.web.views import check_visible, photo_name, visible_photo

NOT_LEARNED = {409: "The photos are unsuitable; `message` says what to do."}


def may_teach(call: Call) -> bool:
    """Whether a session may teach pads."""
    if call.who.role == "desk":
        return True
    try:
        return not call.services.live.event().has_players and _known(call).learns()
    except EventGone:
        return False


@get("/api/prints")
def prints(call: Call) -> schemas.KnownPrints:
    """The prints that are known."""
    known = _known(call)
    templates = [_print_json(row, one) for row in known.rows() for one in _load(call, row)]
    return {"prints": templates, "learns": known.learns()}


@post("/api/prints/learning", desk=True)
def switch_learning(call: Call, body: schemas.Switch) -> schemas.KnownPrints:
    """Switch the automatic learning of prints from uploaded sheets on or off (desk)."""
    _known(call).switch(body.on)
    if body.on:
        call.services.reader.look_for_pads()
    return prints(call)


@get("/api/prints/{id}/picture.png", "image/png")
def print_picture(call: Call, id: Id) -> Response:
    """A known print's picture."""
    return _png(_template(call, id).picture_png)


@get("/api/prints/{id}/found.png", "image/png", desk=True)
def print_found(call: Call, id: Id) -> Response:
    """A known print with what was found in it: cells, shields, circles, castle (desk)."""
    return _png(png(draw_template(_template(call, id))))


@post("/api/prints/{id}/corners", desk=True, errors=NOT_LEARNED)
def set_print_corners(call: Call, id: Id, body: schemas.Corners) -> schemas.KnownPrints:
    """Set the corners of a print's grid in its picture (desk)."""
    template = _template(call, id)
    moved = replace(with_corners(template, np.array(body.corners, np.float64)), by_itself=False)
    stored = to_stored(moved, template.head.learned)
    parse_template(stored.data, template.name)  # one that could not be read would be lost
    _save(call, stored)
    return prints(call)


@post("/api/prints", body=bytes, errors=NOT_LEARNED | DESK_ONLY, status=201)
async def learn_print(
    call: Call,
    name: Annotated[str, Meta(description="what the pad is called")],
    unmarked: Annotated[bool, Meta(description="nobody has drawn on it, for certain")] = False,
) -> schemas.LearnedPrint:
    """Learn a pad's print; the body is a photo of an unmarked sheet. Where there are players, only
    the desk may, and nobody else learns a known name anew."""
    if call.who.role != "desk":
        names = {row.name.casefold() for row in await run_in_threadpool(_known(call).rows)}
        if name.casefold() in names or not await run_in_threadpool(may_teach, call):
            raise desk_only()
    file = io.BytesIO()
    await call.save_photo(file)
    return await _learned(call, LearnPrint(name, [(file.getvalue, "photo")], unmarked))


@post("/api/prints/of-photos", errors=NONE_SUCH | NOT_LEARNED, desk=True, status=201)
async def learn_print_of_photos(call: Call, body: schemas.PadPhotos) -> schemas.LearnedPrint:
    """Learn a pad's print from uploaded photos of filled sheets (desk)."""
    rows = [visible_photo(call.event, n, call.who) for n in body.photos]
    files = [
        (partial(call.store.photos.get, row.sha256, row.suffix), photo_name(call.event, row.id))
        for row in rows
    ]
    return await _learned(call, LearnPrint(body.name, files))


@post("/api/prints/{id}/forget", desk=True)
def forget_a_print(call: Call, id: Id) -> schemas.KnownPrints:
    """Forget a print (desk); if it was learned automatically, that is switched off."""
    known, row = _known(call), _row(call, id)
    automatic = any(template.by_itself for template in _load(call, row))
    known.forget(row.name)
    if automatic:
        known.switch(False)
    return prints(call)


@get("/api/sheets/{id}/ink.png", "image/png")
async def ink(call: Call, id: Id) -> Response:
    """Only the ink of a sheet of a known print."""
    check_visible(call.event, call.who, id)
    sheet = call.event.sheets[id]
    photo = call.event.photos[sheet.photo_id]
    rows = await run_in_threadpool(_known(call).rows)
    # Only for a known print; otherwise each request would make a worker read the photo in vain.
    known = any(row.name == sheet.brief.layout for row in rows)
    hashes = tuple(row.sha256 for row in rows) if known else ()
    path = await call.services.pictures.get(photo, sheet.page, f"ink{sheet.number}.png", hashes)
    if path is None:
        raise not_found()
    return FileResponse(path, media_type="image/png")


async def _learned(call: Call, task: LearnPrint) -> schemas.LearnedPrint:
    data, warnings = await asyncio.wrap_future(call.services.pool.submit(task))
    template = parse_template(data, "print")
    row, again = await run_in_threadpool(_save, call, template)
    notes = [error_text(warning, call.words) for warning in warnings]
    return {**_print_json(row, template), "again": again, "warnings": notes}


def _save(call: Call, template: StoredTemplate) -> tuple[PrintRow, list[int]]:
    """Add a print to the event; returns its row, and the photos whose sheets may bear it, which are
    read again."""
    known = _known(call)
    with known.store.write() as db:
        row = add_print(known.store, db, known.event_id, template)
        others = {one.name for one in event_prints(db, known.event_id)} - {template.name}
        maps = (s for s in read_sheets(db, event_id=known.event_id) if is_of_pad(s.data))
        again = sorted({sheet.photo_id for sheet in maps if sheet.data["layout"] not in others})
    call.services.reader.enqueue(*again)
    return row, again


def _known(call: Call) -> EventPrints:
    return EventPrints(call.store, call.services.live.id)


def _row(call: Call, id: int) -> PrintRow:
    for row in _known(call).rows():
        if row.id == id:
            return row
    raise not_found()


def _template(call: Call, id: int) -> StoredTemplate:
    """The print of that number; raises ApiError 404."""
    for template in _load(call, _row(call, id)):
        return template
    raise not_found()


def _load(call: Call, row: PrintRow) -> tuple[StoredTemplate, ...]:
    """The print of a row; none if its file is missing or damaged."""
    return load_prints(call.store.photos.root, [row.sha256])


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
        "picture": address(f"/api/prints/{row.id}/picture.png?{row.sha256[:12]}"),
        "found": address(f"/api/prints/{row.id}/found.png?{row.sha256[:12]}"),
    }
