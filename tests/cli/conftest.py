"""Fixtures that the command line's tests share."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from kdscan.cli import batch
from kdscan.tournament.batch.tasks import perform
from tests.tournament.workers import Here


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the user's data for this test alone, and English."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kdscan batch` reads in this process, which has loaded everything before."""
    monkeypatch.setattr(batch, "_workers", lambda *_: nullcontext(Here(perform)))
