"""The page with a certificate: a client that never finishes its handshake blocks nothing."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from kdscan.event.store import Store
from kdscan.web import connections
from tests.web.conftest import JOIN, Served, serving, settings
from tests.web.test_connections import is_closed

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    paths = folder / "certificate.pem", folder / "key.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    words += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    words += ["-out", str(paths[0]), "-keyout", str(paths[1])]
    subprocess.run(words, check=True, capture_output=True)
    return paths


def encryption(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    return context


@pytest.fixture(scope="module")
def secure(store: Store, certificate: tuple[Path, Path]) -> Iterator[Served]:
    with serving(store, settings(), encryption(certificate)) as page:
        yield page


@pytest.fixture
def client(secure: Served, certificate: tuple[Path, Path]) -> Iterator[httpx.Client]:
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    with httpx.Client(base_url=secure.address, verify=trust, timeout=30) as one:
        yield one


def plain(page: Served, said: bytes = b"") -> socket.socket:
    host, port = page.address.removeprefix("https://").split(":")
    one = socket.create_connection((host, int(port)), timeout=10)
    one.sendall(said)
    return one


def test_the_page_is_served_encrypted(client: httpx.Client) -> None:
    answer = client.get("/join")
    assert answer.status_code == 200
    assert "Strict-Transport-Security" in answer.headers
    joined = client.post("/join", data={"code": JOIN})
    assert joined.status_code == 303 and "secure" in joined.headers["set-cookie"].lower()
    assert client.get("/api/session").json()["role"] == "player"
    sent = {"X-CSRF-Token": client.get("/api/session").json()["csrf"]}
    assert client.post("/api/photos", content=b"x" * 3_000_000, headers=sent).status_code == 201


def test_many_connections_at_once(client: httpx.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda _: client.get("/health").status_code, range(60)))
    assert codes == [200] * 60


def test_a_handshake_that_never_ends_has_its_time(
    secure: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    for said in (b"", b"\x16\x03\x01", b"\x16\x03\x01\x02\x00\x01\x00"):
        with plain(secure, said) as one:
            assert is_closed(one)
    assert client.get("/health").status_code == 200


def test_what_is_no_handshake_is_closed_at_once(secure: Served) -> None:
    with plain(secure, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as one:
        one.settimeout(5)
        while one.recv(1000):  # an alert, then the end
            pass


def test_handshakes_that_never_end_keep_nobody_out(
    secure: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 600.0)  # longer than the client waits
    held = [plain(secure, b"\x16\x03\x01") for _ in range(300)]
    try:
        for _ in range(5):
            assert client.get("/health", headers={"Connection": "close"}).status_code == 200
        assert is_closed(held[0])  # those that waited longest made room
    finally:
        for one in held:
            one.close()


def test_of_handshakes_only_so_many_are_open_and_none_outlives_the_page(
    store: Store, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(store, settings(), encryption(certificate)) as page:
        monkeypatch.setattr(connections.Protocol, "most_open", 2)
        held = [plain(page), plain(page)]
        start = time.monotonic()
        with plain(page) as third:
            assert is_closed(third)
    assert time.monotonic() - start < 5
    for one in held:
        assert is_closed(one)
        one.close()


def test_the_head_behind_a_handshake_has_its_time(
    secure: Served, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    with trust.wrap_socket(plain(secure), server_hostname="127.0.0.1") as one:
        one.sendall(b"GET / HTTP/1.1\r\n")
        one.settimeout(10)
        assert one.recv(1) == b""
