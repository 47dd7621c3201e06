"""`kdscan board` and `kdscan simulate`: languages, refused input, and games that are played."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from kdscan.i18n import LANGUAGES
from kdscan.rules.duel.board import Board, Coat, score_board
from tests.command import Command
from tests.rules.texts import ALONE, KINGDOM


@pytest.mark.parametrize("language", LANGUAGES[-1:])
def test_games_are_read_back_in_any_language(
    language: str, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audited(spoken: str) -> Any:
        monkeypatch.setenv("LANGUAGE", spoken)
        monkeypatch.setattr(sys, "stdin", io.StringIO(run("simulate", "2", "--seed", "7").out))
        return run("board", "-", "--spellbook", "-", "--json").json

    assert audited(language) == audited("en")


@pytest.mark.parametrize(
    ("command", "option", "game"),
    [
        (("board", "FILE", "--great-duel"), "--great-duel", "kingdomino"),
        (("board", "FILE", "--game", "kingdomino", "--chosen-coat", "f"), "--chosen-coat", "duel"),
        (("simulate", "1", "--players", "3"), "--players", "kingdomino"),
    ],
)
def test_an_option_of_the_other_game_is_refused_with_the_remedy(
    run: Command, tmp_path: Path, command: tuple[str, ...], option: str, game: str
) -> None:
    file = tmp_path / "board.txt"
    file.write_text(KINGDOM if "kingdomino" in command else ALONE, "utf-8")
    words = [str(file) if word == "FILE" else word for word in command]
    assert (
        f"kdscan: {option} only applies to {game}: add --game {game}\n" == run(*words, code=2).err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("board", "MAPS", "--game", "chess"), "'chess' is not one of 'duel'"),
        (("board", "MISSING"), "missing.txt: there is no such file; check the name"),
        (("board", "MAPS", "--spellbook", "MAPS"), "spellbooks found: 0"),
        (("board", "MAPS", "--spellbook", "BOOK"), "--spellbook BOOK: line 1: dots is not a coat"),
        (("board", "BROKEN"), "board 1: a map must have 5 rows, not 1"),
        (("simulate", "1", "--game", "kingdomino", "--players", "5"), "2 to 4 can play"),
    ],
)
def test_wrong_usage_is_refused(
    run: Command, maps: str, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty.txt").write_text("\n# nothing\n", "utf-8")
    (tmp_path / "broken.txt").write_text("d d", "utf-8")
    (tmp_path / "book.txt").write_text("# player 1: spellbook dots 3", "utf-8")
    files = {
        "MAPS": maps,
        "MISSING": str(tmp_path / "missing.txt"),
        "EMPTY": str(tmp_path / "empty.txt"),
        "BROKEN": str(tmp_path / "broken.txt"),
        "BOOK": str(tmp_path / "book.txt"),
    }
    message = message.replace("BOOK", files["BOOK"])
    for form in ((), ("--json",)):
        name, *rest = arguments
        told = run(name, *form, *(files.get(word, word) for word in rest), code=2)
        assert message in told.err and not told.out


def test_simulate_as_json(run: Command) -> None:
    answer = run("simulate", "3", "--seed", "1", "--json").json
    assert answer["schema"] == "kdscan/1" and len(answer["games"]) == 3
    assert run("simulate", "0", "--json").json == {"schema": "kdscan/1", "games": []}
    assert any(score["wizard"] for game in answer["games"] for score in game["score"])
    for game in answer["games"]:
        totals = [score_board(Board.parse(text)).total for text in game["maps"]]
        assert totals == [score["domains"] for score in game["score"]]
        chooser, coat = game["spellbook"]["chosen_by"], game["spellbook"]["chosen_coat"]
        for player, score in enumerate(game["score"]):
            board = Board.parse(game["maps"][player])
            mine = Coat(coat) if coat and player == chooser else None
            assert score["total"] == score_board(board, mine).total
        assert game["rounds"] >= 12 and len(game["spellbook"]["players"]) == 2
    assert answer == run("simulate", "3", "--seed", "1", "--json").json


def test_simulate_kingdomino(run: Command) -> None:
    told = run("simulate", "2", "--game", "kingdomino", "--players", "3", "--harmony").out
    assert told.count("# match ") == 2 and told.count("##") == 6
    answer = run(
        "simulate", "1", "--game", "kingdomino", "--dynasty", "--player", "greedy", "--json"
    ).json
    (match,) = answer["games"]
    assert len(match["games"]) == 3
    assert match["totals"] == [
        sum(game["score"][player]["total"] for game in match["games"]) for player in (0, 1)
    ]
