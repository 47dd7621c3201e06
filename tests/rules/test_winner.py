"""The winner of a game, from the JSON of maps and kingdoms."""

from __future__ import annotations

import random

from kdscan.rules.duel.scoring import domains_json, score_board, score_json
from kdscan.rules.kingdomino import scoring as report
from kdscan.rules.kingdomino.play import play_match, random_player
from kdscan.rules.winner import known_total, worth
from tests.rules.boards import played


def test_the_json_of_a_map_says_what_decides() -> None:
    assert worth({"score": {"total": 0}, "domains": []}) == (0, 0, 0)
    for board in played(5).maps:
        score = score_board(board)
        sheet = {"score": score_json(score), "domains": domains_json(score)}
        assert worth(sheet) == (score.total, score.largest_domain, 0)


def test_the_json_of_a_kingdom_says_what_decides() -> None:
    (game,) = play_match(random.Random(5), [random_player] * 2)
    for score in game.scores():
        sheet = {"score": report.score_json(score), "domains": report.domains_json(score)}
        assert worth(sheet) == (score.total, score.largest_domain, score.crowns)
        assert score.crowns > 0


def test_a_sheet_that_is_cut_off_has_no_total() -> None:
    sheet = {"score": {"total": 9}, "photograph_again": False}
    assert known_total(sheet) == 9
    assert known_total(sheet | {"photograph_again": True}) is None
    assert known_total({"players": []}) is None
