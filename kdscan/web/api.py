"""Operations on photos, sheets, games and the event as a whole."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.errors import UsageError
from kdscan.event.actions import NotForPlayers, OnSheet, RemovePhoto, Undo
from kdscan.event.log import Author
from kdscan.event.swiss import resting_on
from kdscan.files import Json
from kdscan.sheets.base import decides_game
from kdscan.web import overviews, schemas
from kdscan.web.answers import ApiError, desk_only, not_found
from kdscan.web.operations import DESK_ONLY, ID, NEWS, NONE_SUCH, WAIT, WRONG_KIND, get, post
from kdscan.web.pictures import SIZES
from kdscan.web.prints import may_teach
from kdscan.web.requests import (
    KEEP_FOREVER,
    Services,
    author_of,
    body_of,
    event_of,
    id_of,
    news,
    receive,
    refused,
    seconds_of,
    services_of,
    session_of,
    words_of,
)
from kdscan.web.sessions import session_info
from kdscan.web.tasks import Look
from kdscan.web.uploads import add_upload, check_room, try_again
from kdscan.web.views import (
    can_correct,
    game_json,
    photo_json,
    photo_key,
    photo_name,
    photos_json,
    sheets_json,
    table_json,
    visible_photo,
    visible_sheets,
)

REFUSED = {409: "Impossible; `message` says why, in the language of `Accept-Language`."}

MAX_LOOK = 400_000
"""Most bytes of a live picture; 640 pixels as JPEG have 60,000."""


@get("/api/session")
def session(request: Request) -> schemas.SessionInfo:
    """Who is asking, and what may be sent."""
    return session_info(services_of(request).settings, session_of(request), may_teach(request))


@post(
    "/api/photos",
    body=bytes,
    query={
        "name": ({"type": "string"}, "the file's name", False),
        "token": ({"type": "string"}, "a name for an upload that can be resumed", False),
        "offset": (ID, "how many bytes came before, see `/api/uploads/{token}`", False),
    },
    errors={409: "Another number of bytes has come.", 415: "A form; send the file itself."},
    status=201,
)
async def upload(request: Request) -> schemas.Accepted:
    """Send a photo; the body is the unchanged file, or the rest of it."""
    services = services_of(request)
    name, token, offset = (request.query_params.get(k) for k in ("name", "token", "offset"))
    if not re.fullmatch("[0-9]{1,99}", offset or "0"):
        raise ApiError(400, "bad_request", "offset is a number of bytes")
    who = session_of(request)
    store, event_id = services.store, services.live.id
    await run_in_threadpool(check_room, store, event_id, who, services.settings)
    with services.parts.file(who, token, int(offset or 0)) as file:
        await receive(request, file, services.settings)
        async with services.receiving:
            file.seek(0)
            photo, state = await run_in_threadpool(
                lambda: add_upload(store, event_id, file.read(), clean_name(name or ""), who)
            )
    await run_in_threadpool(_restore, services, author_of(request), photo)
    if state == "waiting":
        services.reader.enqueue(photo, sender=who.id)
    return {"id": photo, "state": state}


def _restore(services: Services, author: Author, photo: int) -> None:
    """A photo that was deleted, and is sent again, is back, unless the desk deleted it."""
    event = services.live.event()
    row = event.photos[photo]
    if event.is_removed(row):
        key = photo_key(row)
        removals = (
            entry
            for entry in reversed(event.log)
            if isinstance(entry.action, RemovePhoto)
            and entry.action.photo == key
            and entry.id not in event.said.undone
        )
        removal = next(removals, None)
        of_desk = removal is not None and removal.role == "desk" and not removal.is_of(author)
        if event.has_players and author.role != "desk" and of_desk:
            raise NotForPlayers("the desk has decided this; ask there")
        back = RemovePhoto(photo_name(event, photo), removed=False, photo=key)
        services.live.perform(replace(author, role="desk"), back)


@get("/api/uploads/{token}")
def uploaded(request: Request) -> schemas.Received:
    """How much came of an upload that was cut off; only the rest has to be sent again."""
    token = str(request.path_params["token"])
    return {"bytes": services_of(request).parts.received(session_of(request), token)}


def clean_name(name: str) -> str:
    """A file's name without folders, and without characters that no terminal or page should
    print."""
    base = os.path.basename(name.replace("\\", "/"))  # noqa: PTH119  # a text, not one of our paths
    plain = "".join(c for c in base if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
    return plain.strip()[-120:] or "photo"


@get("/api/photos")
def photos(request: Request) -> schemas.Photos:
    """This session's photos."""
    event, w = event_of(request), words_of(request)
    with services_of(request).store.read() as db:
        return {"photos": photos_json(db, event, session_of(request), w)}


@get("/api/photos/{id}", query={"wait": (WAIT, "seconds to wait until it was read", False)})
async def photo(request: Request) -> schemas.Photo:
    """A photo with its pages and sheets."""
    services, number, wait = services_of(request), id_of(request), request.query_params.get("wait")
    if wait is not None:
        event = await run_in_threadpool(event_of, request)
        visible_photo(event, number, session_of(request))
        await services.reader.wait(number, seconds_of(wait))
    return await run_in_threadpool(_photo, request)


def _photo(request: Request) -> schemas.Photo:
    event, session = event_of(request), session_of(request)
    row = visible_photo(event, id_of(request), session)
    with services_of(request).store.read() as db:
        return photo_json(db, event, row, session, words_of(request))


@post("/api/photos/{id}/again")
async def again(request: Request, body: schemas.Nothing) -> schemas.Photo:
    """Try again to read a photo that could not be read."""
    services, number, who = services_of(request), id_of(request), session_of(request)
    event = await run_in_threadpool(event_of, request)
    row = visible_photo(event, number, who)
    if not can_correct(event, number, who):
        why = "somebody else has sent this photo before; ask the desk to change it"
        raise ApiError(403, "not_yours", why)
    await run_in_threadpool(try_again, services.store, row)
    answer = await run_in_threadpool(_photo, request)
    if answer["state"] == "waiting":
        services.reader.enqueue(number, sender=who.id)
    return answer


@post("/api/photos/{id}/remove")
def remove(request: Request, body: schemas.Nothing) -> schemas.Photos:
    """Delete a photo that this session sent first; in an event with players only the desk may."""
    services, who = services_of(request), session_of(request)
    event = event_of(request)
    row = visible_photo(event, id_of(request), who)
    if who.role != "desk" and event.has_players:
        raise desk_only()
    if not can_correct(event, row.id, who):
        why = "somebody else has sent this photo before; ask the desk to change it"
        raise ApiError(403, "not_yours", why)
    gone = RemovePhoto(photo_name(event, row.id), photo=photo_key(row))
    services.live.perform(replace(author_of(request), role="desk"), gone)
    event, w = event_of(request), words_of(request)
    with services.store.read() as db:
        return {"photos": photos_json(db, event, who, w)}


@get("/api/photos/{id}/pages/{page}/{size}.jpg", "image/jpeg")
async def view(request: Request) -> Response:
    """A page as a picture."""
    services, page = services_of(request), id_of(request, "page")
    size = next((s for s in SIZES if s == request.path_params["size"]), None)
    event = await run_in_threadpool(event_of, request)
    row = visible_photo(event, id_of(request), session_of(request))
    if size is None or row.pages is None or page >= row.pages:
        raise not_found("picture")
    path = await services.pictures.get(row, page, size)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEEP_FOREVER})


@post("/api/look", body=bytes, errors={503: "No worker could look."})
async def look(request: Request) -> schemas.Look:
    """Locate a map in a camera's live picture, and say what to improve; nothing is kept."""
    services, data = services_of(request), await body_of(request, MAX_LOOK)
    if services.pool.busy:  # photos that were sent have priority
        return {"hint": "busy", "confidence": 0.0, "outline": None}
    return await asyncio.wrap_future(services.pool.submit(Look(data)))


@get("/api/sheets/{id}")
def sheet(request: Request) -> schemas.Sheet:
    """A sheet with its current reading."""
    event = event_of(request)
    ids = visible_sheets(event, [id_of(request)], session_of(request))
    with services_of(request).store.read() as db:
        return sheets_json(db, event, ids)[0]


@post("/api/actions", errors=NONE_SUCH | REFUSED | DESK_ONLY, checks_event=False)
def act(request: Request, body: schemas.Actions) -> schemas.Done:
    """Do something in the event: correct, confirm and assign sheets, and at the desk everything
    else. All of it is done, or nothing; it is undone together."""
    services, session, author = services_of(request), session_of(request), author_of(request)
    first = body.actions[0]
    before = services.live.event()
    if session.role != "desk" and isinstance(first, OnSheet):
        visible_sheets(before, [first.sheet], session)
    try:
        event, entries = services.live.perform(author, *body.actions)
    except UsageError as error:
        raise refused(request, error) from error
    sheet = desk_now = None
    if body.want == "sheet":
        target = event.entries[first.action].action if isinstance(first, Undo) else first
        if isinstance(target, OnSheet):
            with services.store.read() as db:
                sheet = sheets_json(db, event, [target.sheet])[0]
    elif body.want == "desk" and session.role == "desk":
        desk_now = overviews.desk_view(services.overviews, event, author, words_of(request))
    return {
        "actions": [entry.id for entry in entries],
        "state": str(event.version),
        "sheet": sheet,
        "desk": desk_now,
        "notes": [words_of(request).t(t, **v) for t, v in resting_on(before, event)]
        if desk_now
        else [],
    }


@get("/api/desk", query=NEWS, desk=True)
async def desk(request: Request) -> schemas.DeskView | schemas.Unchanged:
    """Everything that is to be settled in the event, its sheets, players and rounds (desk)."""
    if (unchanged := await news(request)) is not None:
        return unchanged
    return await run_in_threadpool(
        lambda: overviews.desk_view(
            services_of(request).overviews,
            event_of(request),
            author_of(request),
            words_of(request),
        )
    )


@get("/api/standings", query=NEWS)
async def standings(request: Request) -> schemas.Standings | schemas.Unchanged:
    """The event's table, games and totals."""
    if (unchanged := await news(request)) is not None:
        return unchanged
    made = services_of(request).overviews
    return await run_in_threadpool(lambda: made.of(event_of(request), overviews.standings))


SHEETS: Json = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,99})(,(0|[1-9][0-9]{0,99})){1,3}$"}


@get(
    "/api/games",
    query={"sheets": (SHEETS, "like 3,4 or 3,4,5", True)},
    errors=NONE_SUCH | WRONG_KIND,
)
def game(request: Request) -> schemas.Game:
    """Two maps, with their spellbook if it is included, or kingdoms as a game."""
    text = request.query_params.get("sheets", "")
    if not re.fullmatch(SHEETS["pattern"], text):
        raise ApiError(400, "bad_request", "sheets names two to four sheets, like 3,4")
    ids = list(map(int, text.split(",")))
    if len(set(ids)) != len(ids):
        raise ApiError(409, "impossible", "a game needs different sheets")
    event = event_of(request)
    visible_sheets(event, ids, session_of(request))
    with services_of(request).store.read() as db:
        found = table_json(db, event, ids)
    if not decides_game([one["kind"] for one in found]):
        why = "a game is two maps of Kingdomino Duel (and their spellbook), or 2 to 4 kingdoms"
        raise ApiError(409, "wrong_kind", why)
    return {"sheets": found, "game": game_json(found)}
