"""Requests as handlers take them: with the page's services, who sends them, and their bodies; and
the common form of answers and errors."""

from __future__ import annotations

import asyncio
import gzip
import io
import math
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from kdscan.errors import KdscanError, StoreFull
from kdscan.event.corrections import NoSuchSheet, NotForPlayers
from kdscan.event.events import EventGone
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.store import Store
from kdscan.event.store.files import FULL
from kdscan.i18n import ENGLISH, Words, mark, preferred_language, words
from kdscan.i18n.errors import error_json, error_text

if TYPE_CHECKING:  # modules with handlers, which need these helpers
    from kdscan.web.live import Live, News
    from kdscan.web.sessions import RevokedSessions, Session, Settings
    from kdscan.web.shared import SharedGames
    from kdscan.web.tasks import PictureCache
    from kdscan.web.uploads import Parts, Reader
    from kdscan.workers.pool import Pool

B = TypeVar("B")

ROOT: ContextVar[str] = ContextVar("root", default="")
"""The path below which a proxy shows the page, like /kdscan; empty if it has a host of its own."""

MIN_PACKED = 1000
"""Bytes of a body that is worth compressing."""


def address(path: str) -> str:
    """A path of the page as browsers see it, like /kdscan/join."""
    return ROOT.get() + path


class JsonAnswer(Response):
    """A JSON body of plain values and records."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)

    def packed(self, request: Request) -> JsonAnswer:
        """The same answer, compressed if it is large and the client can unpack it."""
        self.headers["Vary"] = "Accept-Encoding"
        if len(self.body) >= MIN_PACKED and "gzip" in request.headers.get("accept-encoding", ""):
            self.body = gzip.compress(self.body, compresslevel=5)
            self.headers["Content-Encoding"] = "gzip"
            self.headers["Content-Length"] = str(len(self.body))
        return self


class ApiError(Exception):
    """An answer that is an error. code: stable, for programs; message: for people, a key of the
    catalogues if people may see it. wait: seconds until it may be tried again.

    known: suggestions of what may have been meant.
    """

    def __init__(
        self, status: int, code: str, message: str, wait: float = 0, *, known: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.wait = status, code, message, wait
        self.known = list(known)

    def answer(self, words: Words = ENGLISH) -> Response:
        headers = {"Retry-After": str(math.ceil(self.wait))} if self.wait else None
        known = {"known": self.known} if self.known else {}
        error = {"code": self.code, "message": words.t(self.message)} | known
        return JsonAnswer({"error": error}, self.status, headers)


def refuse_if(wait: float) -> None:
    """Raise ApiError if the client has to wait for this many seconds; not for 0."""
    if wait:
        raise ApiError(429, "too_many_requests", mark("Too many requests. Wait a moment."), wait)


BUG = mark("Something went wrong in the program. The photo is kept.")
NOT_FOUND = mark("This does not exist, or you have no access to it.")


def not_found() -> ApiError:
    """The error for what does not exist or is not visible to this session; the same for both."""
    return ApiError(404, "not_found", NOT_FOUND)


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
    "there is no such sheet": NOT_FOUND,
    "the event was deleted": mark(
        "This event was deleted. Whoever runs kdscan must start it again."
    ),
    "tables whose points are still missing: {n}, the first in round {round}, table {table} "
    "({missing}); read the sheets, or enter the points with `kdscan result`.": mark(
        "tables whose points are still missing: {n}, the first in round {round}, table {table} "
        "({missing}); photograph the sheets, or enter the points."
    ),
}
"""Texts of errors that name a command, or say too much → their texts on the page."""

STATUS = {NotForPlayers: 403, NoSuchSheet: 404, EventGone: 410}
"""Statuses of errors that are no conflict."""

HALF_SENT = mark("The photo did not arrive complete. Upload it again.")

WRONG_KIND = mark("A game is two maps with their spellbook, or two to four kingdoms.")

HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine that no other reaches."""

KEEP_FOREVER = "private, max-age=31536000, immutable"
"""Cache header for resources that are named after their content."""


@dataclass(frozen=True)
class Services:
    """What handlers need, in `request.app.state.services`."""

    settings: Settings
    store: Store
    live: Live
    news: News
    reader: Reader
    pool: Pool
    pictures: PictureCache
    revoked: RevokedSessions
    games: SharedGames
    parts: Parts
    receiving: asyncio.Semaphore
    """Limits the uploads that are in memory in full at a time."""


class Call(Request):
    """A request, and what handlers need of the page."""

    @cached_property
    def event(self) -> Event:
        """The event as it is now; only what may block asks for it before `refresh`."""
        return self.services.live.event()

    async def refresh(self) -> None:
        """Look at the event anew; raises `EventGone`."""
        self.event = await run_in_threadpool(self.services.live.event)

    @property
    def services(self) -> Services:
        """What all handlers share."""
        return cast("Services", self.app.state.services)

    @property
    def store(self) -> Store:
        return self.services.store

    @property
    def who(self) -> Session:
        """The session; the middleware lets no request through without one."""
        assert self.state.session is not None, "the middleware lets nobody else in"
        return cast("Session", self.state.session)

    @property
    def author(self) -> Author:
        """Who sends it, as the log has it."""
        return Author(self.who.name, self.who.role, self.who.id)

    @property
    def words(self) -> Words:
        """The texts in the reader's language: chosen explicitly, or else the browser's."""
        chosen = self.cookies.get("language", "")
        return words(preferred_language(chosen or self.headers.get("accept-language", "")))

    @property
    def host(self) -> str:
        """The scheme and host by which others come, like https://club.example: as this request
        came, or, if that was on this machine itself, the first one that phones reach."""
        own: str = getattr(self.app.state, "address", "")
        came = f"{self.url.scheme}://{self.url.netloc}"
        return own or came if self.url.hostname in HERE else came

    def refused(self, error: KdscanError) -> ApiError:
        """The answer to an impossible request, in the reader's language."""
        told = error_json(error) | {"text": ON_PAGE.get(error.text, error.text)}
        status = next((s for kind, s in STATUS.items() if isinstance(error, kind)), 409)
        code, known = "refused" if status == 409 else error.code, getattr(error, "known", ())
        return ApiError(status, code, error_text(told, self.words), known=known)

    async def small_body(self, most: int = MAX_BODY) -> bytes:
        """A small body; raises ApiError for a large one."""
        body = io.BytesIO()
        await self._copy(body, most, "too_much", f"the body may have at most {most} bytes")
        return body.getvalue()

    async def record(self, kind: type[B]) -> B:
        """A JSON body as a record of this type; raises ApiError for anything else."""
        data = await self.small_body()
        try:
            return msgspec.convert(_JSON.decode(data), kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise ApiError(400, "bad_request", f"the body is not as described: {error}") from error

    async def save_photo(self, out: IO[bytes]) -> None:
        """Write a photo to a file; raise ApiError if it is a form, too large, too slow or empty."""
        if self.headers.get("content-type", "").startswith("multipart/"):
            why = "send the file itself as the body, not a form: curl --data-binary @photo.jpg"
            raise ApiError(415, "form", why)
        most = self.services.settings.max_bytes
        why = mark("The picture is too large. Save it smaller.")
        try:
            await self._copy(out, most, "image_too_large", why)
            out.flush()
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise StoreFull(
                "the upload could not be received ({why})", why=error.strerror
            ) from error
        if out.tell() == 0:
            raise ApiError(
                400,
                "unreadable_image",
                mark("This file is not a readable picture. Take or upload it again."),
            )

    async def _copy(self, out: IO[bytes], most: int, code: str, why: str) -> None:
        """Write the body to a file; raise ApiError if it is incomplete, if nothing arrives for a
        while or too little in all, or if it is larger; code, why: of this error."""
        announced = self.headers.get("content-length", "")
        size, loop = out.tell(), asyncio.get_running_loop()
        begun, before = loop.time(), size
        try:
            async with asyncio.timeout(SILENCE_SECONDS) as limit:
                async for chunk in self.stream():
                    size += len(chunk)
                    if max(size, int(announced) if announced.isdigit() else 0) > most:
                        raise ApiError(413, code, why)
                    out.write(chunk)
                    now = loop.time()
                    if now - begun > GRACE_SECONDS and size - before < LEAST_RATE * (now - begun):
                        raise TimeoutError
                    limit.reschedule(now + SILENCE_SECONDS)
        except TimeoutError as error:
            raise ApiError(408, "too_slow", HALF_SENT) from error
        except ClientDisconnect as error:
            raise ApiError(400, "cut_off", HALF_SENT) from error


def _number(text: str) -> float | int:
    """A number as an integer if it is whole: to JSON Schema 4.0 is an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value


_JSON = msgspec.json.Decoder(float_hook=_number)
