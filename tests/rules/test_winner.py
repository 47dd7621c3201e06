"""The winner of a game, from the JSON of maps and kingdoms."""

from __future__ import annotations

import random
from dataclasses import asdict
from typing import Any

from kdscan.rules import DomainScore, known_total, worth
from kdscan.rules.duel.board import score_board
from kdscan.rules.kingdomino.play import play_match, random_player
from tests.rules.boards import played


def test_the_json_of_a_sheet_says_what_decides() -> None:
    assert worth({"score": {"total": 0}, "domains": []}) == (0, 0, 0)
    (game,) = play_match(random.Random(5), [random_player] * 2)
    scores: list[DomainScore[Any]] = [*map(score_board, played(5).maps), *game.scores()]
    for score in scores:
        sheet = {"score": score.points, "domains": list(map(asdict, score.domains))}
        assert worth(sheet) == score.worth
    assert all(score.worth.crowns > 0 for score in game.scores())


def test_a_sheet_that_is_cut_off_has_no_total() -> None:
    sheet = {"score": {"total": 9}, "photograph_again": False}
    assert known_total(sheet) == 9
    assert known_total(sheet | {"photograph_again": True}) is None
    assert known_total({"players": []}) is None
