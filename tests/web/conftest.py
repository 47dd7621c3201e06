"""A running page: in this process for most tests, in a separate one for browsers."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from starlette.applications import Starlette

from kdscan.cli.serve import _listen
from kdscan.document import PhotoReport, photo_json
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import add_reading, get_photo, set_pages
from kdscan.sheets.base import AnyReading, serialize
from kdscan.web import app
from kdscan.web.app import make_app
from kdscan.web.requests import Services
from kdscan.web.server import Server
from kdscan.web.sessions import Settings, new_session
from kdscan.web.tasks import prepare
from kdscan.web.uploads import add_upload
from kdscan.workers.pool import Limits, Pool

SAMPLES = Path(__file__).parent.parent.parent / "samples"

JOIN, DESK = "JOINCODE", "DESKCODE"
PATIENT = Limits(seconds=180)
"""On a busy machine a photo takes longer than people would wait."""


def settings(**more: Any) -> Settings:
    return Settings(
        event="Spring cup",
        secret=b"secret of the tests",
        join_code=JOIN,
        desk_code=DESK,
        workers=1,
        **{"limits": PATIENT} | more,
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("store") / "club.sqlite")) as opened:
        yield opened


@dataclass(frozen=True)
class Served:
    """A page that is served: its address, and what it is made of."""

    address: str
    app: Starlette

    @property
    def services(self) -> Services:
        services: Services = self.app.state.services
        return services

    def client(self, code: str = "") -> httpx.Client:
        """Somebody who asks, with a code as a bearer or without."""
        headers = {"Authorization": f"Bearer {code}"} if code else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=180)

    @contextmanager
    def workers_asleep(self) -> Iterator[list[int]]:
        """Nothing is read meanwhile; gives the workers' process ids."""
        pool = self.services.pool
        pool.start()
        pids = pool.pids
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield pids
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


@contextmanager
def serving(
    store: Store, given: Settings, tls: ssl.SSLContext | None = None, *, workers_first: bool = False
) -> Iterator[Served]:
    """The page as it is served, in a thread; tls: for https.

    workers_first: they start with the page, as they do for people; else with the first photo,
    because many tests send none.
    """
    listening = _listen("127.0.0.1", 0)
    made = make_app(store, given)
    server = Server(made, tls)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    scheme = "https" if tls else "http"
    address = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
    try:
        with pytest.MonkeyPatch.context() as patch:
            if not workers_first:
                patch.setattr(Pool, "start", lambda _: None)
            thread.start()
            httpx.get(f"{address}/health", timeout=60, verify=False).raise_for_status()
        yield Served(address, made)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture(scope="session")
def workers() -> Iterator[Pool]:
    """Workers of all modules' pages: to start one takes seconds."""
    with Pool(1, PATIENT, prepare) as pool:
        yield pool


@pytest.fixture(scope="module")
def served(store: Store, workers: Pool) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(workers, "close", lambda: None)
        with pytest.MonkeyPatch.context() as start:
            start.setattr(app, "Pool", lambda *_: workers)
            page = stack.enter_context(serving(store, settings()))
        yield page


@pytest.fixture(scope="module")
def address(served: Served) -> str:
    return served.address


Login = Callable[[str], httpx.Client]


@pytest.fixture(scope="module")
def stranger(address: str) -> Iterator[Callable[[], httpx.Client]]:
    """Somebody who has not come in yet."""
    clients: list[httpx.Client] = []

    def come() -> httpx.Client:
        clients.append(httpx.Client(base_url=address, timeout=180))
        return clients[-1]

    yield come
    for client in clients:
        client.close()


@pytest.fixture(scope="module")
def login(stranger: Callable[[], httpx.Client]) -> Login:
    """A browser that came in with a code, ready to change things."""

    def come_in(code: str) -> httpx.Client:
        client = stranger()
        assert client.post("/join", data={"code": code}).status_code == 303
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        return client

    return come_in


@pytest.fixture(scope="module")
def player(login: Login) -> httpx.Client:
    return login(JOIN)


@pytest.fixture(scope="module")
def desk(login: Login) -> httpx.Client:
    return login(DESK)


def act(client: httpx.Client, kind: str, want: str = "sheet", **fields: Any) -> httpx.Response:
    """Do something in the event; want: what the answer brings."""
    return client.post("/api/actions", json={"actions": [{"type": kind, **fields}], "want": want})


def sheet_after(client: httpx.Client, kind: str, **fields: Any) -> dict[str, Any]:
    """The sheet after something was done to it."""
    answer = act(client, kind, **fields)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["sheet"]
    return found


def undone(client: httpx.Client, sheet: dict[str, Any]) -> dict[str, Any]:
    """The sheet after its last decision was undone."""
    last = [one for one in sheet["corrections"] if not one["undone"]][-1]
    return sheet_after(client, "undo", action=last["id"])


def send(client: httpx.Client, name: str) -> dict[str, Any]:
    """Upload a sample and wait until it was read."""
    answer = client.post(f"/api/photos?name={name}", content=(SAMPLES / name).read_bytes())
    assert answer.status_code == 201, answer.text
    return awaited(client, answer.json()["id"])


def awaited(client: httpx.Client, photo: int) -> dict[str, Any]:
    """A photo when it was read, however busy the machine is."""
    found: dict[str, Any] = {"state": "waiting"}
    while found["state"] == "waiting":
        found = client.get(f"/api/photos/{photo}?wait=25").json()
    return found


def lay(served: Served, store: Store, *found: AnyReading) -> int:
    """A photo of which somebody read this; returns its number. The desk may see it."""
    size_wh = (900, 700)
    rng = np.random.default_rng(len(found))
    picture = rng.integers(120, 220, (size_wh[1], size_wh[0], 3), np.uint8)
    data = cv2.imencode(".png", picture)[1].tobytes() + str(os.urandom(8)).encode()
    event_id = served.services.live.id
    session = new_session("desk", "test")
    photo_id, _ = add_upload(store, event_id, data, "table.png", session)
    entry = photo_json(PhotoReport("table.png", size_wh=size_wh, sheets=found))
    with store.write() as db:
        photo = get_photo(db, photo_id)
        assert photo is not None
        add_reading(db, photo, 0, "tests", entry, [serialize(one) for one in found], 0.0)
        set_pages(db, photo, 1)
    return photo_id
