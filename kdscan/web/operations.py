"""Operations of the page, each declared at its handler.

    @get("/api/photos/{id}")
    async def photo(call: Call, id: Id, wait: Wait = 0) -> schemas.Photo: ...

The application's routes and /openapi.json are made from them: what a handler takes besides the call
and `body` are parameters of the path and the query, checked and described by their types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import version
from inspect import Parameter, iscoroutinefunction, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import asdict
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kdscan.errors import Bug, KdscanError, StoreError
from kdscan.event.corrections import desk_only
from kdscan.files import Json
from kdscan.web import schemas
from kdscan.web.requests import MAX_WAIT, ApiError, Call, JsonAnswer, not_found

Handler = TypeVar("Handler", bound=Callable[..., Any])
"""Takes the call, and what it declares besides; returns plain values or a Response. Only plain
functions may block: they run in a thread."""

Id = Annotated[int, Meta(ge=0, description="number of the photo, sheet or print")]
PageNumber = Annotated[int, Meta(ge=0, description="from 0")]
Code = Annotated[str, Meta(description="the game's or the link's code")]
Wait = Annotated[int, Meta(ge=0, le=int(MAX_WAIT), description="seconds to wait for something new")]
State = Annotated[str, Meta(description="the `state` that is known already")]

NONE_SUCH = {404: "It does not exist, or this session may not see it."}
BAD = {400: "The request is not as described here."}
TOO_MUCH = {413: "The body is too large."}
DESK_ONLY = {403: "Only with the desk's code."}
HEAD = Path(__file__).parent / "templates" / "openapi.json"
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
    receives itself. errors: possible errors besides the usual ones; with a 409, what was wrong
    is told in full. desk: only for the desk. news:
    the answer has a `state`, and who knows it may wait for another one. page: for browsers alone.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    parameters: type[msgspec.Struct]
    answer: Any
    body: Any = None
    errors: dict[int, str] = field(default_factory=dict)
    desk: bool = False
    status: int = 200
    news: bool = False
    page: bool = False

    @property
    def in_path(self) -> list[str]:
        """The names of its path's parameters."""
        return re.findall(r"{(\w+)", self.path)

    async def endpoint(self, request: Request) -> Response:
        """Handle a request."""
        call = Call(request.scope, request.receive)
        if self.desk and call.who.role != "desk":
            raise desk_only()
        given = {**call.query_params, **call.path_params}
        try:
            given = asdict(msgspec.convert(given, self.parameters, strict=False))
        except msgspec.ValidationError as error:
            if any(f"`$.{name}`" in str(error) for name in self.in_path):
                raise not_found() from error
            raise ApiError(
                400, "bad_request", f"the address is not as described: {error}"
            ) from error
        after, wait = (given.pop(name) for name in ("after", "wait")) if self.news else ("", 0)
        if self.body not in (None, bytes):
            given["body"] = await call.record(self.body)
        if iscoroutinefunction(self.handler) and not self.page:
            await call.refresh()

        async def result() -> Any:
            try:
                if iscoroutinefunction(self.handler):
                    return await self.handler(call, **given)
                return await run_in_threadpool(self.handler, call, **given)
            except KdscanError as error:
                if 409 not in self.errors or isinstance(error, StoreError | Bug):
                    raise
                raise call.refused(error) from error

        answer = await result()
        if wait and answer["state"] == after:
            news = call.services.news
            if await news.wait(lambda: news.version is None or news.version > int(after), wait):
                await call.refresh()
                answer = await result()
            else:
                answer = {"state": after}
        if isinstance(answer, Response):
            return answer
        return await run_in_threadpool(lambda: JsonAnswer(answer, self.status).packed(call))

    def described(self) -> Json:
        """Its part of /openapi.json."""
        fields, in_path = msgspec.structs.fields(self.parameters), self.in_path
        errors = (
            ALWAYS
            | (NONE_SUCH if in_path else {})
            | (BAD if len(fields) > len(in_path) or self.body else {})
            | (TOO_MUCH if self.body else {})
            | (DESK_ONLY if self.desk else {})
            | (NO_CHANGE if self.method != "GET" else {})
            | self.errors
        )
        answers = {
            str(code): {"description": text, "content": _json(schemas.Error)}
            for code, text in errors.items()
        }
        unchanged = [schemas.Unchanged] if self.news else []
        content = (
            _file(self.answer) if isinstance(self.answer, str) else _json(self.answer, *unchanged)
        )
        operation: Json = {
            "operationId": self.handler.__name__,
            "summary": " ".join((self.handler.__doc__ or "").split("\n\n")[0].split()).rstrip("."),
            "parameters": [
                {
                    "name": one.name,
                    "in": "path" if one.name in in_path else "query",
                    "required": one.required,
                    "schema": msgspec.json.schema(one.type),
                }
                for one in fields
            ],
            "responses": {
                str(self.status): {"description": "Done.", "content": content},
                **answers,
            },
        }
        if self.body:
            taken = _file("application/octet-stream", 1) if self.body is bytes else _json(self.body)
            operation["requestBody"] = {"required": True, "content": taken}
        return operation


OPERATIONS: list[Operation] = []
"""All operations, in the order in which they are declared."""


def operation(
    method: str, path: str, answer: Any = None, **more: Any
) -> Callable[[Handler], Handler]:
    """Declare a handler; `more` are fields of its `Operation`.

    answer, body: by default the types that the handler returns and takes as `body`.
    """

    def declare(handler: Handler) -> Handler:
        types = get_type_hints(handler, include_extras=True)
        taken = {n: p.default for n, p in signature(handler).parameters.items()}
        fields: list[Any] = [
            (name, types[name]) if default is Parameter.empty else (name, types[name], default)
            for name, default in taken.items()
            if name not in ("call", "body")
        ]
        if more.get("news"):
            fields += [("after", State, ""), ("wait", Wait, 0)]
        more.setdefault("body", types.get("body"))
        parameters = msgspec.defstruct("Parameters", fields)
        kind = answer or types["return"]
        OPERATIONS.append(Operation(method, path, handler, parameters, kind, **more))
        return handler

    return declare


get, post = partial(operation, "GET"), partial(operation, "POST")


def page(path: str, method: str = "GET") -> Callable[[Handler], Handler]:
    """Declare what answers browsers alone, with or without an event."""
    return operation(method, path, page=True)


@cache
def document() -> Json:
    """/openapi.json, the OpenAPI 3.1 document of all operations but pages; made once, because it
    takes a while, and strangers may ask for it."""
    described = [one for one in OPERATIONS if not one.page]
    types = {schemas.Error, schemas.Unchanged, *(t for o in described for t in (o.answer, o.body))}
    records = [one for one in types if isinstance(one, type) and one is not bytes]
    _, components = msgspec.json.schema_components(records, ref_template=REF)
    whole: Json = json.loads(HEAD.read_text("utf-8"))
    whole["info"]["version"] = version("kdscan")
    whole["components"]["schemas"] = _plain(components)
    for one in described:
        whole["paths"].setdefault(one.path, {})[one.method.lower()] = one.described()
    return whole


def _json(*answers: type) -> Json:
    refs = [{"$ref": REF.format(name=answer.__name__)} for answer in answers]
    return {"application/json": {"schema": {"anyOf": refs} if len(refs) > 1 else refs[0]}}


def _file(media_type: str, least: int = 0) -> Json:
    return {media_type: {"schema": {"type": "string", "format": "binary", "minLength": least}}}


def _plain(schema: Any) -> Any:
    """A schema in terms that client generators understand too: arrays without `prefixItems`."""
    if isinstance(schema, list):
        return [_plain(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items()}
    if plain.get("type") == "array" and not plain.get("items"):
        (item,) = plain.pop("prefixItems", [{}])[:1]  # all of its items are alike
        plain["items"] = item
    return plain
