"""Operations on photos, sheets, games and the event as a whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.errors import Bug
from kdscan.kinds import decides_game
from kdscan.locale import mark, words
from kdscan.locale.errors import error_text
from kdscan.records.results import Json
from kdscan.web import bodies, schemas, schemas_event
from kdscan.web.answers import ApiError, not_found
from kdscan.web.operation import NEWS, NONE_SUCH, WAIT, WRONG_KIND, get, post
from kdscan.web.requests import (
    KEEP_FOREVER,
    body_of,
    id_of,
    language_of,
    news,
    receive,
    seconds_of,
    services_of,
    session_of,
)
from kdscan.web.sessions import session_info
from kdscan.web.sheet_service import WAITING
from kdscan.web.sheet_state import game_json
from kdscan.web.tasks import Look
from kdscan.web.views import SIZES

MAX_LOOK = 400_000
"""Bytes of a live picture: 640 pixels as JPEG have 60,000."""

BUG = mark("Something went wrong in the program. The photo is kept.")


@get("/api/session", schemas.SessionInfo)
def session(request: Request) -> schemas.SessionInfo:
    """Who am I, and what may be sent."""
    return session_info(services_of(request).settings, session_of(request))


@post(
    "/api/photos",
    schemas.Accepted,
    body=bytes,
    query={"name": ({"type": "string"}, "the file's name", False)},
    errors={
        408: "The file came too slowly.",
        507: "There is no room now; Retry-After says when to try again.",
    },
    status=201,
)
async def upload(request: Request) -> Json:
    """Send a photo; the body is the file as it is."""
    services = services_of(request)
    name = clean_name(request.query_params.get("name", ""))
    who = session_of(request)
    await run_in_threadpool(services.sheets.check_room, who, services.settings)
    with tempfile.TemporaryFile() as file:  # without a name: a kill leaves nothing
        await receive(request, file, services.settings)
        async with services.receiving:
            file.seek(0)
            photo, state = await run_in_threadpool(
                lambda: services.sheets.add(file.read(), name, who)
            )
    if state == WAITING:
        services.reader.enqueue(photo)
    return {"id": photo, "state": state}


def clean_name(name: str) -> str:
    """A file's name without folders and without what no terminal or page should print."""
    base = os.path.basename(name.replace("\\", "/"))  # noqa: PTH119  # a text, no path of ours
    plain = "".join(c for c in base if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
    return plain.strip()[-120:] or "photo"


@get("/api/photos", schemas.Photos)
def photos(request: Request) -> Json:
    """This session's photos."""
    found = services_of(request).sheets.photos(session_of(request))
    return {"photos": [_in_words(one, request) for one in found]}


def _in_words(photo: Json, request: Request) -> Json:
    """A photo with its errors in the language that is asked for."""
    spoken = words(language_of(request))

    def tell(error: Json | None) -> Json | None:
        if error is None:
            return None
        inside = error["code"] == Bug.code  # what went wrong there is for the log alone
        return {
            "code": error["code"],
            "message": spoken.t(BUG) if inside else error_text(error, spoken),
        }

    pages = [page | {"error": tell(page["error"])} for page in photo["pages"]]
    return photo | {"error": tell(photo["error"]), "pages": pages}


@get(
    "/api/photos/{id}",
    schemas.Photo,
    query={"wait": (WAIT, "seconds to wait until it was read", False)},
)
async def photo(request: Request) -> Json:
    """A photo with its pages and sheets."""
    services, number = services_of(request), id_of(request)
    wait = request.query_params.get("wait")
    if wait is not None:
        await run_in_threadpool(services.sheets.photo_row, number, session_of(request))
        await services.reader.wait(number, seconds_of(wait))
    return _in_words(
        await run_in_threadpool(services.sheets.photo, number, session_of(request)), request
    )


@post("/api/photos/{id}/again", schemas.Photo)
async def again(request: Request, body: bodies.Nothing) -> Json:
    """Read a photo again that could not be read."""
    services, number = services_of(request), id_of(request)
    await run_in_threadpool(services.sheets.again, number, session_of(request))
    answer = await run_in_threadpool(services.sheets.photo, number, session_of(request))
    if answer["state"] == WAITING:
        services.reader.enqueue(number)
    return _in_words(answer, request)


@get("/api/photos/{id}/pages/{page}/{size}.jpg", "image/jpeg")
async def view(request: Request) -> Response:
    """A page as a picture."""
    services, page = services_of(request), id_of(request, "page")
    size = next((s for s in SIZES if s == request.path_params["size"]), None)
    row = await run_in_threadpool(services.sheets.photo_row, id_of(request), session_of(request))
    if size is None or row.pages is None or page >= row.pages:
        raise not_found("picture")
    path = await services.views.get(services.pool, row, page, size)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEEP_FOREVER})


@post("/api/look", schemas.Look, body=bytes, errors={503: "No worker could look."})
async def look(request: Request) -> Json:
    """Say where a map lies in a camera's live picture, and what is to mend; nothing is kept."""
    services, data = services_of(request), await body_of(request, MAX_LOOK)
    seen: Json = {"hint": "busy", "confidence": 0.0, "outline": None}
    if services.pool.busy:  # photos that were sent go first
        return seen
    with tempfile.NamedTemporaryFile(prefix="kdscan-", suffix=".jpg") as file:
        file.write(data)
        file.flush()
        async for frame in services.pool.ask(Look(Path(file.name))):
            seen = frame.header.get("look", seen)
    return seen


@get("/api/sheets/{id}", schemas.Sheet)
def sheet(request: Request) -> Json:
    """A sheet as it stands."""
    return services_of(request).sheets.sheet(id_of(request), session_of(request))


@get("/api/queue", schemas_event.Queue, query=NEWS, desk=True)
async def queue(request: Request) -> Json:
    """The sheets to look at, those that matter most first (desk)."""
    await news(request)
    return await run_in_threadpool(services_of(request).tables.view, "queue")


@get("/api/standings", schemas_event.Standings, query=NEWS)
async def standings(request: Request) -> Json:
    """The event's table, games and totals."""
    await news(request)
    return await run_in_threadpool(services_of(request).tables.view, "standings")


SHEETS: Json = {"type": "string", "pattern": "^(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)){1,3}$"}


@get(
    "/api/games",
    schemas.Game,
    query={"sheets": (SHEETS, "like 3,4 or 3,4,5", True)},
    errors=NONE_SUCH | WRONG_KIND,
)
def game(request: Request) -> Json:
    """Two maps, with their spellbook if it is named too, or kingdoms as a game."""
    text = request.query_params.get("sheets", "")
    ids = [int(part) for part in text.split(",") if part.isascii() and part.isdigit()]
    if not 2 <= len(ids) <= 4 or text != ",".join(map(str, ids)):
        raise ApiError(400, "bad_request", "sheets names two to four sheets, like 3,4")
    if len(set(ids)) != len(ids):
        raise ApiError(409, "impossible", "a game needs different sheets")
    found = services_of(request).sheets.game(ids, session_of(request))
    if not decides_game([one["kind"] for one in found]):
        why = "a game is two maps of Kingdomino Duel (and their spellbook), or 2 to 4 kingdoms"
        raise ApiError(409, "wrong_kind", why)
    return {"sheets": found, "game": game_json(found)}
