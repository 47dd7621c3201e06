"""The interface as data: routes are made of it, and so is /openapi.json."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import msgspec

from kdscan.web import api, bodies, corrections, desk_api, learning, schemas, shared_api
from kdscan.web.operation import (
    DESK_ONLY,
    NEWS,
    NONE_SUCH,
    WAIT,
    WRONG_KIND,
    Operation,
)

Json = dict[str, Any]

REF = "#/components/schemas/{name}"

REFUSED = {
    401: "No session: show the code.",
    429: "Too often; Retry-After says how many seconds to wait.",
}
NO_CHANGE = {403: "A browser's request without the CSRF token, or from another site."}


OPERATIONS = (
    Operation(
        "GET",
        "/api/session",
        api.session,
        "Who am I, and what may be sent",
        schemas.SessionInfo,
    ),
    Operation(
        "POST",
        "/api/photos",
        api.upload,
        "Send a photo; the body is the file as it is",
        schemas.Accepted,
        bytes,
        in_query={"name": ({"type": "string"}, "the file's name", False)},
        more_errors={
            408: "The file came too slowly.",
            507: "There is no room now; Retry-After says when to try again.",
        },
        status=201,
    ),
    Operation(
        "POST",
        "/api/look",
        api.look,
        "Say where a map lies in a camera's live picture, and what is to mend; nothing is kept",
        schemas.Look,
        bytes,
        more_errors={503: "No worker could look."},
    ),
    Operation("GET", "/api/photos", api.photos, "This session's photos", schemas.Photos),
    Operation(
        "GET",
        "/api/photos/{id}",
        api.photo,
        "A photo with its pages and sheets",
        schemas.Photo,
        in_query={
            "wait": (WAIT, "seconds to wait until it was read", False),
        },
    ),
    Operation(
        "POST",
        "/api/photos/{id}/again",
        api.again,
        "Read a photo again that could not be read",
        schemas.Photo,
        bodies.Nothing,
    ),
    Operation(
        "GET",
        "/api/photos/{id}/pages/{page}/{size}.jpg",
        api.view,
        "A page as a picture",
        "image/jpeg",
    ),
    Operation(
        "GET",
        "/api/sheets/{id}",
        api.sheet,
        "A sheet as it stands",
        schemas.Sheet,
    ),
    *corrections.OPERATIONS,
    Operation(
        "GET",
        "/api/queue",
        api.queue,
        "The sheets to look at, those that matter most first (desk)",
        schemas.Queue,
        in_query=NEWS,
        more_errors=DESK_ONLY,
    ),
    Operation(
        "GET",
        "/api/standings",
        api.standings,
        "The event's table, games and totals",
        schemas.Standings,
        in_query=NEWS,
    ),
    Operation(
        "GET",
        "/api/games",
        api.game,
        "Two maps, with their spellbook if it is named too, or kingdoms as a game",
        schemas.Game,
        in_query={
            "sheets": (
                {"type": "string", "pattern": "^(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)){1,3}$"},
                "like 3,4 or 3,4,5",
                True,
            )
        },
        more_errors=NONE_SUCH | WRONG_KIND,
    ),
    *desk_api.OPERATIONS,
    *learning.OPERATIONS,
    *shared_api.OPERATIONS,
)


def document() -> Json:
    """The OpenAPI 3.1 document."""
    kinds = [k for o in OPERATIONS for k in (o.answer, o.body) if k and not isinstance(k, str)]
    kinds = [k for k in kinds if k is not bytes]
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


def _plain(schema: Any) -> Any:
    """A schema in the words that generators of clients know too: arrays of a fixed length whose
    items are all alike say so without `prefixItems`."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    first = schema.get("prefixItems")
    if first and schema.get("items") is False and len({str(one) for one in first}) == 1:
        rest = {k: _plain(v) for k, v in schema.items() if k not in ("prefixItems", "items")}
        return rest | {"items": _plain(first[0])}
    if first and schema.get("items") is False:
        rest = {k: _plain(v) for k, v in schema.items() if k not in ("prefixItems", "items")}
        # `items` says nothing more where `prefixItems` is understood: there are no further ones.
        return rest | {"prefixItems": _plain(first), "items": {"anyOf": _plain(first)}}
    if schema.get("type") == "array" and not {"items", "prefixItems"} & set(schema):
        schema = schema | {"items": {}}
    return {key: _plain(value) for key, value in schema.items()}


def _operation(one: Operation, schema_of: dict[int, Json]) -> Json:
    errors = REFUSED | one.errors | (NO_CHANGE if one.method != "GET" else {})
    error = {"application/json": {"schema": schema_of[id(schemas.Error)]}}
    if isinstance(one.answer, str):
        content: Json = {one.answer: {"schema": {"type": "string", "format": "binary"}}}
    else:
        content = {"application/json": {"schema": schema_of[id(one.answer)]}}
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
        for name, (schema, text, needed) in one.in_query.items()
    ]
    return in_path + in_query
