"""What stands below the sheets of all photos: who won, and a dynasty's sum."""

from __future__ import annotations

import os
from typing import Any

import pytest

from kdscan.cli.output import Printer
from kdscan.cli.terminal import user

WON = {
    "players": [{"total": 51}, {"total": 48}],
    "winner": 0,
    "decided_by": "score",
    "review": False,
    "photograph_again": False,
}
EQUAL = {"players": [{"total": 40}, {"total": 40}]}


def told(capsys: pytest.CaptureFixture[str], **answer: Any) -> str:
    said: Any = {"game": None, "photos": [{}, {}, {}], **answer}
    Printer(1, text=True, debug=False).answer(said, ())
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Map 1 wins, 51 : 48\n"),
        ({"winner": 1}, "Map 2 wins, 51 : 48\n"),
        ({"review": True}, "Map 1 wins, 51 : 48 (please check)\n"),
        (
            EQUAL | {"decided_by": "largest_domain"},
            "Map 1 wins, 40 : 40, by the largest domain\n",
        ),
        (
            EQUAL | {"winner": None, "decided_by": "draw"},
            "A draw, 40 : 40, with equally large domains\n",
        ),
        (
            {"photograph_again": True},
            "The winner cannot be determined: photograph the map that is cut off again.\n",
        ),
    ],
)
def test_who_won_is_said_with_the_reason(
    changes: dict[str, object], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, game=WON | changes) == text


THREE = {"total": 90, "kingdoms": [[0, 0], [1, 0], [2, 0]], "review": False, "repeated": False}


def test_several_kingdoms_in_one_photo_of_a_dynasty_are_remarked_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(capsys, dynasty=THREE) == "Dynasty of 3 kingdoms: 90 points\n"
    together = THREE | {"kingdoms": [[0, 0], [0, 1], [1, 0]]}
    assert "a dynasty belongs to one player" in told(capsys, dynasty=together)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"kingdoms": []}, "No kingdom was found"),
        ({"kingdoms": [[n, 0] for n in range(4)]}, "A dynasty is three games."),
        ({"repeated": True}, "Two photos show the same kingdom"),
        ({"kingdoms": [[0, 0], [2, 0]]}, "A photo shows no kingdom; its game is missing"),
    ],
)
def test_what_is_no_dynasty_is_remarked_on(
    changes: dict[str, object], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = told(capsys, dynasty=THREE | changes)
    assert text in said and "of 0" not in said


@pytest.mark.skipif(os.name != "posix", reason="elsewhere users have no numbers")
def test_somebody_without_a_name_is_the_arbiter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers may run as a user of whom they know only the number."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    assert user() == "arbiter"
