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

from kdscan.files import Json
from kdscan.web.answers import JsonAnswer
from kdscan.web.requests import MAX_WAIT, body_as, desk_session, services_of

Handler = Callable[..., Any]
"""Takes the request, and its body if that is a record; returns plain values or a Response. Only
plain functions may block: they run in a thread."""

Query = dict[str, tuple[Json, str, bool]]
"""Query parameters: schema, description, and whether required."""

ID = {"type": "integer", "minimum": 0}

IN_PATH: dict[str, tuple[Json, str]] = {
    "id": (ID, "number of the photo or sheet"),
    "page": (ID, "from 0"),
    "size": ({"type": "string", "enum": ["view", "thumb"]}, "how large"),
    "code": ({"type": "string"}, "the game's code"),
}
"""Path parameters."""

WAIT: Json = {"type": "integer", "minimum": 0, "maximum": int(MAX_WAIT)}

NEWS: Query = {
    "after": ({"type": "string"}, "the `state` that is known already", False),
    "wait": (WAIT, "seconds to wait for another one", False),
}

NONE_SUCH = {404: "It does not exist, or this session may not see it."}
BAD = {400: "The request is not as described here."}
TOO_MUCH = {413: "The body is too large."}
DESK_ONLY = {403: "Only with the desk's code."}
WRONG_KIND = {409: "Impossible: another kind of sheet, the castle, nothing to undo."}


@dataclass(frozen=True)
class Operation:
    """One operation of the interface.

    answer: the type of its JSON, or a media type. body: a record, or `bytes` for what the handler
    receives itself. errors: possible errors besides the usual ones. desk: only for the desk.
    checks_event: whether to look first whether the event still exists; the handler does otherwise.
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
    checks_event: bool = True

    @property
    def summary(self) -> str:
        """The first paragraph of its handler's docstring, as one line without its full stop."""
        return " ".join((self.handler.__doc__ or "").split("\n\n")[0].split()).rstrip(".")

    @property
    def in_path(self) -> dict[str, tuple[Json, str]]:
        """The parameters of its path."""
        return {name: IN_PATH[name] for name in re.findall(r"{(\w+)}", self.path)}

    @property
    def all_errors(self) -> dict[int, str]:
        """Possible errors, by status."""
        given = (self.in_path, NONE_SUCH), (self.query or self.body, BAD), (self.body, TOO_MUCH)
        usual = {status: text for what, one in given if what for status, text in one.items()}
        return usual | (DESK_ONLY if self.desk else {}) | self.errors

    async def endpoint(self, request: Request) -> Response:
        """Handle a request."""
        if self.desk:
            desk_session(request)
        if self.checks_event:
            await run_in_threadpool(services_of(request).live.version)
        given = [] if self.body in (None, bytes) else [await body_as(request, self.body)]
        if iscoroutinefunction(self.handler):
            found = await self.handler(request, *given)
        else:
            found = await run_in_threadpool(self.handler, request, *given)
        return found if isinstance(found, Response) else JsonAnswer(found, self.status)


OPERATIONS: list[Operation] = []
"""All operations, in the order in which they are declared."""


def operation(
    method: str, path: str, answer: Any = None, *, body: Any = None, **more: Any
) -> Callable[[Handler], Handler]:
    """Declare a handler; the arguments are the fields of its `Operation`.

    answer, body: by default the types that the handler returns and takes as `body`.
    """

    def declare(handler: Handler) -> Handler:
        types = get_type_hints(handler)
        kinds = answer or types["return"], body or types.get("body")
        OPERATIONS.append(Operation(method, path, handler, *kinds, **more))
        return handler

    return declare


get, post = partial(operation, "GET"), partial(operation, "POST")
