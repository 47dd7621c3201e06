"""Limits below HTTP: idle connections are closed in time, and repeated log lines are thinned out.

uvicorn waits forever for the headers of a request; a few hundred such connections would use up all
files that a process may have open. Here headers have a deadline, and only a limited number of
connections may be waiting for theirs; the one that has waited longest is closed to make room for a
new one. A connection that is being served has sent its headers, so it is not affected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections import Counter, OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Time limit for the headers of a request, and for the first request to begin."""

MOST_WAITING = 256
"""Most connections without complete headers; a quarter of them per address."""

MOST_OPEN = 4096
"""Most connections in all; a lower system limit of open files takes precedence."""

FILES_BESIDE = 256
"""Open files other than connections: the store, workers' pipes, uploads."""

LOG_SECONDS = 60.0
"""Interval at which repeated messages are logged."""


class Waiting:
    """The connections that have not sent complete headers, the longest waiting first."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most, self._most_of_one = most, max(1, most // 4)
        self._all: OrderedDict[asyncio.Transport, str] = OrderedDict()
        self._of: Counter[str] = Counter()

    def add(self, connection: asyncio.Transport, address: str) -> None:
        """Add a new one; if there are too many, the one that has waited longest is closed."""
        self._all[connection] = address
        self._of[address] += 1
        if self._of[address] > self._most_of_one:
            self._close(next(one for one, where in self._all.items() if where == address))
        elif len(self._all) > self._most:
            self._close(next(iter(self._all)))

    def discard(self, connection: asyncio.Transport) -> None:
        """Remove one that has sent its headers, or is gone."""
        address = self._all.pop(connection, None)
        if address is not None:
            self._of[address] -= 1
            self._of += Counter()  # drops addresses without any

    def _close(self, connection: asyncio.Transport) -> None:
        self.discard(connection)
        connection.abort()


class Protocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a deadline for headers."""

    waiting = Waiting()
    most_open = MOST_OPEN
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # Else the body of a response waits until the client has confirmed its headers, 40 ms or
        # more: asyncio does this only for a listening socket that names its protocol.
        with contextlib.suppress(OSError):  # it is closed again
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self.most_open:
            transport.abort()
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_is_there()
        elif self._deadline is None and not self.transport.is_closing():
            self._wait_for_head()  # part of the next headers arrived after a response

    def _wait_for_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
        self.waiting.add(self.transport, self.client[0] if self.client else "")

    def _head_is_there(self) -> None:
        self.waiting.discard(self.transport)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def allow_files() -> int:
    """Raise this process's limit of open files as far as the system allows; returns how many
    connections it may then hold."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        granted = MOST_OPEN + FILES_BESIDE
        if hard != resource.RLIM_INFINITY:
            granted = min(granted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))
        return max(16, granted - FILES_BESIDE)
    return MOST_OPEN


class OnceAMinute(logging.Filter):
    """Logs repeated messages once a minute, with the number of repetitions."""

    def __init__(self, seconds: float = LOG_SECONDS) -> None:
        super().__init__()
        self._seconds = seconds
        self._last: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        what = (record.name, str(record.msg)[:200])
        now = time.monotonic()
        last, kept_back = self._last.get(what, (-self._seconds, 0))
        if now - last < self._seconds:
            self._last[what] = (last, kept_back + 1)
            return False
        self._last[what] = (now, 0)
        self._last.move_to_end(what)
        if len(self._last) > 1000:
            self._last.popitem(last=False)
        if kept_back:
            record.msg, record.args = f"{record.getMessage()} (and {kept_back} times more)", ()
        return True
