"""Boards in a file, for the commands' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.texts import ALONE, LAWFUL


@pytest.fixture
def maps(tmp_path: Path) -> str:
    path = tmp_path / "maps.txt"
    path.write_text(f"# two maps\n{LAWFUL}\n\n{ALONE}", "utf-8")
    return str(path)
