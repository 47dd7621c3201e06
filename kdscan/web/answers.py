"""The common form of the HTTP interface's answers and errors."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from msgspec import to_builtins
from starlette.requests import Request
from starlette.responses import Response

ROOT: ContextVar[str] = ContextVar("root", default="")
"""The path below which a proxy shows the page, like /kdscan; empty if it has a host of its own."""

MIN_PACKED = 1000
"""Bytes of a body that is worth compressing."""


def address(path: str) -> str:
    """A path of the page as browsers see it, like /kdscan/join."""
    return ROOT.get() + path


class JsonAnswer(Response):
    """A JSON body of plain values and records, in ASCII, which survives every program on the
    way."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), default=to_builtins).encode()

    def packed(self, request: Request) -> JsonAnswer:
        """The same answer, compressed if it is large and the client can unpack it."""
        self.headers["Vary"] = "Accept-Encoding"
        if len(self.body) >= MIN_PACKED and "gzip" in request.headers.get("accept-encoding", ""):
            self.body = gzip.compress(self.body, compresslevel=5)
            self.headers["Content-Encoding"] = "gzip"
            self.headers["Content-Length"] = str(len(self.body))
        return self


class ApiError(Exception):
    """An answer that is an error. code: stable, for programs; message: for people. wait: seconds
    until it may be tried again.

    known: suggestions of what may have been meant.
    """

    def __init__(
        self, status: int, code: str, message: str, wait: float = 0, *, known: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.wait = status, code, message, wait
        self.known = list(known)

    def answer(self) -> Response:
        headers = {"Retry-After": str(math.ceil(self.wait))} if self.wait else None
        known = {"known": self.known} if self.known else {}
        error = {"code": self.code, "message": self.message} | known
        return JsonAnswer({"error": error}, self.status, headers)


def refuse_if(wait: float) -> None:
    """Raise ApiError if the client has to wait for this many seconds; not for 0."""
    if wait:
        raise ApiError(
            429, "too_many_requests", f"too many requests; wait {wait:.0f} seconds", wait
        )


def desk_only() -> ApiError:
    """The error for what a player's session may not do."""
    return ApiError(403, "desk_only", "this is for the desk: come in with its code")


def not_found(what: str) -> ApiError:
    """The error for what does not exist or is not visible to this session; the same for both."""
    return ApiError(404, "not_found", f"there is no such {what}")
