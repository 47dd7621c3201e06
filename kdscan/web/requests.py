"""Helpers for handlers: services, session, numbers, bodies; and waiting for news."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, TypeVar, cast

import msgspec
from starlette.requests import ClientDisconnect, Request

from kdscan.errors import KdscanError, StoreFull
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.store import Store
from kdscan.event.store.files import FULL
from kdscan.event.store.schema import MOST_NUMBER
from kdscan.i18n import Words, mark, preferred_language, words
from kdscan.i18n.errors import error_json, error_text
from kdscan.web import schemas
from kdscan.web.answers import ApiError, desk_only, not_found

if TYPE_CHECKING:  # modules with handlers, which need these helpers
    from kdscan.web.live import Live, News
    from kdscan.web.overviews import Overviews
    from kdscan.web.pictures import PictureCache
    from kdscan.web.sessions import RevokedSessions, Session, Settings
    from kdscan.web.shared import SharedGames
    from kdscan.web.uploads import Parts, Reader
    from kdscan.workers.pool import Pool

B = TypeVar("B")

MAX_BODY = 200_000
"""Most bytes of a JSON body: a list of 500 players has 50,000."""

SILENCE_SECONDS = 20.0
"""Longest time in which nothing of a body arrives."""

LEAST_RATE, GRACE_SECONDS = 1000.0, 30.0
"""Least bytes per second of a body, on average, once it has been arriving for so long."""

MAX_WAIT = 25.0
"""Longest `wait`, in seconds; less than the timeouts of proxies and phones."""

ON_PAGE = {
    "{name}: too few players ({n}); add them with --players FILE.csv.": mark(
        "{name}: too few players ({n}); add them under Players."
    ),
    "{name}: all rounds are paired ({rounds}); to add one, use --rounds {round}.": mark(
        "{name}: all rounds are paired ({rounds})."
    ),
    "tables whose points are still missing: {n}, the first in round {round}, table {table} "
    "({missing}); read the sheets, or enter the points with `kdscan result`.": mark(
        "tables whose points are still missing: {n}, the first in round {round}, table {table} "
        "({missing}); photograph the sheets, or enter the points."
    ),
}
"""Texts of errors that name a command → their texts on the page."""

KEEP_FOREVER = "private, max-age=31536000, immutable"
"""Cache header for resources that are named after their content."""


@dataclass(frozen=True)
class Services:
    """What handlers need, in `request.app.state.services`."""

    settings: Settings
    store: Store
    live: Live
    news: News
    overviews: Overviews
    reader: Reader
    pool: Pool
    pictures: PictureCache
    revoked: RevokedSessions
    games: SharedGames
    parts: Parts
    receiving: asyncio.Semaphore
    """Limits the uploads that are in memory in full at a time."""

    def end(self) -> None:
        """Answer everybody who waits."""
        self.news.end()
        self.reader.end()


def services_of(request: Request) -> Services:
    """The services that the application's handlers share."""
    return cast("Services", request.app.state.services)


def session_of(request: Request) -> Session:
    """The session of a request; the middleware lets no request through without one."""
    session = request.state.session
    assert session is not None, "the middleware lets nobody else in"
    return cast("Session", session)


def desk_session(request: Request) -> Session:
    """The session, if it is the desk's; raises ApiError for others."""
    who = session_of(request)
    if who.role != "desk":
        raise desk_only()
    return who


def event_of(request: Request) -> Event:
    """The event as it is now; raises ApiError if it was deleted."""
    return services_of(request).live.event()


def author_of(request: Request) -> Author:
    """Who sends a request, as the log has it."""
    who = session_of(request)
    return Author(who.name, who.role, who.id)


def refused(request: Request, error: KdscanError, code: str = "refused") -> ApiError:
    """The answer to an impossible request, in the reader's language."""
    told = error_json(error) | {"text": ON_PAGE.get(error.text, error.text)}
    message = error_text(told, words_of(request))
    if error.code == "desk_only":
        return ApiError(403, error.code, message)
    return ApiError(409, code, message, known=getattr(error, "known", ()))


def id_of(request: Request, name: str = "id") -> int:
    """The number in the path; raises ApiError if it is too large for any store."""
    value = int(request.path_params[name])
    if value > MOST_NUMBER:
        raise not_found("entry")
    return value


async def body_of(request: Request, most: int = MAX_BODY) -> bytes:
    """A small body; raises ApiError for a large one."""
    body = io.BytesIO()
    too_large = ApiError(413, "too_much", f"the body may have at most {most} bytes")
    await _copy(request, body, most, too_large)
    return body.getvalue()


async def _copy(request: Request, out: IO[bytes], most: int, too_large: ApiError) -> None:
    """Write a body to a file; raise ApiError if it is incomplete or larger, or if nothing arrives
    for a while or too little in all."""
    size, loop = out.tell(), asyncio.get_running_loop()
    begun, before = loop.time(), size
    try:
        async with asyncio.timeout(SILENCE_SECONDS) as limit:
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise too_large
                out.write(chunk)
                now = loop.time()
                if now - begun > GRACE_SECONDS and size - before < LEAST_RATE * (now - begun):
                    raise TimeoutError
                limit.reschedule(now + SILENCE_SECONDS)
    except TimeoutError as error:
        why = "the request did not arrive in time; send it again"
        raise ApiError(408, "too_slow", why) from error
    except ClientDisconnect as error:
        why = "the request was cut off; send it again"
        raise ApiError(400, "cut_off", why) from error


async def body_as(request: Request, kind: type[B]) -> B:
    """A JSON body as a record of this type; raises ApiError for anything else."""
    data = await body_of(request)
    try:
        return msgspec.convert(json.loads(data, parse_float=_number, parse_constant=_no), kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ApiError(400, "bad_request", f"the body is not as described: {error}") from error


def _number(text: str) -> float | int:
    """A number as an integer if it is whole: to JSON Schema 4.0 is an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _no(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def words_of(request: Request) -> Words:
    """The texts in the reader's language: chosen explicitly, or else the browser's."""
    chosen = request.cookies.get("language", "")
    return words(preferred_language(chosen or request.headers.get("accept-language", "")))


async def receive(request: Request, out: IO[bytes], settings: Settings) -> None:
    """Write the body to a file; raise ApiError if it is a form, too large, too slow or empty."""
    if request.headers.get("content-type", "").startswith("multipart/"):
        why = "send the file itself as the body, not a form: curl --data-binary @photo.jpg"
        raise ApiError(415, "form", why)
    most = settings.max_bytes
    too_large = ApiError(
        413, "image_too_large", f"a photo has {most // 1_000_000} MB at most; save it smaller"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise too_large
    try:
        await _copy(request, out, most, too_large)
        out.flush()
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StoreFull("the upload could not be received ({why})", why=error.strerror) from error
    if out.tell() == 0:
        raise ApiError(400, "unreadable_image", "the file is empty; copy or send it again")


def seconds_of(text: str) -> float:
    """How long to wait for news; raises ApiError for an invalid `wait`."""
    with contextlib.suppress(ValueError):
        if 0 <= int(text) <= MAX_WAIT:
            return float(int(text))
    raise ApiError(400, "bad_request", f"wait is a whole number of seconds, 0 to {MAX_WAIT:.0f}")


async def news(
    request: Request, state: Callable[[], str] | None = None
) -> schemas.Unchanged | None:
    """Return None when the state differs from the one in the request, or what to answer when its
    time is up.

    state: computes it; the event's version by default.
    """
    after, wait = (request.query_params.get(name) for name in ("after", "wait"))
    seconds = 0.0 if wait is None else seconds_of(wait)
    if after is not None and seconds:
        services = services_of(request)
        state = state or (lambda: str(services.live.version()))
        if not await services.news.wait(after, state, seconds):
            return {"state": after}
    return None
