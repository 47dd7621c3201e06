"""A client that openapi-python-client makes of /openapi.json reads photos, sheets and games."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import JOIN, SAMPLES

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

    client = of("client").AuthenticatedClient(base_url=address, token=JOIN, timeout=60)
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
