"""A client without a code can neither block the page nor fill its log, with TLS and without."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import httpx
import ifaddr
import pytest
from starlette.requests import Request

from kdscan.errors import KdscanError, StoreError, StoreFull, UsageError
from kdscan.event.store import Store
from kdscan.web import server
from kdscan.web.addresses import own_certificate, reachable
from kdscan.web.app import _failed
from tests.command import Command
from tests.web.conftest import JOIN, Served, serving, settings


def connect(page: Served, data: bytes = b"GET / HTTP/1.1\r\nHost: ") -> socket.socket:
    """A connection with half a head."""
    host, port = page.address.split("//")[1].split(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.sendall(data)
    return connection


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(10)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_each_head_has_a_deadline(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.8)
    with connect(served) as connection:
        assert is_closed(connection)
    with connect(served) as connection:
        connection.sendall(b"x\r\n\r\n")  # behind a whole one the connection stays open
        assert connection.recv(10_000).startswith(b"HTTP/1.1 303")
        time.sleep(1)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(10_000).startswith(b"HTTP/1.1 303")
        connection.sendall(b"GET / HT")
        while connection.recv(10_000):  # what may be left of the answer
            pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return own_certificate(tmp_path_factory.mktemp("tls"), ["127.0.0.1"])


@pytest.fixture(scope="module")
def secure(store: Store, certificate: tuple[Path, Path]) -> Iterator[Served]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    with serving(store, settings(), context) as page:
        yield page


@pytest.fixture
def trust(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate[0]))


def test_the_page_is_served_with_its_own_certificate(secure: Served, trust: ssl.SSLContext) -> None:
    with httpx.Client(base_url=secure.address, verify=trust, timeout=30) as client:
        assert "Strict-Transport-Security" in client.get("/join").headers
        joined = client.post("/join", data={"code": JOIN})
        assert joined.status_code == 303 and "secure" in joined.headers["set-cookie"].lower()
        sent = {"X-CSRF-Token": client.get("/api/session").json()["csrf"]}
        answer = client.post("/api/photos", content=b"x" * 3_000_000, headers=sent)
        assert answer.status_code == 201
        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(lambda _: client.get("/health").status_code, range(60)))
        assert codes == [200] * 60


def test_half_open_connections_keep_nobody_out(
    served: Served, secure: Served, trust: ssl.SSLContext
) -> None:
    for page, data in ((served, b"GET / HTTP/1.1\r\nHost: "), (secure, b"\x16\x03\x01")):
        waiting = [connect(page, data) for _ in range(300)]
        for _ in range(5):
            assert httpx.get(f"{page.address}/health", verify=trust, timeout=10).status_code == 200
        assert page is secure or is_closed(waiting[0])  # those that waited longest made room
        for connection in waiting:
            connection.close()
    with connect(secure, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as connection:  # no handshake
        while connection.recv(1000):  # an alert, then the end
            pass


def test_the_head_behind_a_handshake_has_its_deadline(
    secure: Served, trust: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.0)
    with trust.wrap_socket(connect(secure, b""), server_hostname="127.0.0.1") as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert is_closed(connection)


def test_a_name_writes_no_line_of_its_own_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    error = UsageError("{name} plays already", name="Ada\nkdscan: all is well\x1b[2J")
    answer = asyncio.run(_failed(Request({"type": "http", "headers": []}), error))
    assert answer.status_code == 400
    (line,) = caplog.messages
    assert "all is well" in line
    assert "\n" not in line and "\x1b" not in line


@pytest.mark.parametrize(
    ("error", "status"), [(StoreError, 503), (StoreFull, 507), (UsageError, 400)]
)
def test_paths_of_this_machine_are_only_in_the_log(
    error: type[KdscanError], status: int, caplog: pytest.LogCaptureFixture
) -> None:
    answer = asyncio.run(
        _failed(Request({"type": "http", "headers": []}), error("{p}", p="/srv/photos"))
    )
    assert answer.status_code == status and b"/srv" not in answer.body
    assert "/srv/photos" in caplog.text


def test_who_waits_for_news_is_answered_when_the_server_ends(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"Authorization": f"Bearer {JOIN}"}
    with ThreadPoolExecutor(1) as pool, serving(store, settings()) as page:
        at = f"{page.address}/api/standings"
        state = httpx.get(at, headers=headers).json()["state"]
        waiting = threading.Event()
        look_up = page.services.live.version

        def version() -> int | None:
            waiting.set()
            return look_up()

        page.services.live.version = version  # type: ignore[method-assign]
        answer = pool.submit(httpx.get, f"{at}?after={state}&wait=25", headers=headers, timeout=30)
        assert waiting.wait(20)
    assert answer.result().json() == {"state": state}
    assert "graceful shutdown" not in caplog.text


def test_a_certificate_that_cannot_be_used_is_wrong_usage(tmp_path: Path, run: Command) -> None:
    for name in ("a.pem", "b.pem"):
        (tmp_path / name).write_text("no certificate")
    words = ["serve", "--certificate", str(tmp_path / "a.pem"), "--key", str(tmp_path / "b.pem")]
    text = run(*words, "--store", tmp_path / "s.sqlite", code=2).err
    assert "it does not work with that key" in text
    assert not (tmp_path / "s.sqlite").exists()


@pytest.mark.parametrize("proxy", ["localhost", "10.0.0.2:8000", "10.0.0.5/8", "*", ""])
def test_a_proxy_that_nobody_can_be_is_wrong_usage(
    proxy: str, tmp_path: Path, run: Command
) -> None:
    text = run("serve", "--proxy", proxy, "--store", tmp_path / "s.sqlite", code=2).err
    assert "like 10.0.0.2" in text
    assert not (tmp_path / "s.sqlite").exists()


def adapter(name: str, *addresses: str) -> SimpleNamespace:
    ips = [SimpleNamespace(ip=address, is_IPv4=":" not in address) for address in addresses]
    return SimpleNamespace(nice_name=name, ips=ips)


def test_addresses_of_home_networks_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = [
        adapter("lo", "127.0.0.1"),
        adapter("docker0", "172.17.0.1"),
        adapter("tun0", "10.8.0.2"),
        adapter("wlan0", "fe80::1", "169.254.3.4", "192.168.50.1"),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    assert reachable("0.0.0.0") == ["192.168.50.1", "10.8.0.2", "172.17.0.1"]
    assert reachable("192.168.1.5") == ["192.168.1.5"]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters[:1])
    assert reachable("0.0.0.0") == []


def test_a_certificate_is_kept_as_long_as_it_names_every_address(tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path, ["localhost", "192.168.50.1"])
    first = certificate.read_bytes()
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    own_certificate(tmp_path, ["192.168.50.1"])
    assert certificate.read_bytes() == first
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="this folder cannot be written"):
        own_certificate(tmp_path / "file" / "https", ["localhost"])
    own_certificate(tmp_path, ["192.168.50.1", "10.8.0.2"])
    assert certificate.read_bytes() != first
    assert key.stat().st_mode & 0o077 == 0
