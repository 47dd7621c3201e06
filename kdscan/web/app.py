"""The page as an ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kdscan.errors import KdscanError, StoreError, StoreFull
from kdscan.event.store import Store
from kdscan.files.names import escape_control
from kdscan.inference.store import default_models
from kdscan.web import api, operations, pages, prints, publish, shared
from kdscan.web.answers import ApiError, JsonAnswer, error_body
from kdscan.web.live import Live, News
from kdscan.web.middleware import Middleware, Proxy, add_headers
from kdscan.web.overviews import Overviews
from kdscan.web.pictures import PictureCache
from kdscan.web.requests import Services
from kdscan.web.sessions import RevokedSessions, Settings
from kdscan.web.shared import SharedGames
from kdscan.web.tasks import prepare
from kdscan.web.uploads import Parts, Reader
from kdscan.workers.pool import Pool

_ = api, prints, publish, shared  # imported because they declare their operations

log = logging.getLogger("kdscan.web")

FULL = "there is no room for more photos now; what was sent before is kept"

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
            reader = Reader(store, live, pool, models, pictures)
            app.state.services = Services(
                settings=settings,
                store=store,
                live=live,
                news=News(live),
                overviews=Overviews(),
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
        exception_handlers={
            ApiError: _api_error,
            KdscanError: _kdscan_error,
            HTTPException: _http_error,
            Exception: _bug,
        },
    )
    app.add_middleware(Middleware, settings=settings, revoked=revoked)
    app.add_middleware(Proxy, trusted=settings.proxy)
    return app


def _routes() -> list[Route]:
    api = [
        Route(_typed(one.path), one.endpoint, methods=[one.method], name=one.handler.__name__)
        for one in operations.OPERATIONS
    ]
    return [
        *api,
        Route("/", pages.home),
        Route("/desk", pages.desk),
        Route("/standings", pages.standings),
        Route("/public/{code}", pages.public),
        Route("/join", pages.join_form, methods=["GET"]),
        Route("/join", pages.join, methods=["POST"]),
        Route("/j/{code}", pages.join_by_link),
        Route("/api/leave", pages.leave, methods=["POST"]),
        Route("/static/{version}/{name:path}", pages.static),
        Route("/language/{code}", pages.language),
        Route("/sw.js", pages.service_worker),
        Route("/manifest.webmanifest", pages.manifest),
        Route("/openapi.json", _openapi),
        Route("/health", _health),
    ]


def _typed(path: str) -> str:
    return path.replace("{id}", "{id:number}").replace("{page}", "{page:number}")


class _Number(IntegerConvertor):
    """A number in a path; Python refuses to convert one of thousands of digits."""

    regex = "[0-9]{1,99}"


register_url_convertor("number", _Number())


async def _openapi(_: Request) -> Response:
    return JsonAnswer(operations.document())


async def _health(request: Request) -> Response:
    """GET /health: for whoever monitors the program."""
    services: Services = request.app.state.services
    return JsonAnswer({"workers": len(services.pool.pids), "waiting": services.reader.length})


async def _api_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error.answer()


async def _kdscan_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, KdscanError)
    log.error("%s: %s", error.code, escape_control(str(error)))
    # Messages of StoreError and UsageError name files of this machine, so they only go to the log.
    if isinstance(error, StoreFull):
        return JsonAnswer(error_body("store_full", FULL), 507, {"Retry-After": "30"})
    if isinstance(error, StoreError):
        return JsonAnswer(error_body("store", "the results cannot be kept or found now"), 503)
    return JsonAnswer(error_body(error.code, "this cannot be done"), 400)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not_found", 405: "wrong_method"}.get(error.status_code, "bad_request")
    headers = dict(error.headers) if error.headers else None
    if error.status_code == 405:  # Starlette names those of one route, and a path may have two
        here = (one for one in _routes() if one.path_regex.match(request.scope["path"]))
        headers = {"Allow": ", ".join(sorted(m for one in here for m in one.methods or ()))}
    return JsonAnswer(error_body(code, error.detail), error.status_code, headers)


async def _bug(request: Request, error: Exception) -> Response:
    answer = JsonAnswer(error_body("bug", "a bug in kdscan: its log says more"), 500)
    add_headers(answer.headers, request)  # Starlette handles bugs outside of all middleware
    return answer
