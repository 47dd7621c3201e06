"""From the terminal to a phone's home screen: QR code, manifest, texts."""

from __future__ import annotations

import io
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import httpx
import numpy as np
import pytest
from PIL import Image

from kdscan.cli.serve import greet
from kdscan.event.events import find_row
from kdscan.event.prints import EventPrints
from kdscan.event.store import open_store
from kdscan.i18n import words
from kdscan.web.pages import static_url, static_version
from kdscan.web.sessions import Settings
from tests.command import Command
from tests.web.conftest import DESK, JOIN, settings


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def qr_text(printed: str) -> str:
    """What a phone sees in a terminal with light letters on dark ground."""
    halves = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
    lines = [line for line in printed.splitlines() if line and set(line) <= set(halves)]
    wide = max(map(len, lines))
    rows = [[halves[c][half] for c in f"{line:{wide}}"] for line in lines for half in (0, 1)]
    light = np.kron(np.array(rows), np.full((8, 8), 255)).astype(np.uint8)
    found, _, _ = cv2.QRCodeDetector().detectAndDecode(light)
    return str(found)


def test_the_terminal_shows_a_qr_code_that_lets_a_phone_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "uk")
    shown = Terminal()
    monkeypatch.setattr("sys.stdout", shown)
    address = "http://192.168.50.1:8000"
    greet([address], "http://127.0.0.1:8000", settings(), own=False)
    said = re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue())
    assert qr_text(said) == f"{address}/j/{JOIN}"
    *_, players, desk = said.splitlines()
    assert f"{address}/j/{JOIN}" in players and JOIN in players.split("/j/")[1]
    assert f"{address}/j/{DESK}" in desk and words("uk").t("desk:") in desk


def words_to_serve(store: Path, *more: str) -> list[str]:
    return ["serve", "--port", "0", "--workers", "1", "--store", str(store), *more]


HERE = ("--host", "127.0.0.1")


def test_the_command_serves_until_ctrl_c(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "kdscan", *words_to_serve(tmp_path / "cup", *HERE)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stdout is not None
        address = command.stdout.readline().split()[0]
        assert httpx.get(f"{address}api/session", timeout=60).json()["role"] == "desk"
        command.send_signal(signal.SIGINT)
        assert command.communicate(timeout=60) == ("", "kdscan: interrupted\n")
    assert command.returncode == 130


@pytest.mark.parametrize(
    ("words", "open_here", "code"),
    [
        (HERE, True, None),
        ((*HERE, "--code", "Club26"), False, "CLUB26"),
        (("--host", "0.0.0.0"), False, None),
    ],
)
def test_a_page_needs_no_code_only_where_nobody_else_gets(
    words: tuple[str, ...],
    open_here: bool,
    code: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Command,
) -> None:
    served: list[Settings] = []

    async def serve(_: object, given: Settings, listening: socket.socket, *__: object) -> None:
        served.append(given)
        listening.close()

    monkeypatch.setattr("kdscan.cli.serve.run", serve)
    more = ("--event", "Cup", "--no-learn", "--proxy", "10.0.0.2", "--root-path", "kdscan/")
    told = run(*words_to_serve(tmp_path / "cup", *more, *words)).out
    run(*words_to_serve(tmp_path / "cup", *more, *words))
    given, after_a_restart = served
    assert given == after_a_restart
    assert (given.open_here, given.event, given.proxy) == (open_here, "Cup", "10.0.0.2")
    assert code in (None, given.join_code)
    assert given.root_path == "/kdscan" and "/kdscan/" in told
    codes = {given.join_code, given.desk_code}
    assert len(codes) == 2 and all((one in told) is not open_here for one in codes)
    with open_store(str(tmp_path / "cup"), make=False) as store:
        with store.read() as db:
            event = find_row(db, "Cup")
        assert not EventPrints(store, event.id).learns()


@pytest.mark.parametrize("code", ["short", "two words", "ÀÀÀÀÀÀ", "x" * 41, ""])
def test_a_code_that_cannot_be_typed_or_is_easily_guessed_is_wrong_usage(
    code: str, tmp_path: Path, run: Command
) -> None:
    said = run(*words_to_serve(tmp_path / "cup", "--code", code), code=2).err
    assert "6 to 40 letters and digits" in said
    assert not (tmp_path / "cup").exists()


def test_a_phone_can_install_the_page(player: httpx.Client) -> None:
    page = player.get("/").text
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    answer = player.get("/manifest.webmanifest")
    said: dict[str, Any] = answer.json()
    assert said["display"] == "standalone" and said["start_url"] == said["scope"] == "/"
    assert said["name"] and said["short_name"]
    sizes = set()
    for icon in said["icons"]:
        picture = player.get(icon["src"])
        assert picture.status_code == 200
        if icon["type"] == "image/png":
            width, height = Image.open(io.BytesIO(picture.content)).size
            assert icon["sizes"] == f"{width}x{height}"
            sizes.add(width)
    assert {192, 512} <= sizes
    worker = player.get("/sw.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    for path in re.findall(r'"(/static/[^"]+)"', worker.text):
        assert player.get(path).status_code == 200, "kept for reading offline"


def test_only_the_files_of_the_page_are_served(stranger: Callable[[], httpx.Client]) -> None:
    client, script = stranger(), static_url("js/main.js")
    assert client.get(script).status_code == 200
    assert client.get(script.replace(static_version(), "0" * 12)).status_code == 404
    for name in ("sw.js", "%2e%2e/pages.py", "%2fetc/passwd", "js", ""):
        assert client.get(static_url(name)).status_code == 404, name


def test_the_language_is_switched_on_the_page(stranger: Callable[[], httpx.Client]) -> None:
    client = stranger()
    assert "Sign in" in client.get("/join").text
    answer = client.get("/language/pl", headers={"referer": f"{client.base_url}/join"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/join")
    assert 'lang="pl"' in client.get("/join").text and "Sign in" not in client.get("/join").text
    asked = f"{client.base_url}/j/CODE?game=ABCDEFGH"
    answer = client.get("/language/pl", headers={"referer": asked})
    assert answer.headers["location"] == "/j/CODE?game=ABCDEFGH"
    for other in ("https://evil.example/x", f"{client.base_url}//evil.example/x", "http://[::1"):
        elsewhere = client.get("/language/fr", headers={"referer": other})
        assert urlsplit(elsewhere.headers["location"]).netloc == ""
    assert client.get("/language/xx").status_code == 404
