"""What is received of an upload, and what of one for which there is no room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from kdscan.errors import StoreFull
from kdscan.event.events import find_row, forget_event, open_row
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import files
from kdscan.web import requests
from tests.web.conftest import DESK, JOIN, serving, settings

BEARER = {"Authorization": f"Bearer {JOIN}"}


def test_a_full_disk_is_507_and_what_was_sent_is_kept(store: Store) -> None:
    with (
        serving(store, settings(spare_bytes=10**18)) as page,
        httpx.Client(base_url=page.address, headers=BEARER) as client,
    ):
        answer = client.post("/api/photos", content=b"x")
        assert answer.status_code == 507
        assert answer.json()["error"]["code"] == "store_full"
        assert "Retry-After" in answer.headers
        assert client.get("/api/photos").status_code == 200


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_an_upload_that_the_disk_cannot_take_is_no_bug() -> None:
    async def body() -> dict[str, Any]:
        return {"type": "http.request", "body": b"a photo"}

    request = Request({"type": "http", "headers": []}, body)
    with (
        Path("/dev/full").open("wb", buffering=0) as out,
        pytest.raises(StoreFull, match="No space left"),
    ):
        asyncio.run(requests.receive(request, out, settings()))


def test_one_session_sends_no_more_than_its_share(store: Store) -> None:
    with (
        serving(store, settings(quota_bytes=3)) as page,
        httpx.Client(base_url=page.address, headers=BEARER) as client,
    ):
        assert client.post("/api/photos", content=b"mine alone").status_code == 201
        answer = client.post("/api/photos", content=b"too much")
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "quota")
        client.headers["Authorization"] = f"Bearer {DESK}"
        for content in (b"the desk's", b"as many as it needs"):
            assert client.post("/api/photos", content=content).status_code == 201


def test_after_an_event_was_deleted_no_photo_goes_to_another_with_its_number(
    tmp_path: Path,
) -> None:
    with (
        open_store(str(tmp_path / "club.sqlite")) as store,
        serving(store, settings()) as page,
        httpx.Client(base_url=page.address, headers=BEARER) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        with store.read() as db:
            deleted = find_row(db, "Spring cup")
        state = client.get("/api/standings").json()["state"]
        waits = pool.submit(client.get, f"/api/standings?after={state}&wait=25", timeout=30)
        forget_event(store, deleted.id)
        with store.write() as db:
            other = open_row(db, "Autumn cup")
        assert other.id == deleted.id, "SQLite gives the number again"
        for answer in (client.post("/api/photos", content=b"x"), waits.result()):
            assert (answer.status_code, answer.json()["error"]["code"]) == (410, "event_gone")
        with store.read() as db:
            assert files(db, other.id) == []


def test_what_is_too_large_is_not_received_to_its_end(store: Store) -> None:
    with (
        serving(store, settings(max_bytes=100)) as page,
        httpx.Client(base_url=page.address, headers=BEARER) as client,
    ):
        for content in (b"x" * 101, iter([b"x" * 60] * 2)):  # the latter of unknown length
            answer = client.post("/api/photos", content=content)
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "image_too_large")
        assert client.post("/api/photos", content=b"x" * 100).status_code == 201


@pytest.mark.parametrize("path", ["/api/photos", "/api/look"])
def test_silence_ends_an_upload_and_slowness_alone_does_not(
    path: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(pause: float, pieces: int) -> Iterator[bytes]:
        for _ in range(pieces):
            yield b"x"
            time.sleep(pause)

    monkeypatch.setattr(requests, "SILENCE_SECONDS", 0.6)
    monkeypatch.setattr(requests, "GRACE_SECONDS", 1.5)
    with (
        serving(store, settings()) as page,
        httpx.Client(base_url=page.address, headers=BEARER, timeout=120) as client,
    ):
        for pause, pieces, rate, slow in (
            (1.5, 2, 0, True),
            (0.2, 5, 1000, False),
            (0.2, 12, 1000, True),
            (0.2, 12, 1, False),
        ):
            monkeypatch.setattr(requests, "LEAST_RATE", rate)
            answer = client.post(path, content=body(pause, pieces))
            assert (answer.status_code == 408) is slow
            if slow:
                assert answer.json()["error"]["code"] == "too_slow"


def test_an_upload_that_was_cut_off_is_resumed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(data: bytes) -> Iterator[bytes]:
        yield data
        time.sleep(1)

    monkeypatch.setattr(requests, "SILENCE_SECONDS", 0.3)
    photo = bytes(range(256)) * 40
    with (
        serving(store, settings()) as page,
        httpx.Client(base_url=page.address, headers=BEARER) as client,
    ):
        path = "/api/photos?name=a.jpg&token=one"
        assert client.get("/api/uploads/one").json() == {"bytes": 0}
        assert client.post(path, content=cut(photo[:5000])).status_code == 408
        assert client.get("/api/uploads/one").json() == {"bytes": 5000}
        other = {"Authorization": f"Bearer {DESK}"}
        assert client.get("/api/uploads/one", headers=other).json() == {"bytes": 0}
        assert client.post(f"{path}&offset=4000", content=photo[4000:]).status_code == 409
        rest = client.post(f"{path}&offset=5000", content=photo[5000:])
        assert rest.status_code == 201
        assert client.get("/api/uploads/one").json() == {"bytes": 0}
        assert rest.json()["id"] == client.post("/api/photos", content=photo).json()["id"]
        for n in range(10):
            assert client.post(f"/api/photos?token={n}", content=cut(b"x")).status_code == 408
        there = [client.get(f"/api/uploads/{n}").json()["bytes"] for n in range(10)]
    assert there == [0, 0] + [1] * 8
