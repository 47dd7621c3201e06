"""Answers and errors of the HTTP interface: one form for each."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """A JSON body of plain values and records; ASCII survives every program in between."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), default=asdict).encode()


class ApiError(Exception):
    """An answer that is an error. code: stable, for programs; message: for people.

    known: what may be meant instead.
    """

    def __init__(
        self, status: int, code: str, message: str, wait: float = 0, *, known: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.known = list(known)
        self.status, self.code, self.message, self.wait = status, code, message, wait

    def answer(self) -> Response:
        headers = {"Retry-After": str(math.ceil(self.wait))} if self.wait else None
        body = error_body(self.code, self.message)
        if self.known:
            body["error"]["known"] = self.known
        return JsonAnswer(body, self.status, headers)


def refuse_if(wait: float) -> None:
    """Raise ApiError for who has to wait so many seconds, if any."""
    if wait:
        raise ApiError(429, "too_many_requests", f"too often; wait {wait:.0f} seconds", wait)


def error_body(code: str, message: str) -> dict[str, Any]:
    """The body of every error."""
    return {"error": {"code": code, "message": message}}


def not_found(what: str) -> ApiError:
    """There is none, or it is not for this session to see: the same answer for both."""
    return ApiError(404, "not_found", f"there is no such {what}")
