"""The HTTP interface behaves as /openapi.json says, whatever the request."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from schemathesis import openapi

from kdscan.event.store import Store
from kdscan.web.operations import OPERATIONS, Operation, document
from kdscan.web.sessions import Rate
from tests.web.conftest import DESK, JOIN, SAMPLES, Served, send, serving
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


API = [one for one in OPERATIONS if not one.page]

EXAMPLES = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("asked", API, ids=lambda one: f"{one.method} {one.path}")
def test_answers_are_as_described(api_schema: Any, asked: Operation) -> None:
    @EXAMPLES
    @given(case=api_schema[asked.path][asked.method].as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {DESK}"}, timeout=60)

    ask()


def test_a_field_that_is_not_described_is_refused_everywhere() -> None:
    records = {one.body for one in API} - {None, bytes}
    assert len(records) > 5
    lenient = [one for one in records if not one.__struct_config__.forbid_unknown_fields]
    assert lenient == []


def test_every_handler_is_described_and_nothing_else() -> None:
    described = document()
    assert json.dumps(described)
    asked = {(m.upper(), path) for path, item in described["paths"].items() for m in item}
    assert asked == {(one.method, one.path) for one in API}
    for one in API:
        said = described["paths"][one.path][one.method.lower()]
        assert said["summary"]
        assert said["responses"][str(one.status)]["content"]
        wherever = {"401", "429", "503"} | ({"408", "507"} if one.method == "POST" else set())
        assert wherever <= set(said["responses"])
        assert bool(said.get("requestBody", {}).get("content")) == (one.body is not None)
        for parameter in said["parameters"]:
            assert parameter["schema"]["description"], parameter


GENERATOR = os.environ.get("KDSCAN_OPENAPI_CLIENT") or shutil.which("openapi-python-client")


@pytest.mark.skipif(
    GENERATOR is None,
    reason="no openapi-python-client: install it by itself, name it by KDSCAN_OPENAPI_CLIENT",
)
def test_a_generated_client_reads_a_photo_its_sheet_and_a_game(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "kdscan_client"
    words = ["generate", "--url", f"{address}/openapi.json", "--meta", "none"]
    said = subprocess.run(
        [str(GENERATOR), *words, "--output-path", str(made)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "Unable to process" not in said.stdout, said.stdout
    monkeypatch.syspath_prepend(str(tmp_path))

    def of(name: str) -> Any:
        return importlib.import_module(f"kdscan_client.{name}")

    with of("client").AuthenticatedClient(base_url=address, token=JOIN, timeout=60) as client:
        file = of("types").File
        ids = []
        for name in ("01.jpg", "05.jpg"):
            body = file(payload=BytesIO((SAMPLES / name).read_bytes()), file_name=name)
            sent = of("api.default.upload").sync(client=client, body=body, name=name)
            photo = of("api.default.photo").sync(sent.id, client=client, wait=25)
            assert photo.state == "read" and photo.name == name
            (read,) = photo.sheets
            sheet = of("api.default.sheet").sync(read.id, client=client)
            assert len(sheet.cells) == 34
            assert {cell.row for cell in sheet.cells} == set(range(5))
            assert any(cell.coat for cell in sheet.cells)
            ids.append(read.id)
        game = of("api.default.game").sync(client=client, sheets=",".join(map(str, ids)))
        assert len(game.sheets) == 2 and len(game.game.players) == 2
    for name in [one for one in sys.modules if one.startswith("kdscan_client")]:
        del sys.modules[name]
