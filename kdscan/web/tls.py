"""TLS with a deadline for handshakes, which count as waiting connections.

uvicorn passes on an encrypted connection only when its handshake is done. Until then it would hold
an open file for a minute, and no limit would count it. Here a connection is accepted unencrypted,
counted like one without headers (`kdscan.web.connections`), and then encrypted in place.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, cast

from kdscan.web import connections
from kdscan.web.connections import Protocol


class Encrypted(asyncio.Protocol):
    """A connection until its handshake is done; then it is passed on to a `Protocol` of its own.

    It replaces `Protocol` if the page is served with a certificate.
    """

    def __init__(self, context: ssl.SSLContext, **options: Any) -> None:
        self._context = context
        self._inner = Protocol(**options)
        self._connections = cast(set[Any], self._inner.connections)
        self._early: list[bytes] = []
        self.transport: asyncio.Transport

    def connection_made(self, transport: Any) -> None:
        """Start the handshake on the new connection, with the same deadline as for headers."""
        self.transport = transport
        transport.pause_reading()  # incoming data belong to the handshake
        self._connections.add(self)
        if len(self._connections) > Protocol.most_open:
            self.shutdown()
            return
        peer = transport.get_extra_info("peername")
        Protocol.waiting.add(transport, str(peer[0]) if peer else "")
        self._handshake = asyncio.ensure_future(self._shake_hands(transport))

    async def _shake_hands(self, plain: asyncio.Transport) -> None:
        try:
            secure = await asyncio.get_running_loop().start_tls(
                plain,
                self,
                self._context,
                server_side=True,
                ssl_handshake_timeout=connections.HEAD_SECONDS,
            )
        except (OSError, EOFError):  # not TLS, aborted, or too late; ssl.SSLError is an OSError
            secure = None
        self._forget()
        if secure is None:
            plain.abort()
            return
        secure.set_protocol(self._inner)
        self._inner.connection_made(secure)
        for data in self._early:
            self._inner.data_received(data)

    def shutdown(self) -> None:
        """Called by uvicorn on every connection when the server shuts down."""
        self.transport.abort()

    def _forget(self) -> None:
        Protocol.waiting.discard(self.transport)
        self._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        """Data that arrive before the handshake is reported as done."""
        self._early.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
