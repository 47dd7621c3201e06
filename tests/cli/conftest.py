"""Fixtures that the command line's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the user's data for this test alone, and English."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
