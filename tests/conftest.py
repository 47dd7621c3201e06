"""Fixtures that all tests share: stores on SQLite, and on PostgreSQL if it can be started.

`KDSCAN_TEST_POSTGRES` is the URL of a database whose user may create schemas in it. Without it a
separate server is started from an installed PostgreSQL, in a folder of its own. If the tests run as
root, it runs as the user `postgres`, because it refuses to run as root.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from kdscan.cli.main import main
from kdscan.event.store import Store, open_store
from tests.command import Command, Said

# Machines of CI are busy: a slow example is no failure. There the same examples come every time.
settings.register_profile("kdscan", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("kdscan")


SHARED = "KDSCAN_TEST_SHARED"
"""Names a folder for what all processes of a run of the tests need, and one of them makes."""


def pytest_configure(config: pytest.Config) -> None:
    # A shell's background jobs ignore Ctrl-C, and so would the programs that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        os.environ[SHARED] = tempfile.mkdtemp(prefix="kdscan-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[SHARED], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files first: a file stays on one core, and the last would leave the others idle. Files
    that drive a browser, and mostly wait for it, are spread evenly among those that compute."""
    slow, browser = (
        {item.path for item in items if item.get_closest_marker(mark)}
        for mark in ("slow", "browser")
    )
    files = sorted(dict.fromkeys(item.path for item in items), key=lambda path: path not in slow)
    waiting, busy = ([f for f in files if (f in browser) is w] for w in (True, False))
    place = {path: i / len(group) for group in (waiting, busy) for i, path in enumerate(group)}
    items.sort(key=lambda item: place[item.path])


SERVER = "KDSCAN_TEST_POSTGRES"
REQUIRED = "KDSCAN_REQUIRE_POSTGRES"
"""Set where a missing PostgreSQL is a failure: CI."""


@pytest.fixture(scope="session", autouse=True)
def _no_ones_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whoever runs the tests has prints and sheets of their own, which are none of ours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Command:
    """Calls the command; what was said before is forgotten."""

    def call(*words: object, code: int | None = 0) -> Said:
        capsys.readouterr()
        assert main([*map(str, words)]) == code or code is None
        return Said(*capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a PostgreSQL database in which schemas can be made."""
    pytest.importorskip("psycopg")
    if os.environ.get(SERVER):
        yield os.environ[SERVER]
        return
    programs = _programs()
    if programs is None:
        if os.environ.get(REQUIRED):
            pytest.fail("PostgreSQL is required here, and there is none")
        pytest.skip(f"no PostgreSQL: install it, or name a server by {SERVER}")
    with tempfile.TemporaryDirectory(prefix="kdscan-pg-") as name:
        yield from _serve(programs, Path(name))


def _programs() -> Path | None:
    """The folder of initdb and pg_ctl; Debian keeps it out of PATH."""
    found = shutil.which("pg_ctl")
    if found and shutil.which("initdb"):
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


def _serve(programs: Path, folder: Path) -> Iterator[str]:
    user = "postgres" if os.name == "posix" and os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        subprocess.run(
            command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, env=os.environ
        )

    data = str(folder / "data")
    initdb, pg_ctl = str(programs / "initdb"), str(programs / "pg_ctl")
    run(initdb, "-D", data, "-U", "kdscan", "-A", "trust", "--no-sync", "-E", "UTF8")
    settings = f"-c listen_addresses= -c fsync=off -k {folder}"
    run(pg_ctl, "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
    try:
        yield f"postgresql://kdscan@/postgres?host={folder}"
    finally:
        run(pg_ctl, "-D", data, "-m", "immediate", "stop")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.database)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of an empty store, on each database in turn."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.sqlite'}"
    else:
        yield from new_store(request.getfixturevalue("postgres"))


def new_store(server: str) -> Iterator[str]:
    """URL of an empty store on a server: a schema of its own, dropped afterwards."""
    import psycopg

    name = f"kdscan_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE SCHEMA "{name}"')
        try:
            yield f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"
        finally:
            admin.execute(f'DROP SCHEMA "{name}" CASCADE')


@pytest.fixture
def store(store_url: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store, on each database in turn."""
    with open_store(store_url, str(tmp_path / "photos")) as opened:
        yield opened
