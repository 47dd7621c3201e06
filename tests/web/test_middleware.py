"""Who is admitted, and from where."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from kdscan.event.store import Store, open_store
from kdscan.web import sessions
from kdscan.web.middleware import Middleware, Proxy, is_here, is_own
from kdscan.web.sessions import Rate
from tests.web.conftest import DESK, JOIN, Login, Served, serving, settings

Stranger = Callable[[], httpx.Client]


def test_without_a_code_there_is_nothing(stranger: Stranger) -> None:
    client = stranger()
    for path in ("/api/session", "/api/photos", "/api/photos/1", "/api/sheets/1"):
        assert client.get(path).status_code == 401
    assert client.get("/").headers["location"] == "/join"
    assert client.post("/api/photos", content=b"x").status_code == 401
    assert client.get("/openapi.json").status_code == 200


@pytest.mark.parametrize(
    "host", ["x/health?", "x/static/", "x?", "x#/join", "[::1", "x:y", "x:99999"]
)
def test_no_host_header_lets_anybody_in(stranger: Stranger, host: str) -> None:
    for path in ("/api/standings", "/api/prints", "/desk"):
        answer = stranger().get(path, headers={"Host": host})
        assert answer.status_code == 400 and "default-src" in str(answer.headers), path


@pytest.mark.parametrize("code", ["", "NONSENSE", JOIN[:-1], "é" * 8])
def test_a_wrong_code_lets_nobody_in(stranger: Stranger, code: str) -> None:
    client = stranger()
    answer = client.post(
        "/join",
        data={"code": code, "name": "Ada"},
        headers={"Origin": str(client.base_url).rstrip("/")},
    )
    assert answer.status_code == 403
    assert f'value="{code}"' in answer.text and 'value="Ada"' in answer.text, "to be put right"
    assert not client.cookies


def test_the_form_lets_in_with_a_name(stranger: Stranger) -> None:
    client = stranger()
    client.post("/join", data={"code": JOIN.lower(), "name": "Ada\n"})
    said = client.get("/api/session").json()
    assert (said["role"], said["who"]) == ("player", "Ada")
    assert stranger().post("/join", data={"code": DESK}).headers["location"] == "/desk"
    many = {"code": JOIN, **{f"field{n}": "1" for n in range(20)}}
    assert stranger().post("/join", data=many).status_code == 303


def test_what_people_write_is_text_on_the_page(store: Store) -> None:
    evil = "<script>alert(1)"
    with serving(store, replace(settings(), event=evil)) as page, page.client() as client:
        link = client.get(f"/j/{quote(evil)}", params={"game": evil})
        wrong = client.post("/join", data=dict.fromkeys(("code", "name", "game"), evil))
        client.post("/join", data={"code": JOIN, "name": evil})
        assert client.get("/api/session").json()["who"] == evil
        for answer in (link, wrong, client.get("/"), client.get("/standings")):
            assert "<title>" in answer.text and "<script>" not in answer.text


def test_a_new_role_is_a_new_session_out_of_reach(login: Login) -> None:
    client = login(JOIN)
    before = client.get("/api/session").json()["csrf"]
    joined = client.post("/join", data={"code": DESK}, headers={"X-CSRF-Token": ""})
    after = client.get("/api/session").json()
    assert after["role"] == "desk" and after["csrf"] != before
    cookie = joined.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie


def test_a_link_changes_nothing_before_somebody_says_so(stranger: Stranger) -> None:
    client = stranger()
    answer = client.get(f"/j/{DESK}")
    assert answer.status_code == 200
    assert f'value="{DESK}"' in answer.text
    assert "set-cookie" not in answer.headers
    assert client.get("/api/session").status_code == 401


def test_forged_and_old_cookies_are_no_sessions() -> None:
    given = settings()
    session = sessions.new_session("desk", "Ada")
    sealed = sessions.sign(session, given)
    assert sessions.verify(sealed, given) == session
    body, mark = sealed.split(".")
    for forged in ("", ".", body, f"{body}.", f"x{body}.{mark}", f"{body}.{mark[:-1]}0ä"):
        assert sessions.verify(forged, given) is None
    old = sessions.Session("a", "desk", "", int(time.time()) - 1)
    assert sessions.verify(sessions.sign(old, given), given) is None


@pytest.mark.parametrize(
    ("changed", "desk", "player"),
    [
        ({"secret": b"another"}, False, False),
        ({"event": "another"}, False, False),
        ({"join_code": "ANOTHERONE"}, True, False),
        ({"desk_code": "ANOTHERONE"}, False, True),
    ],
)
def test_a_session_lasts_as_long_as_its_event_and_code(
    changed: dict[str, Any], desk: bool, player: bool
) -> None:
    now = replace(settings(), **changed)
    new = sessions.new_session
    for session, lasts in ((new("desk", ""), desk), (new("player", ""), player)):
        sealed = sessions.sign(session, settings())
        assert (sessions.verify(sealed, now) is not None) is lasts


def test_who_leaves_is_out_wherever_the_cookie_lies(login: Login, stranger: Stranger) -> None:
    client, thief = login(JOIN), stranger()
    thief.cookies.update(client.cookies)
    assert thief.get("/api/session").status_code == 200
    assert client.post("/api/leave").status_code == 204
    assert not client.cookies
    assert client.get("/api/session").status_code == 401
    assert thief.get("/api/session").status_code == 401


def test_who_has_left_is_known_after_a_restart(tmp_path: Path) -> None:
    session, other = (sessions.new_session("desk", "") for _ in "ab")
    with open_store(str(tmp_path / "s.sqlite")) as store:
        sessions.RevokedSessions(store).add(session)
        left = sessions.RevokedSessions(store)
        assert session in left
        assert other not in left


def test_only_a_named_proxy_is_believed(store: Store) -> None:
    wrong = {"Authorization": "Bearer WRONGONE"}
    https = {"X-Forwarded-Proto": "https"}
    for proxy, through in ((None, False), ("127.0.0.1", True)):
        with serving(store, settings(proxy=proxy)) as page, page.client() as client:
            answer = client.get("/join", headers=https)
            assert ("strict-transport-security" in answer.headers) is through
            headers = https | {"X-Forwarded-Host": "club.example", "X-Forwarded-For": "10.0.1.1"}
            headers["Origin"] = "https://club.example"
            joined = client.post("/join", data={"code": JOIN}, headers=headers)
            assert joined.status_code == (303 if through else 403)
            if through:
                assert "secure" in joined.headers["set-cookie"].lower()
            codes = [
                httpx.get(
                    f"{page.address}/api/session",
                    headers=wrong | {"X-Forwarded-For": f"10.0.0.{n}"},
                )
                for n in range(25)
            ]
            assert all(answer.status_code == 401 for answer in codes) is through


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("club.example", "https://club.example", True),
        ("club.example:443", "https://club.example", True),
        ("club.example", "https://club.example:443", True),
        ("club.example:80", "https://club.example", False),
        ("club.example:8000", "http://club.example:8000", True),
        ("club.example:8000", "http://club.example", False),
        ("[::1]:8000", "http://[::1]:8000", True),
        ("club.example", "null", False),
        ("club.example", "https://[::1", False),
        ("", "https://", False),
    ],
)
def test_a_host_is_the_same_with_its_schemes_port_or_without(
    host: str, origin: str, own: bool
) -> None:
    headers = [(b"host", host.encode())]
    assert is_own(origin, Request({"type": "http", "headers": headers})) is own


def behind_proxy(client: str, header: bytes, value: str) -> Any:
    """The scope of a request to /join as it reaches the page; client: who sends it."""
    scopes: list[Any] = []

    async def app(scope: Any, *_: object) -> None:
        scopes.append(scope)

    headers = [(header, value.encode())]
    scope = {"type": "http", "path": "/join", "client": (client, 1), "headers": headers}
    asyncio.run(Proxy(app, "10.0.0.2, 10.1.0.0/16")(scope, None, None))
    return scopes[0]


def test_addresses_behind_a_proxy_are_those_that_it_saw() -> None:
    sent = "1.2.3.4", "6.6.6.6, 1.2.3.4", "6.6.6.6, 1.2.3.4, 10.1.2.3", "10.1.9.9", ""
    clients = [behind_proxy("10.0.0.2", b"x-forwarded-for", s)["client"][0] for s in sent]
    assert clients == ["1.2.3.4"] * 3 + ["10.1.9.9", "10.0.0.2"]


def test_the_prefix_that_a_named_proxy_says_counts() -> None:
    for client, path in (("10.0.0.2", "/cup/join"), ("10.0.0.3", "/join")):
        assert behind_proxy(client, b"x-forwarded-prefix", "/cup/")["path"] == path


def test_other_sites_change_nothing(login: Login, stranger: Stranger) -> None:
    client = login(JOIN)
    assert client.post("/api/photos", content=b"x").status_code == 201
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "0" * 64},
        {"X-CSRF-Token": login(JOIN).headers["X-CSRF-Token"]},
    ):
        answer = client.post("/api/photos", content=b"x", headers=headers)
        assert answer.status_code == 403, headers
    headers = {"Origin": "http://evil.example"}
    for client in (stranger(), login(JOIN)):
        joined = client.post("/join", data={"code": JOIN}, headers=headers)
        assert joined.status_code == 403 and "set-cookie" not in joined.headers


def test_every_answer_is_guarded(login: Login) -> None:
    for path in ("/", "/join", "/api/photos", "/nothing", "/static/x/y.js", "/openapi.json"):
        headers = login(JOIN).get(path).headers
        policy = headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= {*policy}
        assert {"script-src 'self'", "form-action 'self'"} <= {*policy}
        assert "unsafe" not in str(policy) and "http" not in str(policy)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "geolocation=(), microphone=()" in headers["permissions-policy"]
        assert headers["cache-control"].startswith("private, ")


def test_a_date_is_that_of_the_answer_not_of_its_request(
    login: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round's clock goes by it, and what waits for news is answered many seconds later."""
    monkeypatch.setattr("kdscan.web.middleware.formatdate", lambda usegmt: "now")
    assert login(JOIN).get("/api/standings").headers.get_list("date") == ["now"]


def test_a_bug_is_told_without_its_details_and_guarded_too(
    served: Served, login: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble() -> int:
        raise ZeroDivisionError("in /srv/kdscan")

    client = login(JOIN)
    monkeypatch.setattr(served.services.live, "event", stumble)
    answer = client.get("/api/standings?after=x&wait=1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "bug")
    assert "/srv" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"].startswith("private, ")


@pytest.mark.parametrize(
    ("headers", "here"),
    [
        ({"host": "127.0.0.1:8000"}, True),
        ({"host": "localhost"}, True),
        ({"host": "[::1]:80"}, True),
        ({"host": "evil.example"}, False),
        ({"host": "127.0.0.1.evil.example"}, False),
        ({"host": "localhost", "x-forwarded-for": "1.2.3.4"}, False),
        ({"host": "localhost", "forwarded": "for=1.2.3.4"}, False),
        ({"host": "localhost", "x-real-ip": "1.2.3.4"}, False),
        ({"host": "localhost", "via": "1.1 proxy"}, False),
        ({}, False),
    ],
)
def test_only_this_machine_by_its_own_names_needs_no_code(
    headers: dict[str, str], here: bool
) -> None:
    assert is_here(headers) is here


def test_a_page_for_this_machine_alone_needs_no_code_here(store: Store) -> None:
    with serving(store, settings(open_here=True)) as page, page.client() as client:
        said = client.get("/api/session").json()
        assert said["role"] == "desk"
        assert client.post("/api/photos", content=b"a program's").status_code == 201
        for elsewhere in ({"Host": "evil.example"}, {"X-Forwarded-For": "10.0.0.9"}):
            assert client.get("/api/session", headers=elsewhere).status_code == 401
        for sent in (
            {"Origin": page.address},
            {"Referer": page.address},
            {"Cookie": "a=b"},
            {"Sec-Fetch-Site": "same-origin"},
        ):
            answer = client.post("/api/photos", content=b"x", headers=sent)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_csrf_token")
            sent["X-CSRF-Token"] = said["csrf"]
            assert client.post("/api/photos", content=b"x", headers=sent).status_code == 201


SLOW = Rate(burst=20, per_second=1e-6)
"""Nothing comes back while a test runs, however slow the machine."""


def test_guessing_codes_is_slow(store: Store) -> None:
    bearer = {"Authorization": "Bearer WRONGONE"}
    with serving(store, settings(guesses=SLOW)) as page, page.client() as client:
        codes = [client.get("/api/session", headers=bearer).status_code for _ in range(25)]
        right = client.get("/api/session", headers={"Authorization": f"Bearer {JOIN}"})
    assert codes == [401] * 20 + [429] * 5
    assert right.status_code == 429  # or it would be worth while to go on guessing


def test_wrong_codes_count_and_right_ones_do_not(store: Store) -> None:
    with serving(store, settings(guesses=SLOW)) as page, page.client() as client:

        def come_in(code: str) -> int:
            client.cookies.clear()
            return client.post("/join", data={"code": code}).status_code

        assert [come_in(JOIN) for _ in range(30)] == [303] * 30
        assert [come_in("WRONGONE") for _ in range(25)] == [403] * 20 + [429] * 5
        assert come_in(JOIN) == 429


def test_who_asks_too_often_waits_and_nobody_else_does(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    still = SimpleNamespace(monotonic=lambda: 0.0, time=time.time)
    monkeypatch.setattr(sessions, "time", still)
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


def test_a_code_opens_no_sessions_without_end(store: Store) -> None:
    with serving(store, settings()) as page, page.client() as client:
        codes = []
        for _ in range(70):
            client.cookies.clear()
            codes.append(client.post("/join", data={"code": JOIN}).status_code)
    assert codes[:60] == [303] * 60 and 429 in codes[60:]
