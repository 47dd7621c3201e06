"""Operations of the HTTP interface, each declared at its handler.

    @post("/api/photos/{id}/again")
    async def again(request: Request, body: schemas.Nothing) -> schemas.Photo: ...

The application's routes and /openapi.json are made from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from inspect import iscoroutinefunction
from typing import Any, get_args, get_type_hints

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.files import Json
from kdscan.web import schemas
from kdscan.web.answers import JsonAnswer
from kdscan.web.requests import MAX_WAIT, body_as, desk_session, services_of

Handler = Callable[..., Any]
"""Takes the request, and its body if that is a record; returns plain values or a Response. Only
plain functions may block: they run in a thread."""

Query = dict[str, tuple[Json, str, bool]]
"""Query parameters: schema, description, and whether required."""

ID: Json = {"type": "integer", "minimum": 0}

IN_PATH: dict[str, tuple[Json, str]] = {
    "id": (ID, "number of the photo or sheet"),
    "page": (ID, "from 0"),
    "size": ({"type": "string", "enum": ["view", "thumb"]}, "how large"),
    "code": ({"type": "string"}, "the game's code"),
    "token": ({"type": "string"}, "the sender's name for an upload"),
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

REF = "#/components/schemas/{name}"

ALWAYS = {
    401: "No session: show the code.",
    410: "The event was deleted.",
    429: "Too often; Retry-After says how many seconds to wait.",
    503: "The results cannot be kept or found now; try again later.",
}
NO_CHANGE = {
    403: "A browser's request without the CSRF token, or from another site.",
    408: "The body came too slowly.",
    507: "There is no room now; Retry-After says when to try again.",
}


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
        if self.checks_event and self.query is not NEWS:  # who waits for news is told at once
            await run_in_threadpool(services_of(request).live.version)
        given = [] if self.body in (None, bytes) else [await body_as(request, self.body)]

        def answer(result: Any) -> Response:
            if isinstance(result, Response):
                return result
            return JsonAnswer(result, self.status).packed(request)

        if not iscoroutinefunction(self.handler):
            return await run_in_threadpool(lambda: answer(self.handler(request, *given)))
        return await run_in_threadpool(answer, await self.handler(request, *given))


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


@cache
def document() -> Json:
    """/openapi.json, the OpenAPI 3.1 document of all operations that were declared; made once,
    because it takes a while, and strangers may ask for it."""
    kinds = [k for o in OPERATIONS for k in (*_alternatives(o.answer), o.body) if _is_record(k)]
    refs, components = msgspec.json.schema_components([*kinds, schemas.Error], ref_template=REF)
    components = {name: _plain(one) for name, one in components.items()}
    schema_of = dict(zip([*map(id, kinds), id(schemas.Error)], refs, strict=True))
    paths: Json = {}
    for one in OPERATIONS:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kdscan",
            "version": version("kdscan"),
            "description": "Photographs of finished sheets in, boards and scores out.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"code": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "code": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The code that `kdscan serve` prints.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "kdscan",
                    "description": "A browser's session; changes need X-CSRF-Token as well.",
                },
            },
        },
    }


def _alternatives(answer: Any) -> tuple[Any, ...]:
    """The types of an answer; msgspec describes no unions of dictionaries."""
    return get_args(answer) or (answer,)


def _is_record(kind: Any) -> bool:
    return kind is not None and kind is not bytes and not isinstance(kind, str)


def _plain(schema: Any) -> Any:
    """A schema in terms that client generators understand too: fixed-length arrays of equal items
    are described without `prefixItems`."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    first = schema.get("prefixItems")
    if first and schema.get("items") is False:
        rest = {k: _plain(v) for k, v in schema.items() if k not in ("prefixItems", "items")}
        if len({str(one) for one in first}) == 1:
            return rest | {"items": _plain(first[0])}
        # Where `prefixItems` is understood, `items` adds nothing: there are no further ones.
        return rest | {"prefixItems": _plain(first), "items": {"anyOf": _plain(first)}}
    if schema.get("type") == "array" and not {"items", "prefixItems"} & set(schema):
        schema = schema | {"items": {}}
    return {key: _plain(value) for key, value in schema.items()}


def _operation(one: Operation, schema_of: dict[int, Json]) -> Json:
    errors = ALWAYS | one.all_errors | (NO_CHANGE if one.method != "GET" else {})
    error = {"application/json": {"schema": schema_of[id(schemas.Error)]}}
    if isinstance(one.answer, str):
        content: Json = {one.answer: {"schema": {"type": "string", "format": "binary"}}}
    else:
        first, *others = [schema_of[id(kind)] for kind in _alternatives(one.answer)]
        schema = {"anyOf": [first, *others]} if others else first
        content = {"application/json": {"schema": schema}}
    operation: Json = {
        "operationId": one.handler.__name__,
        "summary": one.summary,
        "parameters": _parameters(one),
        "responses": {str(one.status): {"description": "Done.", "content": content}}
        | {str(code): {"description": text, "content": error} for code, text in errors.items()},
    }
    if one.body is bytes:
        file = {"type": "string", "format": "binary", "minLength": 1}
        kind = {"application/octet-stream": {"schema": file}}
        operation["requestBody"] = {"required": True, "content": kind}
    elif one.body:
        kind = {"application/json": {"schema": schema_of[id(one.body)]}}
        operation["requestBody"] = {"required": True, "content": kind}
    return operation


def _parameters(one: Operation) -> list[Json]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": schema, "description": text}
        for name, (schema, text) in one.in_path.items()
    ]
    in_query = [
        {"name": name, "in": "query", "required": needed, "schema": schema, "description": text}
        for name, (schema, text, needed) in one.query.items()
    ]
    return in_path + in_query
