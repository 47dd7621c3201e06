"""Operations of the HTTP interface, each declared at its handler.

    @post("/api/sheets/{id}/undo", errors=WRONG_KIND)
    async def undo(request: Request, body: bodies.Nothing) -> schemas.Sheet: ...

The application's routes and /openapi.json are made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, get_type_hints

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.records.results import Json
from kdscan.web.answers import JsonAnswer
from kdscan.web.requests import MAX_WAIT, body_as, desk_session

Handler = Callable[..., Any]
"""Takes the request, and its body if that is a record; returns plain values or a Response. What is
no coroutine may block: it runs in a thread."""

Query = dict[str, tuple[Json, str, bool]]
"""What stands behind `?`: schema, description, and whether it is needed."""

ID = {"type": "integer", "minimum": 0}

IN_PATH: dict[str, tuple[Json, str]] = {
    "id": (ID, "number of the photo or sheet"),
    "page": (ID, "from 0"),
    "size": ({"type": "string", "enum": ["view", "thumb"]}, "how large"),
    "code": ({"type": "string"}, "the game's code"),
}
"""What stands in braces in paths."""

WAIT: Json = {"type": "integer", "minimum": 0, "maximum": int(MAX_WAIT)}

NEWS: Query = {
    "after": ({"type": "string"}, "the `state` that is known already", False),
    "wait": (WAIT, "seconds to wait for another one", False),
}

NONE_SUCH = {404: "There is none, or it is not this session's."}
BAD = {400: "The request is not as described here."}
TOO_MUCH = {413: "The body is too large."}
DESK_ONLY = {403: "Only with the desk's code."}
WRONG_KIND = {409: "It cannot be so: another kind of sheet, the castle, nothing to take back."}


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked.

    answer: the type of its JSON, or a media type. body: a record, or `bytes` for what the handler
    takes in itself. errors: what can go wrong beside the usual. desk: for it alone.
    """

    method: str
    path: str
    handler: Handler
    answer: Any
    body: Any = None
    query: Query = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    desk: bool = False
    status: int = 200

    @property
    def summary(self) -> str:
        """What it does: the first sentence of its handler's docstring."""
        return " ".join((self.handler.__doc__ or "").split("\n\n")[0].split()).rstrip(".")

    @property
    def in_path(self) -> dict[str, tuple[Json, str]]:
        """What is asked for in the path."""
        return {name: IN_PATH[name] for name in re.findall(r"{(\w+)}", self.path)}

    @property
    def all_errors(self) -> dict[int, str]:
        """What can go wrong, by status."""
        given = (self.in_path, NONE_SUCH), (self.query or self.body, BAD), (self.body, TOO_MUCH)
        usual = {status: text for what, one in given if what for status, text in one.items()}
        return usual | (DESK_ONLY if self.desk else {}) | self.errors

    async def endpoint(self, request: Request) -> Response:
        """Answer a request."""
        if self.desk:
            desk_session(request)
        given = [] if self.body in (None, bytes) else [await body_as(request, self.body)]
        if iscoroutinefunction(self.handler):
            found = await self.handler(request, *given)
        else:
            found = await run_in_threadpool(self.handler, request, *given)
        return found if isinstance(found, Response) else JsonAnswer(found, self.status)


OPERATIONS: list[Operation] = []
"""All of them, in the order in which they are declared."""


def operation(
    method: str, path: str, answer: Any = None, *, body: Any = None, **more: Any
) -> Callable[[Handler], Handler]:
    """Declare a handler; the arguments are the fields of its `Operation`.

    answer, body: if left out, what the handler returns and the type of its `body`.
    """

    def declare(handler: Handler) -> Handler:
        types = get_type_hints(handler)
        kinds = answer or types["return"], body or types.get("body")
        OPERATIONS.append(Operation(method, path, handler, *kinds, **more))
        return handler

    return declare


get, post = partial(operation, "GET"), partial(operation, "POST")
