"""What can be asked of the HTTP interface: routes and document are made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kdscan.web import api

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]

ID = {"type": "integer", "minimum": 0}

BY_ID = {"id": (ID, "number of the photo or sheet")}


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked. errors: what can go wrong beside the usual."""

    method: str
    path: str
    handler: Handler
    summary: str
    answer: Any
    body: Any = None
    in_path: dict[str, tuple[Json, str]] | None = None
    in_query: dict[str, tuple[Json, str, bool]] | None = None
    errors: dict[int, str] | None = None
    status: int = 200


WAIT: Json = {"type": "integer", "minimum": 0, "maximum": int(api.MAX_WAIT)}

NEWS: dict[str, tuple[Json, str, bool]] = {
    "after": ({"type": "string"}, "the `state` that is known already", False),
    "wait": (WAIT, "seconds to wait for another one", False),
}

NONE_SUCH = {404: "There is none, or it is not this session's."}
BAD = {400: "The request is not as described here."}
TOO_MUCH = {413: "The body is too large."}
DESK_ONLY = {403: "Only with the desk's code."}
WRONG_KIND = {409: "It cannot be so: another kind of sheet, the castle, nothing to take back."}
CHANGES = NONE_SUCH | BAD | TOO_MUCH
