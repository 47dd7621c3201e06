"""What stands below the sheets of all photos: who won, and a dynasty's sum."""

from __future__ import annotations

from typing import Any
from unittest import mock

import msgspec
import pytest

from kdscan.cli.output import Printer
from kdscan.document import DynastyEntry, GameEntry, PhotoReport, PlayerEntry


def players(*totals: int) -> list[PlayerEntry]:
    return [PlayerEntry((0, n), total, 8) for n, total in enumerate(totals)]


WON = GameEntry(players(51, 48), 0, "score", None, 0.97, False, False)
THREE = DynastyEntry([(0, 0), (1, 0), (2, 0)], 90, 0.97, False, False)


def output(
    capsys: pytest.CaptureFixture[str],
    game: GameEntry | None = None,
    dynasty: DynastyEntry | None = None,
) -> str:
    with (
        mock.patch("kdscan.cli.output.game_of", return_value=game),
        mock.patch("kdscan.cli.output.dynasty_of", return_value=dynasty),
    ):
        reports = [PhotoReport(name) for name in "abc"]
        Printer(1, text=True, debug=False).answer(reports, (), dynasty=dynasty is not None)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Map 1 wins, 51 : 48\n"),
        ({"winner": 1}, "Map 2 wins, 51 : 48\n"),
        ({"review": True}, "Map 1 wins, 51 : 48 (please check)\n"),
        (
            {"players": players(40, 40)} | {"decided_by": "largest_domain"},
            "Map 1 wins, 40 : 40, by the largest domain\n",
        ),
        (
            {"players": players(40, 40)} | {"winner": None, "decided_by": "draw"},
            "A draw, 40 : 40, with equally large domains\n",
        ),
        (
            {"photograph_again": True},
            "The winner cannot be determined: photograph the map again.\n",
        ),
    ],
)
def test_who_won_is_said_with_the_reason(
    changes: dict[str, Any], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output(capsys, msgspec.structs.replace(WON, **changes)) == text


def test_several_kingdoms_in_one_photo_of_a_dynasty_are_remarked_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert output(capsys, dynasty=THREE) == "Dynasty of 3 kingdoms: 90 points\n"
    together = msgspec.structs.replace(THREE, kingdoms=[(0, 0), (0, 1), (1, 0)])
    assert "a dynasty belongs to one player" in output(capsys, dynasty=together)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"kingdoms": []}, "No kingdom was found"),
        ({"kingdoms": [(n, 0) for n in range(4)]}, "A dynasty is three games."),
        ({"repeated": True}, "Two photos show the same kingdom"),
        ({"kingdoms": [(0, 0), (2, 0)]}, "A photo shows no kingdom; its game is missing"),
    ],
)
def test_what_is_no_dynasty_is_remarked_on(
    changes: dict[str, Any], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = output(capsys, dynasty=msgspec.structs.replace(THREE, **changes))
    assert text in printed and "of 0" not in printed
