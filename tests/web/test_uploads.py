"""What is received of an upload and what of one for which there is no room; what must not happen: a
lost photo, an unreachable page, a worker that takes others down."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from kdscan.errors import ModelError, ReaderDied, StoreFull
from kdscan.event.events import find_row, forget_event, open_row
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import files
from kdscan.web import requests
from kdscan.web.requests import Call
from kdscan.web.tasks import prepare
from kdscan.workers.pool import Limits, Pool
from tests.web.conftest import DESK, JOIN, Served, awaited, serving, settings


def test_a_full_disk_is_507_and_what_was_sent_is_kept(store: Store) -> None:
    with serving(store, settings(spare_bytes=10**18)) as page, page.client(JOIN) as client:
        answer = client.post("/api/photos", content=b"x")
        assert answer.status_code == 507
        assert answer.json()["error"]["code"] == "store_full"
        assert "Retry-After" in answer.headers
        assert client.get("/api/photos").status_code == 200


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_an_upload_that_the_disk_cannot_take_is_no_bug() -> None:
    async def body() -> dict[str, Any]:
        return {"type": "http.request", "body": b"a photo"}

    app = SimpleNamespace(state=SimpleNamespace(services=SimpleNamespace(settings=settings())))
    call = Call({"type": "http", "headers": [], "app": app}, body)
    with (
        Path("/dev/full").open("wb", buffering=0) as out,
        pytest.raises(StoreFull, match="No space left"),
    ):
        asyncio.run(call.save_photo(out))


def test_one_session_sends_no_more_than_its_share(store: Store) -> None:
    with serving(store, settings(quota_bytes=3)) as page, page.client(JOIN) as client:
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
        page.client(JOIN) as client,
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
    with serving(store, settings(max_bytes=100)) as page, page.client(JOIN) as client:
        for content in (b"x" * 101, iter([b"x" * 60] * 2)):  # the latter of unknown length
            answer = client.post("/api/photos", content=content)
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "image_too_large")
        assert client.post("/api/photos", content=b"").status_code == 400
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
    with serving(store, settings()) as page, page.client(JOIN) as client:
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
    with serving(store, settings()) as page, page.client(JOIN) as client:
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


def no_map(seed: int) -> bytes:
    """A picture without a map, different for each seed."""
    noise = np.random.default_rng(seed).integers(0, 255, (96, 96, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", cv2.resize(noise, (320, 320)))[1].tobytes())


def test_sixty_at_once_all_arrive_and_are_listed(served: Served) -> None:
    with served.client(JOIN) as client:

        def send(number: int) -> int:
            answer = client.post("/api/photos", content=b"no picture: %d" % number)
            assert answer.status_code == 201
            return int(answer.json()["id"])

        with ThreadPoolExecutor(60) as pool:
            ids = list(pool.map(send, range(60)))
        assert len(set(ids)) == 60
        listed = client.get("/api/photos").json()["photos"]
        assert {photo["id"] for photo in listed} >= set(ids)
        for one in ids:
            photo = awaited(client, one)
            assert photo["state"] == "failed"
            assert photo["error"]["code"] == "unreadable_image"


def test_a_worker_killed_half_way_costs_one_try(served: Served) -> None:
    with served.client(JOIN) as client:
        with served.workers_asleep() as pids:
            first = client.post("/api/photos", content=no_map(100)).json()["id"]
            while not served.services.reader.waiting:
                time.sleep(0.01)
            time.sleep(0.2)
            os.kill(pids[0], signal.SIGKILL)
        photo = awaited(client, first)
        assert (photo["state"], photo["error"]["code"]) == ("failed", "reader_died")
        second = client.post("/api/photos", content=no_map(101)).json()["id"]
        assert awaited(client, second)["state"] == "read"
        assert client.post(f"/api/photos/{first}/again", json={}).json()["state"] == "waiting"
        assert awaited(client, first)["state"] == "read"


def test_what_takes_too_long_is_given_up(store: Store) -> None:
    given = settings(limits=Limits(seconds=0.5))
    with serving(store, given) as page, page.client(JOIN) as client:
        with page.workers_asleep():
            photo = client.post("/api/photos", content=no_map(200)).json()["id"]
            said = awaited(client, photo)
        assert said["error"]["code"] == "reader_died"
        assert "took more than" in said["error"]["message"]


@pytest.mark.slow
def test_after_a_restart_what_was_sent_is_read(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "club.sqlite")) as store:
        with serving(store, settings()) as page, page.client(JOIN) as client, page.workers_asleep():
            photo = client.post("/api/photos", content=no_map(1)).json()
            assert photo["state"] == "waiting"
        with serving(store, settings()) as page, page.client(JOIN) as client:
            assert awaited(client, photo["id"])["state"] == "read"


def test_an_upload_that_breaks_off_leaves_nothing(served: Served) -> None:
    with served.client(JOIN) as client:
        before = len(client.get("/api/photos").json()["photos"])
        with socket.create_connection((client.base_url.host, client.base_url.port)) as wire:
            head = f"POST /api/photos HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {JOIN}\r\n"
            wire.sendall(head.encode() + b"Content-Length: 99999\r\n\r\nhalf a photo")
        time.sleep(0.3)
        assert len(client.get("/api/photos").json()["photos"]) == before
        assert client.get("/health").json()["waiting"] == 0


def test_too_little_memory_is_an_error_not_a_crash_of_the_page() -> None:
    with Pool(1, Limits(memory_mb=60), prepare) as pool, pytest.raises((ReaderDied, ModelError)):
        pool.start()


def test_workers_start_and_end_with_the_page(store: Store) -> None:
    with serving(store, settings(), workers_first=True) as page:
        (pid,) = page.services.pool.pids
        assert httpx.get(f"{page.address}/health", timeout=60).json() == {
            "workers": 1,
            "waiting": 0,
        }
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
