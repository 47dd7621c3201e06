"""/openapi.json: the description of the HTTP interface, generated from its operations."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from kdscan.files import Json
from kdscan.web import api, prints_api, publish, schemas, shared_api
from kdscan.web.operation import OPERATIONS, Operation

__all__ = ["OPERATIONS", "document"]

_ = api, prints_api, publish, shared_api  # imported because they declare their operations

REF = "#/components/schemas/{name}"

REFUSED = {
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


@cache
def document() -> Json:
    """The OpenAPI 3.1 document, made once: it takes a while, and strangers may ask for it."""
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
    errors = REFUSED | one.all_errors | (NO_CHANGE if one.method != "GET" else {})
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
        for name, (schema, text, needed) in one.query.items()
    ]
    return in_path + in_query
