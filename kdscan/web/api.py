"""Operations on photos, sheets, games and the event as a whole."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kdscan.files import Json
from kdscan.sheets.base import decides_game
from kdscan.web import bodies, schemas, schemas_event
from kdscan.web.answers import ApiError, not_found
from kdscan.web.operation import NEWS, NONE_SUCH, WAIT, WRONG_KIND, get, post
from kdscan.web.photo_service import WAITING
from kdscan.web.pictures import SIZES
from kdscan.web.requests import (
    KEEP_FOREVER,
    body_of,
    id_of,
    news,
    receive,
    seconds_of,
    services_of,
    session_of,
    words_of,
)
from kdscan.web.sessions import session_info
from kdscan.web.sheet_state import game_json
from kdscan.web.tasks import Look

MAX_LOOK = 400_000
"""Most bytes of a live picture; 640 pixels as JPEG have 60,000."""


@get("/api/session")
def session(request: Request) -> schemas.SessionInfo:
    """Who is asking, and what may be sent."""
    return session_info(services_of(request).settings, session_of(request))


@post(
    "/api/photos",
    body=bytes,
    query={"name": ({"type": "string"}, "the file's name", False)},
    status=201,
)
async def upload(request: Request) -> schemas.Accepted:
    """Send a photo; the body is the unchanged file."""
    services = services_of(request)
    name = clean_name(request.query_params.get("name", ""))
    who = session_of(request)
    await run_in_threadpool(services.photos.check_room, who, services.settings)
    with tempfile.TemporaryFile() as file:  # unnamed: nothing is left after a kill
        await receive(request, file, services.settings)
        async with services.receiving:
            file.seek(0)
            photo, state = await run_in_threadpool(
                lambda: services.photos.add(file.read(), name, who)
            )
    if state == WAITING:
        services.reader.enqueue(photo, sender=who.id)
    return {"id": photo, "state": state}


def clean_name(name: str) -> str:
    """A file's name without folders, and without characters that no terminal or page should
    print."""
    base = os.path.basename(name.replace("\\", "/"))  # noqa: PTH119  # a text, not one of our paths
    plain = "".join(c for c in base if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
    return plain.strip()[-120:] or "photo"


@get("/api/photos")
def photos(request: Request) -> schemas.Photos:
    """This session's photos."""
    service, who = services_of(request).photos, session_of(request)
    return {"photos": service.photos(who, words_of(request))}


@get("/api/photos/{id}", query={"wait": (WAIT, "seconds to wait until it was read", False)})
async def photo(request: Request) -> schemas.Photo:
    """A photo with its pages and sheets."""
    services, number, who = services_of(request), id_of(request), session_of(request)
    wait = request.query_params.get("wait")
    if wait is not None:
        await run_in_threadpool(services.photos.row, number, who)
        await services.reader.wait(number, seconds_of(wait))
    return await run_in_threadpool(services.photos.photo, number, who, words_of(request))


@post("/api/photos/{id}/again")
async def again(request: Request, body: bodies.Nothing) -> schemas.Photo:
    """Try again to read a photo that could not be read."""
    services, number, who = services_of(request), id_of(request), session_of(request)
    await run_in_threadpool(services.photos.again, number, who)
    answer = await run_in_threadpool(services.photos.photo, number, who, words_of(request))
    if answer["state"] == WAITING:
        services.reader.enqueue(number, sender=who.id)
    return answer


@get("/api/photos/{id}/pages/{page}/{size}.jpg", "image/jpeg")
async def view(request: Request) -> Response:
    """A page as a picture."""
    services, page = services_of(request), id_of(request, "page")
    size = next((s for s in SIZES if s == request.path_params["size"]), None)
    row = await run_in_threadpool(services.photos.row, id_of(request), session_of(request))
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
    seen: schemas.Look = {"hint": "busy", "confidence": 0.0, "outline": None}
    if services.pool.busy:  # photos that were sent have priority
        return seen
    with tempfile.NamedTemporaryFile(prefix="kdscan-", suffix=".jpg") as file:
        file.write(data)
        file.flush()
        async for frame in services.pool.ask(Look(Path(file.name))):
            seen = frame.header.get("look", seen)
    return seen


@get("/api/sheets/{id}")
def sheet(request: Request) -> schemas.Sheet:
    """A sheet with its current reading."""
    return services_of(request).sheets.sheet(id_of(request), session_of(request))


@get("/api/queue", query=NEWS, desk=True)
async def queue(request: Request) -> schemas_event.Queue:
    """The sheets to look at, the most important first (desk)."""
    await news(request)
    return (await run_in_threadpool(services_of(request).tables.views)).queue


@get("/api/standings", query=NEWS)
async def standings(request: Request) -> schemas_event.Standings:
    """The event's table, games and totals."""
    await news(request)
    return (await run_in_threadpool(services_of(request).tables.views)).standings


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
    found = services_of(request).sheets.game(ids, session_of(request))
    if not decides_game([one["kind"] for one in found]):
        why = "a game is two maps of Kingdomino Duel (and their spellbook), or 2 to 4 kingdoms"
        raise ApiError(409, "wrong_kind", why)
    return {"sheets": found, "game": game_json(found)}
