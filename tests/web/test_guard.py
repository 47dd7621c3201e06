"""Who is let in, from where, and how often."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import pytest

from kdscan.tournament.store import Store
from kdscan.web import sessions
from kdscan.web.guard import is_here
from kdscan.web.rates import Buckets, Rate
from tests.web.conftest import DESK, JOIN, Login, serving, settings

Stranger = Callable[[], httpx.Client]


def test_without_a_code_there_is_nothing(stranger: Stranger) -> None:
    client = stranger()
    for path in ("/api/session", "/api/photos", "/api/photos/1", "/api/sheets/1"):
        assert client.get(path).status_code == 401
    assert client.get("/").headers["location"] == "/join"
    assert client.post("/api/photos", content=b"x").status_code == 401
    assert client.get("/openapi.json").status_code == 200


@pytest.mark.parametrize("code", ["", "NONSENSE", JOIN[:-1], "é" * 8])
def test_a_wrong_code_lets_nobody_in(stranger: Stranger, code: str) -> None:
    client = stranger()
    answer = client.post(
        "/join", data={"code": code}, headers={"Origin": str(client.base_url).rstrip("/")}
    )
    assert answer.status_code == 403
    assert not client.cookies


def test_the_form_lets_in_with_a_name(stranger: Stranger) -> None:
    client = stranger()
    client.post("/join", data={"code": JOIN.lower(), "name": "Ada\n"})
    said = client.get("/api/session").json()
    assert (said["role"], said["who"]) == ("player", "Ada")


def test_coming_in_again_keeps_what_is_ones_own(login: Login) -> None:
    client = login(JOIN)
    before = client.get("/api/session").json()["csrf"]
    client.get(f"/j/{DESK}")
    after = client.get("/api/session").json()
    assert (after["role"], after["csrf"]) == ("desk", before)


def test_forged_and_old_cookies_are_no_sessions() -> None:
    secret = b"a"
    session = sessions.begin("desk", "Ada")
    sealed = sessions.seal(session, secret)
    assert sessions.unseal(sealed, secret) == session
    assert sessions.unseal(sealed, b"b") is None
    body, mark = sealed.split(".")
    for forged in ("", ".", body, f"{body}.", f"x{body}.{mark}", f"{body}.{mark[:-1]}0ä"):
        assert sessions.unseal(forged, secret) is None
    old = sessions.Session("a", "desk", "", int(time.time()) - 1)
    assert sessions.unseal(sessions.seal(old, secret), secret) is None


def test_other_sites_change_nothing(login: Login) -> None:
    client = login(JOIN)
    assert client.post("/api/photos", content=b"x").status_code == 201
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "0" * 64},
    ):
        answer = client.post("/api/photos", content=b"x", headers=headers)
        assert answer.status_code == 403, headers


def test_every_answer_is_guarded(login: Login) -> None:
    for path in ("/", "/join", "/api/photos", "/nothing", "/static/x/y.js", "/openapi.json"):
        policy = login(JOIN).get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy


def test_cookies_are_out_of_reach(stranger: Stranger) -> None:
    client = stranger()
    cookie = client.get(f"/j/{JOIN}").headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie


@pytest.mark.parametrize(
    ("headers", "here"),
    [
        ({"host": "127.0.0.1:8000"}, True),
        ({"host": "localhost"}, True),
        ({"host": "[::1]:80"}, True),
        ({"host": "evil.example"}, False),
        ({"host": "127.0.0.1.evil.example"}, False),
        ({"host": "localhost", "x-forwarded-for": "1.2.3.4"}, False),
        ({}, False),
    ],
)
def test_only_this_machine_by_its_own_names_needs_no_code(
    headers: dict[str, str], here: bool
) -> None:
    assert is_here(headers) is here


def test_a_bucket_refills() -> None:
    now = [0.0]
    buckets = Buckets(Rate(burst=2, per_second=0.5), lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 2]
    assert buckets.take("b") == 0
    now[0] = 2.0
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0


def test_guessing_codes_is_slow(store: Store) -> None:
    bearer = {"Authorization": "Bearer WRONGONE"}
    with serving(store, settings()) as page, httpx.Client(base_url=page.address) as client:
        codes = [client.get("/api/session", headers=bearer).status_code for _ in range(25)]
    assert codes == [401] * 20 + [429] * 5
