"""The page as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kdscan.errors import KdscanError, StoreError, StoreFull
from kdscan.event.corrections import NotForPlayers
from kdscan.event.events import EventGone
from kdscan.event.store import Store
from kdscan.files import escape_control
from kdscan.i18n import mark
from kdscan.inference.store import default_models
from kdscan.web import api, operations, pages, prints, publish, shared
from kdscan.web.live import Live, News
from kdscan.web.middleware import Middleware, Proxy, add_headers
from kdscan.web.requests import BUG, ROOT, ApiError, Call, Services
from kdscan.web.sessions import RevokedSessions, Settings
from kdscan.web.shared import SharedGames
from kdscan.web.tasks import PictureCache, prepare
from kdscan.web.uploads import Parts, Reader
from kdscan.workers.pool import Pool

_ = api, pages, prints, publish, shared  # imported because they declare their operations

log = logging.getLogger("kdscan.web")

FULL = mark("There is no room left on the server right now. What was saved before is kept.")
STORE = mark("The results cannot be saved or loaded right now. Try again later.")

RECEIVING = 2
"""Most uploads that are in memory in full at a time, while they are hashed and stored."""


def make_app(store: Store, settings: Settings) -> Starlette:
    """The application, which starts and stops its workers."""
    revoked = RevokedSessions(store)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        pool = Pool(settings.workers, settings.limits, prepare)
        try:
            await asyncio.to_thread(pool.start)
            models = default_models().version
            pictures = PictureCache(store, pool, models)
            live = Live(store, settings.event)
            loop, news = asyncio.get_running_loop(), News(live)
            wake = partial(loop.call_soon_threadsafe, news.wake)
            reader = Reader(store, live, pool, models, pictures, wake)
            app.state.services = Services(
                settings=settings,
                store=store,
                live=live,
                news=news,
                reader=reader,
                pool=pool,
                pictures=pictures,
                revoked=revoked,
                games=SharedGames(store, live.id),
                parts=Parts(store),
                receiving=asyncio.Semaphore(RECEIVING),
            )
            await asyncio.to_thread(reader.start)
        except Exception as error:
            app.state.failure = error  # uvicorn would only log it
            raise
        try:
            yield
        finally:
            await asyncio.to_thread(reader.close)
            await asyncio.to_thread(pool.close)

    app = Starlette(
        routes=_routes(),
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(
            (ApiError, KdscanError, HTTPException, Exception), _failed
        ),
    )
    app.add_middleware(Middleware, settings=settings, revoked=revoked)
    app.add_middleware(Proxy, trusted=settings.proxy, root=settings.root_path)
    return app


def _routes() -> list[Route]:
    return [
        Route(one.path, one.endpoint, methods=[one.method], name=one.handler.__name__)
        for one in operations.OPERATIONS
    ]


async def _failed(request: Request, error: Exception) -> Response:
    """The answer that tells of an error."""
    call, refusal = Call(request.scope), ApiError(500, "bug", BUG)
    match error:
        case ApiError():
            refusal = error
        case NotForPlayers() | EventGone():
            refusal = call.refused(error)
        case KdscanError():  # messages name files of this machine, so they only go to the log
            log.error("%s: %s", error.code, escape_control(str(error)))
            refusal = ApiError(400, error.code, mark("This cannot be done."))
            if isinstance(error, StoreFull):
                refusal = ApiError(507, "store_full", FULL, 30)
            elif isinstance(error, StoreError):
                refusal = ApiError(503, "store", STORE)
        case HTTPException(status_code=status):
            code = {404: "not_found", 405: "wrong_method"}.get(status, "bad_request")
            refusal = ApiError(status, code, error.detail)
    answer = refusal.answer(call.words)
    if refusal.status == 405:  # Starlette names methods of one route, and a path may have two
        path = request.scope["path"].removeprefix(ROOT.get())
        routes = (route for route in _routes() if route.path_regex.match(path))
        answer.headers["Allow"] = ", ".join(sorted(m for r in routes for m in r.methods or ()))
    if refusal.status == 500:  # Starlette handles bugs outside of all middleware
        add_headers(answer.headers, request)
    return answer
