"""The HTTP interface: each handler checks what came, asks the services, answers JSON."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from kdscan.errors import Bug, KdscanError, StoreFull
from kdscan.locale import asked_for, mark, words
from kdscan.locale.errors import error_json, told
from kdscan.tournament.store.files import FULL
from kdscan.web import bodies, schemas, sessions
from kdscan.web import pool as pool_module
from kdscan.web.answers import ApiError, JsonAnswer, not_found
from kdscan.web.desk import Desk
from kdscan.web.pool import Pool
from kdscan.web.prints import Prints
from kdscan.web.reader import Reader
from kdscan.web.sessions import Left, Session
from kdscan.web.settings import Settings
from kdscan.web.shared import SharedGames
from kdscan.web.sheet_service import MAX_ID, WAITING, SheetService
from kdscan.web.sheet_state import game_json
from kdscan.web.tables import Tables
from kdscan.web.views import SIZES, Views

T = TypeVar("T")
B = TypeVar("B")

MAX_BODY = 10_000
"""Bytes of a JSON body."""

BODY_SECONDS = 15.0
"""So long may one take to arrive."""

MAX_LOOK = 400_000
"""Bytes of a live picture: 640 pixels as JPEG have 60,000."""

MAX_WAIT = 25.0
"""Longest `wait`, seconds: below what proxies and phones put up with."""

LOOK_EVERY = 0.5
"""Seconds between two looks for news, while somebody waits for them."""

BUG = mark("Something went wrong in the program. The photo is kept.")

KEEP_FOREVER = "private, max-age=31536000, immutable"
"""For what is named by its content."""


@dataclass(frozen=True)
class Services:
    """What handlers need, in `request.app.state.services`."""

    settings: Settings
    sheets: SheetService
    reader: Reader
    pool: Pool
    views: Views
    tables: Tables
    left: Left
    desk: Desk
    prints: Prints
    games: SharedGames
    receiving: asyncio.Semaphore
    """Few uploads at a time are whole in memory, however many arrive."""
    ending: asyncio.Event
    """The server ends: nobody waits for news any more."""

    def end(self) -> None:
        """Answer at once whoever waits."""
        self.ending.set()
        self.reader.wake()


def services_of(request: Request) -> Services:
    """What the application's handlers share."""
    return cast(Services, request.app.state.services)


def session_of(request: Request) -> Session:
    """Who asks; the middleware let nobody else in."""
    session = request.state.session
    assert session is not None, "the middleware lets nobody else in"
    return cast(Session, session)


def desk_session(request: Request) -> Session:
    """Who asks, if that is the desk; raises ApiError for others."""
    who = session_of(request)
    if who.role != "desk":
        raise ApiError(403, "desk_only", "this is for the desk: come in with its code")
    return who


def refused(request: Request, error: KdscanError, code: str = "refused") -> ApiError:
    """What cannot be so, in the reader's language."""
    message = told(error_json(error), words(language_of(request)))
    return ApiError(409, code, message, known=getattr(error, "known", ()))


async def ask(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Call what blocks, in a thread."""
    return await run_in_threadpool(function, *args, **kwargs)


def id_of(request: Request, name: str = "id") -> int:
    """The number in the address; raises ApiError for one that no store has."""
    value = int(request.path_params[name])
    if value > MAX_ID:
        raise not_found("entry")
    return value


async def body_of(request: Request, most: int = MAX_BODY) -> bytes:
    """A small body; raises ApiError for a large one."""
    data = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > most:
                    raise ApiError(413, "too_much", f"a body has {most} bytes at most")
    except TimeoutError as error:
        raise ApiError(408, "too_slow", "the request did not arrive in time") from error
    except ClientDisconnect as error:
        raise ApiError(400, "cut_off", "the request did not arrive whole") from error
    return data


async def body_as(request: Request, kind: type[B]) -> B:
    """A JSON body as that record; raises ApiError for anything else."""
    data = await body_of(request)
    try:
        return msgspec.convert(json.loads(data, parse_float=_number, parse_constant=_no), kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ApiError(400, "bad_request", f"the body is not as described: {error}") from error


def _number(text: str) -> float | int:
    """JSON Schema calls 4.0 an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _no(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def language_of(request: Request) -> str:
    """The reader's language: chosen by hand, else what the browser asks for."""
    chosen = request.cookies.get("language", "")
    return asked_for(chosen or request.headers.get("accept-language", ""))


async def session(request: Request) -> Response:
    """GET /api/session"""
    return JsonAnswer(session_info(services_of(request).settings, session_of(request)))


def session_info(settings: Settings, who: Session) -> schemas.SessionInfo:
    """What a page has to know of its session."""
    return {
        "role": who.role,
        "who": who.who,
        "csrf": sessions.csrf_token(who, settings.secret),
        "event": settings.event,
        "limits": {"bytes": settings.max_bytes},
    }


async def upload(request: Request) -> Response:
    """POST /api/photos: the file as it is in the body; kept before it is read."""
    services = services_of(request)
    name = clean_name(request.query_params.get("name", ""))
    who = session_of(request)
    await ask(services.sheets.check_room, who, services.settings)
    with tempfile.TemporaryFile() as file:  # without a name: a kill leaves nothing
        await receive(request, file, services.settings)
        async with services.receiving:
            file.seek(0)
            photo, state = await ask(lambda: services.sheets.add(file.read(), name, who))
    if state == WAITING:
        services.reader.enqueue(photo)
    return JsonAnswer({"id": photo, "state": state}, 201)


async def receive(request: Request, out: IO[bytes], settings: Settings) -> None:
    """Write the body to a file; raise ApiError when it is too large, too slow or empty."""
    most = settings.max_bytes
    too_large = ApiError(
        413, "image_too_large", f"a photo has {most // 1_000_000} MB at most; save it smaller"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise too_large
    size = 0
    try:
        async with asyncio.timeout(settings.upload_seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise too_large
                out.write(chunk)
            out.flush()
    except TimeoutError as error:
        raise ApiError(
            408, "too_slow", "the photo did not arrive in time; send it again"
        ) from error
    except ClientDisconnect as error:
        raise ApiError(400, "cut_off", "the photo did not arrive whole; send it again") from error
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StoreFull("the upload could not be received ({why})", why=error.strerror) from error
    if size == 0:
        raise ApiError(400, "unreadable_image", "the file is empty; copy or send it again")


def clean_name(name: str) -> str:
    """A file's name without folders and without what no terminal or page should print."""
    base = os.path.basename(name.replace("\\", "/"))  # noqa: PTH119  # a text, no path of ours
    plain = "".join(c for c in base if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
    return plain.strip()[-120:] or "photo"


async def photos(request: Request) -> Response:
    """GET /api/photos"""
    found = await ask(services_of(request).sheets.photos, session_of(request))
    return JsonAnswer({"photos": [_in_words(one, request) for one in found]})


def _in_words(photo: dict[str, Any], request: Request) -> dict[str, Any]:
    """A photo with its errors in the language that is asked for."""
    spoken = words(language_of(request))

    def tell(error: dict[str, Any] | None) -> dict[str, Any] | None:
        if error is None:
            return None
        inside = error["code"] == Bug.code  # what went wrong there is for the log alone
        return {"code": error["code"], "message": spoken.t(BUG) if inside else told(error, spoken)}

    pages = [page | {"error": tell(page["error"])} for page in photo["pages"]]
    return photo | {"error": tell(photo["error"]), "pages": pages}


async def photo(request: Request) -> Response:
    """GET /api/photos/{id}?wait=SECONDS"""
    services, number = services_of(request), id_of(request)
    wait = request.query_params.get("wait")
    if wait is not None:
        await ask(services.sheets.photo_row, number, session_of(request))
        await services.reader.wait(number, _seconds(wait))
    found = await ask(services.sheets.photo, number, session_of(request))
    return JsonAnswer(_in_words(found, request))


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= int(text) <= MAX_WAIT:
            return float(int(text))
    raise ApiError(400, "bad_request", f"wait is a whole number of seconds, 0 to {MAX_WAIT:.0f}")


async def again(request: Request) -> Response:
    """POST /api/photos/{id}/again"""
    services, number = services_of(request), id_of(request)
    await body_as(request, bodies.Nothing)
    await ask(services.sheets.again, number, session_of(request))
    answer = await ask(services.sheets.photo, number, session_of(request))
    if answer["state"] == WAITING:
        services.reader.enqueue(number)
    return JsonAnswer(_in_words(answer, request))


async def view(request: Request) -> Response:
    """GET /api/photos/{id}/pages/{page}/view.jpg and thumb.jpg"""
    services, page = services_of(request), id_of(request, "page")
    size = next((s for s in SIZES if s == request.path_params["size"]), None)
    row = await ask(services.sheets.photo_row, id_of(request), session_of(request))
    if size is None or row.pages is None or page >= row.pages:
        raise not_found("picture")
    path = await services.views.get(services.pool, row, page, size)
    if path is None:
        raise not_found("picture")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": KEEP_FOREVER})


async def look(request: Request) -> Response:
    """POST /api/look: a camera's live picture, as small as will do; nothing of it is kept."""
    services, data = services_of(request), await body_of(request, MAX_LOOK)
    seen: dict[str, Any] = {"hint": "busy", "confidence": 0.0, "outline": None}
    if services.pool.busy:  # photos that were sent go first
        return JsonAnswer(seen)
    with tempfile.NamedTemporaryFile(prefix="kdscan-", suffix=".jpg") as file:
        file.write(data)
        file.flush()
        async for frame in services.pool.ask(pool_module.Request(Path(file.name), "", "look")):
            seen = frame.header.get("look", seen)
    return JsonAnswer(seen)


async def sheet(request: Request) -> Response:
    """GET /api/sheets/{id}"""
    return JsonAnswer(
        await ask(services_of(request).sheets.sheet, id_of(request), session_of(request))
    )


async def queue(request: Request) -> Response:
    """GET /api/queue?after=STATE&wait=SECONDS"""
    desk_session(request)
    await news(request)
    return JsonAnswer(await ask(services_of(request).tables.queue))


async def standings(request: Request) -> Response:
    """GET /api/standings?after=STATE&wait=SECONDS"""
    await news(request)
    return JsonAnswer(await ask(services_of(request).tables.standings))


async def news(request: Request, state: Callable[[], str] | None = None) -> None:
    """Return when the state is no longer the one that the request names, or in time.

    state: what gives it; the event's, if left out.
    """
    after, wait = (request.query_params.get(name) for name in ("after", "wait"))
    if after is None or wait is None:
        return
    services, ends = services_of(request), time.monotonic() + _seconds(wait)
    # A batch or another page may write to the store too: only the store itself knows of news.
    while await ask(state or services.tables.state) == after and time.monotonic() < ends:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(services.ending.wait(), LOOK_EVERY)
            return


async def game(request: Request) -> Response:
    """GET /api/games?sheets=A,B[,C[,D]]"""
    text = request.query_params.get("sheets", "")
    ids = [int(part) for part in text.split(",") if part.isascii() and part.isdigit()]
    if not 2 <= len(ids) <= 4 or text != ",".join(map(str, ids)):
        raise ApiError(400, "bad_request", "sheets names two to four sheets, like 3,4")
    if len(set(ids)) != len(ids):
        raise ApiError(409, "impossible", "a game needs different sheets")
    found = await ask(services_of(request).sheets.game, ids, session_of(request))
    kinds = sorted(one["kind"] for one in found)
    duel = kinds[:2] == ["duel_map"] * 2 and kinds[2:] in ([], ["duel_spellbook"])
    if not duel and set(kinds) != {"kingdom"}:
        why = "a game is two maps of Kingdomino Duel (and their spellbook), or 2 to 4 kingdoms"
        raise ApiError(409, "wrong_kind", why)
    return JsonAnswer({"sheets": found, "game": game_json(found)})
