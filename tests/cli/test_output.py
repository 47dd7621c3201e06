"""What stands below the sheets of all photos: who won, unless a photo does not show it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kdscan.cli import score
from kdscan.document import GameEntry, PhotoReport, PlayerEntry

WON = GameEntry(
    [PlayerEntry((0, n), total, 8) for n, total in enumerate((51, 48))],
    *(0, "score", None, 0.97, False, False),
)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Map 1 wins"),
        ({"review": True}, "please check"),
        ({"photograph_again": True}, "cannot be determined"),
    ],
)
def test_a_winner_is_named_only_as_surely_as_the_maps_were_read(
    changes: dict[str, Any],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = msgspec.structs.replace(WON, **changes)
    monkeypatch.setattr(score, "game_of", lambda *_: game)
    score.Printer(1, True, False, score.terminal_style()).answer(
        [PhotoReport("a")], (), dynasty=False
    )
    told = capsys.readouterr().out
    assert text in told and ("wins" in told) is not game.photograph_again
