"""Odd requests to the page: refused with a status below 500, and the page goes on."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from lab.benchmarks.shared import SAMPLES
from lab.benchmarks.trials import BEARER, ON_TRIAL, Trial, logged_faults, serving
from lab.benchmarks.trials.archives import changed
from lab.benchmarks.trials.pictures import mutant

NO_ROOM = {503, 507}
"""Statuses from 500 on that say what is wrong."""
NUMBERS = ("0", "1", "2", "-1", "9" * 30, "1.5", "x", "%00", "..%2f..%2fetc%2fpasswd", "١")
HEADERS: tuple[dict[str, str], ...] = (
    {"Authorization": "Bearer x"},
    {"Authorization": "Bearer"},
    {"Authorization": "Basic eA=="},
    {"Cookie": "kdscan=x.y"},
    {"Cookie": "kdscan=" + "A" * 3000},
    {"Content-Type": "text/plain"},
    {"Content-Encoding": "gzip"},
    {"Accept-Language": "x;q=nan," * 99},
    {"Origin": "http://evil.example"},
    {"Host": "evil.example"},
    {"X-Forwarded-For": "1.2.3.4", "X-Forwarded-Proto": "x"},
    {"Range": "bytes=9-1,-"},
)
ASKED = ("wait", "after", "name", "page", "format")
BODIES: tuple[Any, ...] = (
    {"cell": [0, 0], "coat": "dot", "crosses": 1},
    {"field": "player", "value": "Ada"},
    {"round": 1, "table": 1, "points": {"Ada": 3}},
    {"name": "Ada", "names": ["Ada", "Bob"], "round": 1, "table": 1},
    {"confirm": True, "ignore": False},
)


def odd(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Random requests to a page with a photo; after each the page must be well."""
    with (
        serving(folder, *ON_TRIAL) as page,
        httpx.Client(base_url=page.address, timeout=60) as client,
    ):
        photo = SAMPLES[0].read_bytes()
        client.post("/api/photos", content=photo, headers=BEARER).raise_for_status()
        said = client.get("/openapi.json").json()
        ways = [(path, method) for path, found in said["paths"].items() for method in found]
        yield from _asked(rng, client, page.address, ways)
        yield Trial("the page's log", logged_faults(page))


def _asked(
    rng: random.Random, client: httpx.Client, address: str, ways: list[tuple[str, str]]
) -> Iterator[Trial]:
    while True:
        faults: list[str] = []
        start = time.monotonic()
        if rng.random() < 0.2:
            name = raw(rng, address)
        else:
            path, method = rng.choice(ways)
            if rng.random() < 0.1:
                method = rng.choice(["get", "put", "delete", "trace", "post", "x"])
            for place in ("{id}", "{page}", "{size}", "{name}", "{number}"):
                path = path.replace(place, rng.choice(NUMBERS))
            name = f"{method} {path}"
            faults += _sent(rng, client, method, path)
        seconds = time.monotonic() - start
        if client.get("/health").status_code != 200:
            faults.append("the page is not well")
        yield Trial(name, tuple(faults), seconds)


def _sent(rng: random.Random, client: httpx.Client, method: str, path: str) -> Iterator[str]:
    body = rng.choice([b"", b"{", b"[]", b"null", rng.randbytes(200), b"[" * 5000])
    if rng.random() < 0.6:
        body = json.dumps(changed(rng, rng.choice(BODIES))).encode()
    elif rng.random() < 0.2:
        body = mutant(rng, SAMPLES[0].read_bytes()[:20_000])
    headers = BEARER if rng.random() < 0.9 else {}
    if rng.random() < 0.3:
        headers = headers | rng.choice(HEADERS)
    asked = {rng.choice(ASKED): rng.choice(["0", "-1", "nan", "x" * 999, "\0", "\x1b", "9" * 30])}
    if asked.get("wait") == "9" * 30:
        asked = {}
    try:
        answer = client.request(method, path, content=body, headers=headers, params=asked)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        if isinstance(error, httpx.TimeoutException):
            yield "no answer in 60 s"
        return
    if answer.status_code >= 500 and answer.status_code not in NO_ROOM:
        yield f"status {answer.status_code}: {body[:200]!r}"


def raw(rng: random.Random, address: str) -> str:
    """Bytes that are hardly HTTP, and whatever comes back."""
    host, port = address.removeprefix("http://").split(":")
    head = b"POST /api/photos HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer HOLDTRIAL\r\n"
    data = rng.choice(
        [
            rng.randbytes(300),
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 2000 + b"\r\n",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
            head + b"Content-Length: -1\r\n\r\n",
            head + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            head + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\nabc",
            head + b"Content-Length: 99999999999\r\n\r\nabc",
            head + b"Content-Length: 10\r\n\r\nabc",
            mutant(rng, head + b"Content-Length: 3\r\n\r\nabc"),
        ]
    )
    with socket.create_connection((host, int(port)), timeout=30) as one:
        one.settimeout(0.2)
        try:
            one.sendall(data)
            one.recv(10_000)
        except OSError:
            pass
    return f"raw {data[:60]!r}"
