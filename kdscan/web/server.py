"""The page as it is served: uvicorn with a deadline for the heads of requests, and a quiet log.

uvicorn waits forever for the headers of a request; a few hundred such connections would use up all
files that a process may have open. (hypercorn has that deadline, but not for connections that begin
with HTTP/2's preface; granian listens by itself and forks.)
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from ssl import SSLContext
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from kdscan.event.store import Store
from kdscan.web.addresses import reachable
from kdscan.web.app import make_app
from kdscan.web.sessions import Settings

HEAD_SECONDS = 10.0
"""Time limit for the headers of a request, and for the first request to begin."""

MOST_WAITING = 256
"""Most connections without complete headers; then the one that has waited longest is closed."""

MOST_OPEN = 4096
"""Open files for which room is asked of the system."""

LOG_SECONDS = 60.0
"""Interval at which messages of one kind are logged."""


class Protocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a deadline for headers."""

    waiting: dict[asyncio.Transport, asyncio.TimerHandle] = {}  # noqa: RUF012  of all connections

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_came()
        elif self.transport not in self.waiting and not self.transport.is_closing():
            self._wait_for_head()  # part of the next headers arrived after a response

    def _wait_for_head(self) -> None:
        self.waiting[self.transport] = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
        if len(self.waiting) > MOST_WAITING:
            next(iter(self.waiting)).abort()

    def _head_came(self) -> None:
        deadline = self.waiting.pop(self.transport, None)
        if deadline is not None:
            deadline.cancel()


class Server(uvicorn.Server):
    """uvicorn's server, whose shutdown answers everybody who waits for news.

    tls: encrypts the connections; None leaves them plain.
    """

    def __init__(self, app: Starlette, tls: SSLContext | None = None) -> None:
        config = uvicorn.Config(
            app,
            lifespan="on",
            http=Protocol,
            ws="none",
            log_config=None,
            access_log=False,  # paths of links contain the code
            server_header=False,
            date_header=False,  # of when a request came, not of its answer: see `add_headers`
            proxy_headers=False,  # see `kdscan.web.middleware.Proxy`
            timeout_graceful_shutdown=2,
        )
        config.load()
        config.ssl = tls
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down: accept no new connections, finish the open ones."""
        self._app.state.services.news.end()
        await super().shutdown(sockets)


async def run(
    store: Store, settings: Settings, listening: socket.socket, tls: SSLContext | None
) -> str | None:
    """Serve until a signal ends it; raises the error that prevented the start. Returns the event
    with which the desk wants the page to start again, if it does."""
    logging.basicConfig(level=logging.WARNING, format="kdscan: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(OnceAMinute())
    allow_files()
    app = make_app(store, settings)
    server = Server(app, tls)
    scheme, (host, port, *_) = "https" if tls else "http", listening.getsockname()
    app.state.address = next((f"{scheme}://{name}:{port}" for name in reachable(host)), "")
    chosen: list[str] = []

    def restart(event: str) -> None:
        chosen.append(event)
        server.should_exit = True

    app.state.restart = restart
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    with contextlib.suppress(SystemExit):  # by which newer uvicorns end if it does not start
        await server.serve(sockets=[listening])
    failure: Exception | None = getattr(app.state, "failure", None)
    if failure is not None:
        raise failure
    return chosen[-1] if chosen else None


def allow_files() -> None:
    """Raise this process's limit of open files as far as is useful and the system allows."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_OPEN if hard == resource.RLIM_INFINITY else min(MOST_OPEN, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class OnceAMinute(logging.Filter):
    """Logs messages of one kind once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        kind, now = f"{record.name}: {record.msg}"[:200], time.monotonic()
        due = now - self._last.get(kind, -LOG_SECONDS) >= LOG_SECONDS
        if due:
            self._last[kind] = now
        return due
