"""Answers and errors of the HTTP interface: one form for each."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.responses import Response


class JsonAnswer(Response):
    """A JSON body; ASCII, so that it survives every program in between."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


class ApiError(Exception):
    """An answer that is an error. code: stable, for programs; message: for people."""

    def __init__(self, status: int, code: str, message: str, wait: float = 0) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.wait = status, code, message, wait

    def answer(self) -> Response:
        headers = {"Retry-After": str(math.ceil(self.wait))} if self.wait else None
        return JsonAnswer(error_json(self.code, self.message), self.status, headers)


def error_json(code: str, message: str) -> dict[str, Any]:
    """The body of every error."""
    return {"error": {"code": code, "message": message}}


def not_found(what: str) -> ApiError:
    """There is none, or it is not for this session to see: the same answer for both."""
    return ApiError(404, "not_found", f"there is no such {what}")
