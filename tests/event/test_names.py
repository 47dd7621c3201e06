"""Whom a name or a printed code means, and of which round a sheet is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from kdscan.event.names import names_of
from kdscan.event.places import Place, place_of
from kdscan.event.store.records import FileRow, Player


def entered(*players: tuple[str, str]) -> list[Player]:
    """Players by name and code."""
    return [
        Player(n, 1, name, True, {"code": code} if code else {})
        for n, (name, code) in enumerate(players, 1)
    ]


def test_a_name_as_it_is_spelled_goes_before_one_in_other_case() -> None:
    known = names_of(entered(("ann", ""), ("Ann", "")))
    assert (known.spelled("ann"), known.spelled("Ann")) == ("ann", "Ann")
    assert names_of(entered(("Zoë", ""))).spelled("zoe\u0308") == "Zoë"


def test_a_code_goes_before_a_number_and_on_sheets_before_a_name() -> None:
    known = names_of(entered(("Ada", "2"), ("Bob", "B"), ("B", "C")))
    assert known.of(Place(code="2")) == "Ada"
    assert known.of(Place(code="3")) == "B"
    assert known.of(Place(code="B")) == "Bob"
    assert known.of(Place(player="B", code="2")) == "B"
    assert known.of(Place(code="X")) == "X"


@pytest.mark.parametrize(
    ("code", "overrides", "place"),
    [
        ("CUP/1/2/A", {}, Place(1, 2, code="A", event="CUP")),
        ("CUP//2/A", {}, Place(3, 2, code="A", event="CUP")),
        (f"{'E' * 31}/1/2/A7", {}, Place(1, 2, code="A7", event="E" * 31 + "…")),
        (None, {}, Place(3)),
        ("other", {}, Place(3)),
        ("CUP/1/2/A", {"place": {"round": 5, "table": 6, "player": "Zoe"}}, Place(5, 6, "Zoe")),
    ],
)
def test_a_person_goes_before_a_code_and_a_code_before_the_file(
    code: str | None, overrides: dict[str, Any], place: Place
) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    file = FileRow(1, 1, 1, "a.jpg", "batch", {"round": 3}, None, None, None, now)
    assert place_of(code, overrides, file) == place
