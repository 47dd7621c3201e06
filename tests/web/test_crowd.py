"""Many phones at once while others only hold connections.

benchmarks/hold.py tries it with 64 phones and 1,000 sockets.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import cv2
import httpx
import numpy as np
from numpy.typing import NDArray

from tests.web.conftest import JOIN, Served
from tests.web.test_connections import stalled

PHONES, STALLED = 8, 300
AT_ONCE_SECONDS = 5.0
"""Generous: the machines of CI are busy."""


def photo(rng: np.random.Generator) -> bytes:
    """A picture as large as a phone's."""
    coarse: NDArray[np.uint8] = rng.integers(0, 255, (300, 400, 3), np.uint8)
    large = cv2.resize(coarse, (4000, 3000), interpolation=cv2.INTER_CUBIC)
    return cv2.imencode(".jpg", large)[1].tobytes()


def test_phones_are_served_while_sockets_stall(served: Served) -> None:
    rng = np.random.default_rng(0)
    photos = [photo(rng) for _ in range(PHONES)]

    def send(data: bytes) -> int:
        headers = {"Authorization": f"Bearer {JOIN}"}
        return httpx.post(
            f"{served.address}/api/photos", content=data, headers=headers, timeout=120
        ).status_code

    held = stalled(served, STALLED)
    try:
        with served.workers_asleep(), ThreadPoolExecutor(PHONES) as pool:
            sent = [pool.submit(send, data) for data in photos]
            took = []
            for _ in range(10):
                start = time.monotonic()
                assert httpx.get(f"{served.address}/join", timeout=60).status_code == 200
                took.append(time.monotonic() - start)
            assert [one.result() for one in sent] == [201] * PHONES
    finally:
        for one in held:
            one.close()
    assert sorted(took)[len(took) // 2] < AT_ONCE_SECONDS
