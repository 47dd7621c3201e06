"""Who is admitted, and from where."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from kdscan.event.store import Store, open_store
from kdscan.web import sessions
from kdscan.web.middleware import is_here
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
    with (
        serving(store, replace(settings(), event=evil)) as page,
        httpx.Client(base_url=page.address) as client,
    ):
        link = client.get(f"/j/{quote(evil)}", params={"game": evil})
        wrong = client.post("/join", data=dict.fromkeys(("code", "name", "game"), evil))
        client.post("/join", data={"code": JOIN, "name": evil})
        assert client.get("/api/session").json()["who"] == evil
        for answer in (link, wrong, client.get("/"), client.get("/standings")):
            assert "<title>" in answer.text and "<script>" not in answer.text


def test_corrections_bear_a_persons_name_or_else_the_role() -> None:
    assert sessions.new_session("player", "Ada").name == "Ada"
    assert sessions.new_session("desk", "").name == "desk"


def test_coming_in_again_keeps_what_is_ones_own(login: Login) -> None:
    client = login(JOIN)
    before = client.get("/api/session").json()["csrf"]
    for name, known_as in (("Ada", "Ada"), ("", "Ada"), ("Bea", "Bea")):
        said = {"code": JOIN, "name": name}
        client.post("/join", data=said, headers={"X-CSRF-Token": ""})  # a form has none
        now = client.get("/api/session").json()
        assert (now["csrf"], now["who"]) == (before, known_as)


def test_a_new_role_is_a_new_session(login: Login) -> None:
    client = login(JOIN)
    before = client.get("/api/session").json()["csrf"]
    client.post("/join", data={"code": DESK}, headers={"X-CSRF-Token": ""})
    after = client.get("/api/session").json()
    assert after["role"] == "desk"
    assert after["csrf"] != before


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
    for role, lasts in ((sessions.ROLES[1], desk), (sessions.ROLES[0], player)):
        sealed = sessions.sign(sessions.new_session(role, ""), settings())
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


def test_one_leaves_two_pages_of_one_store(store: Store) -> None:
    session = sessions.new_session("desk", "")
    here, there = (sessions.RevokedSessions(store) for _ in "ab")
    here.add(session)
    there.add(session)
    assert session in here and session in there


def test_nobody_says_for_whom_he_asks_but_the_proxy_that_was_named(store: Store) -> None:
    wrong = {"Authorization": "Bearer WRONGONE"}
    https = {"X-Forwarded-Proto": "https"}
    for proxy, through in ((None, False), ("127.0.0.1", True)):
        with (
            serving(store, settings(proxy=proxy)) as page,
            httpx.Client(base_url=page.address) as client,
        ):
            codes = [
                client.get("/api/session", headers=wrong | {"X-Forwarded-For": f"10.0.0.{n}"})
                for n in range(25)
            ]
            assert all(answer.status_code == 401 for answer in codes) is through
            answer = client.get("/join", headers=https)
            assert ("strict-transport-security" in answer.headers) is through
            if through:
                joined = client.post("/join", data={"code": JOIN}, headers=https)
                assert "secure" in joined.headers["set-cookie"].lower()


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
    monkeypatch.setattr(served.services.live, "version", stumble)
    answer = client.get("/api/standings?after=x&wait=1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "bug")
    assert "/srv" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"].startswith("private, ")


def test_cookies_are_out_of_reach(stranger: Stranger) -> None:
    client = stranger()
    cookie = client.post("/join", data={"code": JOIN}).headers["set-cookie"].lower()
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
    with (
        serving(store, settings(open_here=True)) as page,
        httpx.Client(base_url=page.address) as client,
    ):
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
