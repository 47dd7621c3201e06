"""What must not happen: a lost photo, an unreachable page, a worker that takes others down."""

from __future__ import annotations

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from kdscan.errors import ModelError, ReaderDied
from kdscan.event.store import Store, open_store
from kdscan.web.tasks import prepare
from kdscan.workers.pool import Limits, Pool
from tests.web.conftest import JOIN, Served, awaited, serving, settings

BEARER = {"Authorization": f"Bearer {JOIN}"}


def no_map(seed: int) -> bytes:
    """A picture without a map, different for each seed."""
    noise = np.random.default_rng(seed).integers(0, 255, (96, 96, 3), np.uint8)
    return bytes(cv2.imencode(".jpg", cv2.resize(noise, (320, 320)))[1].tobytes())


def test_sixty_at_once_all_arrive_and_are_listed(served: Served) -> None:
    with httpx.Client(base_url=served.address, headers=BEARER, timeout=120) as client:

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
    with httpx.Client(base_url=served.address, headers=BEARER, timeout=60) as client:
        with served.workers_asleep() as pids:
            first = client.post("/api/photos", content=no_map(100)).json()["id"]
            while served.services.reader.length == 0:
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
    with (
        serving(store, given) as page,
        httpx.Client(base_url=page.address, headers=BEARER, timeout=60) as client,
    ):
        with page.workers_asleep():
            photo = client.post("/api/photos", content=no_map(200)).json()["id"]
            said = awaited(client, photo)
        assert said["error"]["code"] == "reader_died"
        assert "took more than" in said["error"]["message"]


@pytest.mark.slow
def test_after_a_restart_what_was_sent_is_read(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "club.sqlite")) as store:
        with (
            serving(store, settings()) as page,
            httpx.Client(base_url=page.address, headers=BEARER, timeout=60) as client,
            page.workers_asleep(),
        ):
            photo = client.post("/api/photos", content=no_map(1)).json()
            assert photo["state"] == "waiting"
        with (
            serving(store, settings()) as page,
            httpx.Client(base_url=page.address, headers=BEARER, timeout=60) as client,
        ):
            assert awaited(client, photo["id"])["state"] == "read"


def test_an_upload_that_breaks_off_leaves_nothing(served: Served) -> None:
    with httpx.Client(base_url=served.address, headers=BEARER, timeout=60) as client:
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
