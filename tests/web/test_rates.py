"""How often somebody may ask, and guess."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.responses import Response

from kdscan.event.store import Store
from kdscan.web import sessions
from kdscan.web.middleware import Middleware
from kdscan.web.rates import Rate, RateLimiter
from tests.web.conftest import DESK, JOIN, serving, settings


def test_a_bucket_refills() -> None:
    now = [0.0]
    buckets = RateLimiter(Rate(burst=2, per_second=0.5), lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 2]
    assert buckets.take("b") == 0
    now[0] = 2.0
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0


SLOW = Rate(burst=20, per_second=1e-6)
"""Nothing comes back while a test runs, however slow the machine."""


def test_guessing_codes_is_slow(store: Store) -> None:
    bearer = {"Authorization": "Bearer WRONGONE"}
    with (
        serving(store, settings(guesses=SLOW)) as page,
        httpx.Client(base_url=page.address) as client,
    ):
        codes = [client.get("/api/session", headers=bearer).status_code for _ in range(25)]
        right = client.get("/api/session", headers={"Authorization": f"Bearer {JOIN}"})
    assert codes == [401] * 20 + [429] * 5
    assert right.status_code == 429  # or it would be worth while to go on guessing


def test_wrong_codes_count_and_right_ones_do_not(store: Store) -> None:
    with (
        serving(store, settings(guesses=SLOW)) as page,
        httpx.Client(base_url=page.address) as client,
    ):

        def come_in(code: str) -> int:
            client.cookies.clear()
            return client.post("/join", data={"code": code}).status_code

        assert [come_in(JOIN) for _ in range(30)] == [303] * 30
        assert [come_in("WRONGONE") for _ in range(25)] == [403] * 20 + [429] * 5
        assert come_in(JOIN) == 429


def test_who_asks_too_often_waits_and_nobody_else_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RateLimiter.__init__, "__defaults__", (lambda: 0.0,))  # time stands still
    app = Middleware(Response(), settings(), sessions.RevokedSessions(store))

    async def ask(count: int, method: str, path: str, code: str = JOIN) -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://page") as client:
            client.headers["Authorization"] = f"Bearer {code}"
            return [await client.request(method, path) for _ in range(count)]

    for most, method, path in ((200, "POST", "/api/photos"), (600, "GET", "/api/photos")):
        *answers, refused = asyncio.run(ask(most + 1, method, path))
        assert {one.status_code for one in answers} == {200}
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert asyncio.run(ask(1, method, path, DESK))[0].status_code == 200
    static = asyncio.run(ask(60, "GET", "/static/x/y.js"))  # a page asks for many at once
    assert {one.status_code for one in static} == {200}


def test_a_bucket_gives_credit_and_is_paid_back_first() -> None:
    now = [0.0]
    buckets = RateLimiter(Rate(burst=1, per_second=1), lambda: now[0])
    for _ in range(4):
        buckets.spend("a")
    assert buckets.wait("a") == 4
    now[0] = 3.5
    assert buckets.take("a") == 0.5
    now[0] = 4.0
    assert buckets.take("a") == 0
