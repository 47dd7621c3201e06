"""The commands as tests call them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kdscan.cli.main import main
from tests.game.texts import ALONE, LAWFUL


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str, code: int = 0) -> str:
        assert main(arguments) == code
        out, err = capsys.readouterr()
        return out if code == 0 else err

    return call


@pytest.fixture
def maps(tmp_path: Path) -> str:
    path = tmp_path / "maps.txt"
    path.write_text(f"# two maps\n{LAWFUL}\n\n{ALONE}", "utf-8")
    return str(path)
