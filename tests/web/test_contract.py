"""The HTTP interface behaves as /openapi.json says, whatever the request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from schemathesis import openapi

from kdscan.event.store import Store
from kdscan.web.operations import OPERATIONS, Operation, document
from kdscan.web.sessions import Rate
from tests.web.conftest import DESK, Served, send, serving
from tests.web.conftest import settings as web_settings


@pytest.fixture(scope="module")
def served(store: Store) -> Iterator[Served]:
    """A page that lets itself be asked with wrong codes as often as one likes."""
    with serving(store, web_settings(guesses=Rate(10_000, 10_000))) as page:
        yield page


@pytest.fixture(scope="module")
def api_schema(served: Served, desk: httpx.Client) -> Any:
    """The document as it is served; a photo and a sheet 1 are there to ask for."""
    send(desk, "01.jpg")
    return openapi.from_url(f"{served.address}/openapi.json")


EXAMPLES = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("asked", OPERATIONS, ids=lambda one: f"{one.method} {one.path}")
def test_answers_are_as_described(api_schema: Any, asked: Operation) -> None:
    @EXAMPLES
    @given(case=api_schema[asked.path][asked.method].as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {DESK}"}, timeout=60)

    ask()


def test_a_field_that_is_not_described_is_refused_everywhere() -> None:
    records = {one.body for one in OPERATIONS} - {None, bytes}
    assert len(records) > 5
    lenient = [one for one in records if not one.__struct_config__.forbid_unknown_fields]
    assert lenient == []


def test_every_handler_is_described_and_nothing_else() -> None:
    described = document()
    assert json.dumps(described)
    asked = {(m.upper(), path) for path, item in described["paths"].items() for m in item}
    assert asked == {(one.method, one.path) for one in OPERATIONS}
    for one in OPERATIONS:
        said = described["paths"][one.path][one.method.lower()]
        assert said["summary"]
        assert said["responses"][str(one.status)]["content"]
        wherever = {"401", "429", "503"} | ({"408", "507"} if one.method == "POST" else set())
        assert wherever <= set(said["responses"])
        assert bool(said.get("requestBody", {}).get("content")) == (one.body is not None)
    needed = {(one.path, name) for one in OPERATIONS for name in one.query if one.query[name][2]}
    assert needed == {("/api/games", "sheets"), ("/api/prints", "name")}
