"""A client without a code can neither block the page nor fill the disk."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request

from kdscan.cli.serve import _listen
from kdscan.errors import KdscanError, StoreError, StoreFull, UsageError
from kdscan.event.store import Store
from kdscan.web import connections, reader
from kdscan.web.app import _kdscan_error
from kdscan.web.connections import OnceAMinute, Waiting
from tests.command import Command
from tests.web.conftest import DESK, JOIN, Login, Served, act, send, serving, settings


def stalled(page: Served, count: int) -> list[socket.socket]:
    """Connections with half a head."""
    host, port = page.address.removeprefix("http://").split(":")
    found = []
    for _ in range(count):
        one = socket.create_connection((host, int(port)), timeout=10)
        one.sendall(b"GET / HTTP/1.1\r\nHost: ")
        found.append(one)
    return found


def is_closed(one: socket.socket) -> bool:
    one.settimeout(10)
    try:
        return one.recv(1) == b""
    except ConnectionError:
        return True


def test_no_answer_waits_for_its_head_to_be_confirmed(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each took 40 ms longer on a connection that stayed open."""
    made, at_once = connections.Protocol.connection_made, []

    def watched(self: connections.Protocol, transport: asyncio.Transport) -> None:
        made(self, transport)
        own = transport.get_extra_info("socket")
        at_once.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(connections.Protocol, "connection_made", watched)
    httpx.get(f"{served.address}/health", timeout=60)
    assert len(at_once) == 1 and at_once[0]


def test_heads_that_never_end_keep_nobody_out(served: Served, login: Login) -> None:
    client = login(JOIN)
    held = stalled(served, 300)
    try:
        for _ in range(5):
            start = time.monotonic()
            assert client.get("/api/session").status_code == 200
            assert httpx.get(f"{served.address}/join", timeout=5).status_code == 200
            assert time.monotonic() - start < 4
        assert is_closed(held[0])  # those that waited longest made room
    finally:
        for one in held:
            one.close()


def test_a_head_has_its_time(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.8)
    (one,) = stalled(served, 1)
    with one:
        assert is_closed(one)
    (one,) = stalled(served, 1)
    with one:
        one.sendall(b"x\r\n\r\n")  # behind a whole one the connection stays open
        assert one.recv(10_000).startswith(b"HTTP/1.1 303")
        time.sleep(1)
        one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert one.recv(10_000).startswith(b"HTTP/1.1 303")


def test_a_head_may_come_in_pieces(served: Served) -> None:
    (one,) = stalled(served, 1)
    with one:
        time.sleep(0.1)
        one.sendall(b"x\r\n\r\n")
        assert one.recv(100).startswith(b"HTTP/1.1 303")


def test_a_second_head_on_a_connection_has_its_time_too(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    host, port = served.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as one:
        one.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert one.recv(10_000).startswith(b"HTTP/1.1 200")
        one.sendall(b"GET / HT")
        while one.recv(10_000):  # what may be left of the answer
            pass


def test_only_so_many_connections_are_open_at_a_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(store, settings()) as page:
        monkeypatch.setattr(connections.Protocol, "most_open", 2)
        first, second = stalled(page, 2)
        with first, second:
            with socket.create_connection(first.getpeername(), timeout=10) as third:
                assert is_closed(third)
            for one in (first, second):
                one.sendall(b"x\r\n\r\n")
                assert one.recv(100).startswith(b"HTTP/1.1 303")


class Socket:
    """As much of a protocol as `Waiting` needs."""

    def __init__(self) -> None:
        self.transport = self
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_one_address_makes_room_for_its_own() -> None:
    waiting = Waiting(most=8)
    others, mine = [Socket() for _ in range(6)], [Socket() for _ in range(5)]
    for n, one in enumerate(others):
        waiting.add(one, f"10.0.0.{n}")  # type: ignore[arg-type]
    for one in mine:
        waiting.add(one, "10.0.0.99")  # type: ignore[arg-type]
    assert not any(one.aborted for one in others)
    assert [one.aborted for one in mine] == [True, True, True, False, False]


def test_what_repeats_is_logged_once_a_minute() -> None:
    quiet = OnceAMinute(seconds=0.2)
    record = logging.LogRecord("x", logging.ERROR, "", 0, "again %s", ("a",), None)
    assert [quiet.filter(record) for _ in range(100)] == [True] + [False] * 99
    assert quiet.filter(logging.LogRecord("x", logging.ERROR, "", 0, "other", (), None))
    time.sleep(0.25)
    assert quiet.filter(record)
    assert record.getMessage() == "again a (and 99 times more)"


def test_a_name_writes_no_line_of_its_own_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    error = UsageError("{name} plays already", name="Ada\nkdscan: all is well\x1b[2J")
    answer = asyncio.run(_kdscan_error(Request({"type": "http"}), error))
    assert answer.status_code == 400
    (said,) = caplog.messages
    assert "all is well" in said
    assert "\n" not in said and "\x1b" not in said


@pytest.mark.parametrize(
    ("error", "status"), [(StoreError, 503), (StoreFull, 507), (UsageError, 400)]
)
def test_what_an_error_says_of_this_machine_is_for_the_log(
    error: type[KdscanError], status: int, caplog: pytest.LogCaptureFixture
) -> None:
    answer = asyncio.run(_kdscan_error(Request({"type": "http"}), error("{p}", p="/srv/photos")))
    assert answer.status_code == status and b"/srv" not in answer.body
    assert "/srv/photos" in caplog.text


def test_who_waits_for_news_is_answered_when_the_server_ends(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"Authorization": f"Bearer {JOIN}"}
    with ThreadPoolExecutor(1) as pool, serving(store, settings()) as page:
        at = f"{page.address}/api/standings"
        state = httpx.get(at, headers=headers).json()["state"]
        asked = threading.Event()
        looked = page.services.live.version

        def look() -> int:
            asked.set()
            return looked()

        page.services.live.version = look  # type: ignore[method-assign]
        waits = pool.submit(httpx.get, f"{at}?after={state}&wait=25", headers=headers, timeout=30)
        assert asked.wait(20)
    assert waits.result().json()["state"] == state
    assert "graceful shutdown" not in caplog.text


def test_a_photo_waits_until_the_store_has_room_again(
    served: Served, login: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "AGAIN_SECONDS", 0.2)
    kept, refusals = served.services.reader._finished, [StoreFull("disk full")] * 2

    def finished(*said: object) -> None:
        if refusals:
            raise refusals.pop()
        kept(*said)  # type: ignore[arg-type]

    monkeypatch.setattr(served.services.reader, "_finished", finished)
    photo = send(login(JOIN), "03.jpg")
    assert photo["state"] == "read"
    assert refusals == []


def test_the_same_bytes_give_no_say_over_the_first_ones_corrections(login: Login) -> None:
    first, second = login(JOIN), login(JOIN)
    photo = send(first, "01.jpg")
    sheet = photo["sheets"][0]["id"]
    assert photo["can_correct"] and not send(second, "01.jpg")["can_correct"]
    assert login(DESK).get(f"/api/photos/{photo['id']}").json()["can_correct"]
    said = {"sheet": sheet, "cell": [0, 0], "coat": "dot", "crosses": 1}
    answer = act(second, "correct_shield", **said)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "desk_only")
    done = act(first, "correct_shield", **said)
    assert done.status_code == 200
    assert act(second, "undo", action=done.json()["actions"][0]).status_code == 403
    assert act(second, "assign_sheet", sheet=sheet, player="Bo").status_code == 403
    assert second.post(f"/api/photos/{photo['id']}/again", json={}).status_code == 403
    assert second.get(f"/api/sheets/{sheet}").status_code == 200


def test_a_certificate_that_cannot_be_used_is_wrong_usage(tmp_path: Path, run: Command) -> None:
    for name in ("a.pem", "b.pem"):
        (tmp_path / name).write_text("no certificate")
    words = ["serve", "--certificate", str(tmp_path / "a.pem"), "--key", str(tmp_path / "b.pem")]
    said = run(*words, "--store", tmp_path / "s.sqlite", code=2).err
    assert "it does not work with that key" in said
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize("proxy", ["localhost", "10.0.0.2:8000", "10.0.0.5/8", "*", ""])
def test_a_proxy_that_nobody_can_be_is_wrong_usage(
    proxy: str, tmp_path: Path, run: Command
) -> None:
    said = run("serve", "--proxy", proxy, "--store", tmp_path / "s.sqlite", code=2).err
    assert "like 10.0.0.2" in said
    assert not (tmp_path / "s.sqlite").exists()


def test_a_restarted_page_gets_its_port_back_at_once() -> None:
    with _listen("127.0.0.1", 0) as before:
        port = before.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            before.accept()[0].close()  # the system keeps the port for a minute
            assert client.recv(1) == b""
    _listen("127.0.0.1", port).close()


def test_where_one_cannot_listen_another_address_is_named_too(run: Command) -> None:
    assert "or an address of this machine" in run("serve", "--host", "192.0.2.77", code=2).err
