"""The tests named on the page on security exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "guides" / "security.md"


def named() -> list[str]:
    """What stands in backticks in the last cell of each row of a table with tests."""
    rows = [line.split("|") for line in PAGE.read_text("utf-8").splitlines() if line[:1] == "|"]
    return sorted({name for row in rows if len(row) == 6 for name in re.findall("`(.+?)`", row[4])})


@pytest.mark.parametrize("name", named())
def test_it_is_there(name: str) -> None:
    if name.endswith((".py", "/")):
        assert (TESTS / name).exists()
    else:
        texts = (path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
        assert any(f"def test_{name}(" in text for text in texts)


def test_it_names_some() -> None:
    assert len(named()) > 40
