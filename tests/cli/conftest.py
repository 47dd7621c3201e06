"""Fixtures that the command line's tests share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from kdscan.cli import batch
from kdscan.event.store import open_store
from kdscan.rules import GameName
from kdscan.sheets.base import AnyReading
from tests.command import Command
from tests.event.entries import came_in
from tests.event.workers import Here


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the user's data for this test alone, and English."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kdscan batch` reads in this process, which has loaded everything before."""
    monkeypatch.setattr(batch, "_workers", lambda *_: nullcontext(Here()))


def came(url: str, name: str, *found: AnyReading, game: GameName = "duel") -> None:
    """A photo comes into the event "Cup", of which somebody read this."""
    with open_store(url) as store:
        came_in(store, name, *found, game=game)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store."""
    return str(tmp_path / "cup.sqlite")


Rows = Callable[[], list[dict[str, str]]]


@pytest.fixture
def rows(url: str, run: Command) -> Rows:
    """What the event's CSV holds."""
    words = ("export", "--event", "Cup", "--store", url, "--csv", "-")
    return lambda: list(csv.DictReader(run(*words).out.splitlines()))


@pytest.fixture
def say(url: str, run: Command) -> Command:
    """What somebody says of a sheet."""
    event = ("--event", "Cup", "--store", url)
    return lambda name, *words, code=0: run("correct", name, *event, *words, code=code)
