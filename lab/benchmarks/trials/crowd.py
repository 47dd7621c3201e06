"""Many phones at once while others only hold connections: the page answers everybody."""

from __future__ import annotations

import contextlib
import random
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from lab.benchmarks.shared import SAMPLES, enlarged, photo_in
from lab.benchmarks.trials import CODE, ON_TRIAL, Trial, logged_faults, serving

CLIENTS, STALLED, ATTACKERS = 64, 1000, 16
"""Phones, stalled sockets, and the addresses that these come from: only Linux has so many of its
own."""
MEGAPIXELS = 12.0
TRIES = 3
ANSWERS_SECONDS = 2.0


def waiting(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """64 phones send photos of 12 megapixels while 1,000 sockets stall; another one looks."""
    while True:
        with serving(folder, *ON_TRIAL) as page:
            yield crowd(rng, page.address)
            yield Trial("the page's log", logged_faults(page))


def crowd(rng: random.Random, address: str) -> Trial:
    """One such rush; `seconds` is how long the page took to answer at most."""
    photo = enlarged(photo_in(rng.choice(SAMPLES)).bgr, MEGAPIXELS)
    over = threading.Event()
    answers: list[float] = []
    watcher = threading.Thread(target=_watch, args=(address, over, answers))
    holder = threading.Thread(target=_hold, args=(address, over))
    faults = []
    for thread in (holder, watcher):
        thread.start()
    try:
        with ThreadPoolExecutor(CLIENTS) as pool:
            sent = [
                pool.submit(_send, address, number, photo + rng.randbytes(8))
                for number in range(CLIENTS)
            ]
            faults += [said for said in (one.result() for one in sent) if said]
    finally:
        over.set()
        for thread in (holder, watcher):
            thread.join()
    if not answers:
        faults.append("nobody was answered")
    elif max(answers) > ANSWERS_SECONDS:
        late = sum(one > ANSWERS_SECONDS for one in answers)
        faults.append(f"{late} of {len(answers)} answers took longer, up to {max(answers):.1f} s")
    name = f"{CLIENTS} photos, {STALLED} stalled sockets, median {_median(answers)}"
    counts = {"answers": len(answers), "photos": CLIENTS}
    return Trial(name, tuple(faults), max(answers, default=0.0), counts=counts)


def _median(answers: list[float]) -> str:
    return f"{1000 * statistics.median(answers):.0f} ms" if answers else "none"


def _phone(address: str, number: int) -> httpx.Client:
    """A client with an address of its own, as phones in one network have."""
    own = httpx.HTTPTransport(local_address=f"127.1.{number // 250}.{number % 250 + 1}")
    return httpx.Client(base_url=address, timeout=300, transport=own)


def _come_in(client: httpx.Client) -> None:
    client.post("/join", data={"code": CODE})
    client.headers["X-CSRF-Token"] = client.get("/api/session").raise_for_status().json()["csrf"]


def _send(address: str, number: int, photo: bytes) -> str:
    """Come in and send a photo, as the page's front end does: a connection that is lost is tried
    again. Returns what went wrong."""
    for _ in range(TRIES):
        try:
            with _phone(address, number) as client:
                _come_in(client)
                answer = client.post("/api/photos?name=a.jpg", content=photo)
        except httpx.TransportError as error:
            said = f"a photo was not taken: {error!r}"
        else:
            return "" if answer.status_code == 201 else f"a photo got status {answer.status_code}"
    return said


def _watch(address: str, over: threading.Event, answers: list[float]) -> None:
    """Look at the page four times a second, as somebody who has come in and as a stranger."""
    with _phone(address, 5000) as client:
        for _ in range(TRIES):
            with contextlib.suppress(httpx.TransportError):
                _come_in(client)
                break
        while not over.is_set():
            for path in ("/join", "/api/photos"):
                start = time.monotonic()
                with contextlib.suppress(httpx.HTTPError):
                    client.get(path)
                answers.append(time.monotonic() - start)
            time.sleep(0.25)


def _hold(address: str, over: threading.Event) -> None:
    """Keep `STALLED` connections open with an unfinished header; closed ones are replaced."""
    host, port = address.removeprefix("http://").split(":")
    held: list[socket.socket] = []
    while not over.is_set():
        with contextlib.suppress(OSError):
            mine = (f"127.2.0.{len(held) % ATTACKERS + 1}", 0)
            one = socket.create_connection((host, int(port)), 5, mine)
            held.append(one)
            one.sendall(b"GET / HTTP/1.1\r\nHost: ")
        if len(held) > STALLED:
            held.pop(0).close()
            time.sleep(0.01)
    for one in held:
        one.close()
