"""`kdscan board` and `kdscan simulate`."""

from __future__ import annotations

import inspect
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from kdscan.cli.board import board
from kdscan.cli.main import main
from kdscan.cli.options import OF_ONE_GAME
from kdscan.cli.simulate import simulate
from kdscan.game.duel.audit import Step, Witness, replay
from kdscan.game.duel.board import Board
from kdscan.game.duel.book_text import write_book
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.players import random_game
from kdscan.game.duel.scoring import score_board
from kdscan.locale import LANGUAGES

LAWFUL = """\
.  .  l+ l  .  .  .
.  .  l  dd++ .  .  .
.  .  f  ## .  .  .
.  .  f  .  .  .  .
.  .  .  .  .  .  .
"""
ALONE = ". . . . . . f\n. . . . . . .\n. . . ## . . .\n. . . . . . .\n. . . . . . .\n"
KINGDOM = "w+ w\n## f\nf+ f\n"


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


def test_board_as_text(run: Any, maps: str) -> None:
    out = run("board", maps, "--chosen-coat", "f")
    first, second = out.split("# board ")[1:]
    assert "line          3 x 1 = 3" in first
    assert "double dot    1 x 2 = 2" in first
    assert "wizard              3" in first and "total               8" in first
    assert "lawful: C2-D2, C3-C4, C1-D1, castle's cross on D2" in first
    assert "lawful: no game leads here" in second
    assert "error: no dominoes can cover this shield: every round fills two shields (G1)" in second


def test_board_as_json(run: Any, maps: str) -> None:
    answer = json.loads(run("board", maps, "--json"))
    assert answer["schema"] == "kdscan/1" and set(answer) == {"schema", "boards"}
    first, second = answer["boards"]
    assert first["score"] == {"domains": 5, "wizard": 0, "total": 5}
    assert first["domains"][0]["coat"] == "line" and first["problems"] == []
    board = Board.parse(first["text"])
    order = first["audit"]["order"]
    steps = tuple(
        Step(((a, b), (c, d)), Coat(step["power"]) if step["power"] else None)
        for step in order
        for (a, b), (c, d) in [step["cells"]]
    )
    castle = first["audit"]["castle"]
    replay(board, Witness(steps, tuple(castle) if castle else None))
    assert second["audit"] == {
        "lawful": False,
        "order": None,
        "castle": None,
        "wizard": None,
        "idle": [],
    }
    assert second["problems"][0]["code"] == "unpaired_shields"
    assert second["problems"][0]["cells"] == [[0, 6]]


def test_boards_together(run: Any, maps: str, tmp_path: Path) -> None:
    assert "game 1: not lawful: see its boards" in run("board", maps, "--together")
    pair = tmp_path / "pair.txt"
    pair.write_text(f"{LAWFUL}\n{LAWFUL}", "utf-8")
    assert run("board", str(pair), "--together").endswith("game 1: lawful\n")
    answer = json.loads(run("board", str(pair), "--together", "--json"))
    assert answer["games"][0]["lawful"] and len(answer["games"][0]["rounds"]) == 3
    pair.write_text(f"{LAWFUL}\n{ALONE.replace('. f', '. .')}", "utf-8")
    told = run("board", str(pair), "--together")
    assert "game 1: not lawful: one map has 3 dominoes and the other 0" in told
    assert "an empty map" in told
    pair.write_text(LAWFUL, "utf-8")
    assert "cannot be pairs" in run("board", str(pair), "--together", code=2)


def test_wizards_and_bonuses_are_told(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "full.txt"
    full = Board.parse(ALONE)
    for r in range(5):
        for c in range(7):
            if (r, c) != (2, 3):
                full = full.with_shield((r, c), Board.parse(LAWFUL)[0, 3])
    file.write_text(str(full.with_shield((1, 3), Board.parse(LAWFUL)[0, 2])), "utf-8")
    told = run("board", str(file), "--castle-used")
    assert "(line wizard)" in told and "castle's cross on D2" in told


def test_board_reads_what_simulate_writes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(run("simulate", "2", "--seed", "7")))
    told = run("board", "-", "--together")
    assert told.count("lawful: ") == 4 and "game 2: lawful" in told


def _words(text: str) -> set[str]:
    """What is said beside boards and spellbooks, which are the same in every language."""
    return {
        word.lower()
        for line in text.splitlines()
        if not re.match(r"# player [12]", line)
        for word in re.findall(r"[^\W\d_]{4,}", line)
    }


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_boards_and_games_are_told_in_the_language_of_the_terminal(
    language: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = {"total", "point", "points", "match", "plus"} if language == "fr" else set()
    files = {"alone": ALONE, "pair": f"{LAWFUL}\n{ALONE}", "kingdom": KINGDOM}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    alone, pair, kingdom = (str(tmp_path / name) for name in files)
    commands = [
        ["simulate", "1", "--seed", "7"],
        ["simulate", "2", "--game", "kingdomino", "--players", "3", "--seed", "1"],
        ["board", pair, "--together", "--castle-used", "--chosen-coat", "f"],
        ["board", alone],
        ["board", kingdom, "--game", "kingdomino", "--middle-kingdom"],
    ]
    for command in commands:
        monkeypatch.setenv("LANGUAGE", "en")
        english = run(*command)
        monkeypatch.setenv("LANGUAGE", language)
        said = run(*command)
        assert len(said.splitlines()) == len(english.splitlines())
        assert _words(english) & _words(said) <= alike


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_are_read_back_in_any_language(
    language: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audited(spoken: str) -> Any:
        monkeypatch.setenv("LANGUAGE", spoken)
        monkeypatch.setattr(sys, "stdin", io.StringIO(run("simulate", "2", "--seed", "7")))
        return json.loads(run("board", "-", "--together", "--spellbook", "-", "--json"))

    assert audited(language) == audited("en")


def test_board_takes_spellbooks(run: Any, tmp_path: Path) -> None:
    games = [random_game(seed) for seed in (1, 4, 9)]
    assert any(game.spellbook.chosen_coat for game in games)
    file = tmp_path / "games.txt"
    blocks = []
    for game in games:
        one, two = game.maps
        blocks.append(f"{write_book(game.spellbook, game.castle_used)}\n{one}\n\n{two}\n")
    file.write_text("\n".join(blocks), "utf-8")
    arguments = ("board", str(file), "--spellbook", str(file))
    for more in ((), ("--together",)):
        answer = json.loads(run(*arguments, "--json", *more))
        totals = [score.total for game in games for score in game.scores()]
        assert [entry["score"]["total"] for entry in answer["boards"]] == totals
        assert all(entry["audit"]["lawful"] for entry in answer["boards"])
        assert answer["spellbooks"] == [{"problems": []}] * 3
    assert all(game["lawful"] for game in answer["games"])
    # Only the last game may lack its second map.
    alone = tmp_path / "alone.txt"
    alone.write_text(str(games[0].maps[0]), "utf-8")
    assert "boards: 1, spellbooks needed: 1" in run(
        "board", str(alone), "--spellbook", str(file), code=2
    )
    book = tmp_path / "book.txt"
    book.write_text(write_book(games[0].spellbook, (None, None)).replace("# ", ""), "utf-8")
    assert "lawful: " in run("board", str(alone), "--spellbook", str(book))


def test_a_spellbook_convicts_a_map_and_itself(run: Any, maps: str, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    both = "# player 1: castle unused; spellbook line 5\n# player 2: spellbook l 5 used"
    book.write_text(both, "utf-8")
    told = run("board", maps, "--spellbook", str(book))
    assert "error: the spellbook counts 5 line without a cross, the map shows 2 at most" in told
    assert "no game leads here" in told.split("# board 2")[0]
    assert "spellbook 1: error: " in told
    answer = json.loads(run("board", maps, "--spellbook", str(book), "--json"))
    assert answer["boards"][0]["audit"]["castle"] is None
    assert answer["spellbooks"][0]["problems"][0]["severity"] == "error"
    # The command line knows better.
    book.write_text("# player 1: castle unused; spellbook\n# player 2: spellbook", "utf-8")
    for option, lawful in (((), True), (("--castle-used",), True)):
        (first, _) = json.loads(run("board", maps, "--spellbook", str(book), "--json", *option))[
            "boards"
        ]
        assert first["audit"]["lawful"] is lawful
        assert (first["audit"]["castle"] is not None) == bool(option)


@pytest.mark.parametrize(
    ("command", "option", "game"),
    [
        (("board", "FILE", "--great-duel"), "--great-duel", "kingdomino"),
        (("board", "FILE", "--harmony"), "--harmony", "kingdomino"),
        (("board", "FILE", "--game", "kingdomino", "--chosen-coat", "f"), "--chosen-coat", "duel"),
        (("board", "FILE", "--game", "kingdomino", "--castle-unused"), "--castle-unused", "duel"),
        (("board", "FILE", "--game", "kingdomino", "--castle-used"), "--castle-used", "duel"),
        (("board", "FILE", "--game", "kingdomino", "--together"), "--together", "duel"),
        (("board", "FILE", "--no-harmony"), "--no-harmony", "kingdomino"),
        (("board", "FILE", "--game", "kingdomino", "--spellbook", "-"), "--spellbook", "duel"),
        (("simulate", "1", "--players", "3"), "--players", "kingdomino"),
        (("simulate", "1", "--demo"), "--demo", "kingdomino"),
        (("simulate", "1", "--game", "kingdomino", "--edition", "french"), "--edition", "duel"),
    ],
)
def test_an_option_of_the_other_game_is_refused_with_the_remedy(
    run: Any, tmp_path: Path, command: tuple[str, ...], option: str, game: str
) -> None:
    file = tmp_path / "board.txt"
    file.write_text(KINGDOM if "kingdomino" in command else ALONE, "utf-8")
    words = [str(file) if word == "FILE" else word for word in command]
    assert f"kdscan: {option} is of {game} alone: --game {game}\n" == run(*words, code=2)


def test_every_option_of_one_game_is_an_option() -> None:
    commands = (inspect.signature(command).parameters for command in (board, simulate))
    there = {name for parameters in commands for name in parameters}
    assert {name for names in OF_ONE_GAME.values() for name in names} <= there


def test_kingdoms(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "kingdom.txt"
    file.write_text(f"{KINGDOM}\n## m m\n", "utf-8")
    told = run("board", str(file), "--game", "kingdomino", "--middle-kingdom")
    assert "wheat           2 x 1 = 2" in told and "Middle Kingdom       10" in told
    assert "error: 2 squares of mine with 0 crowns, where the box holds 1 (B1 C1)" in told
    answer = json.loads(run("board", str(file), "--game", "kingdomino", "--harmony", "--json"))
    first = answer["boards"][0]
    assert first["score"] == {"domains": 5, "middle_kingdom": 0, "harmony": 0, "total": 5}
    assert first["audit"] == {"lawful": False, "order": None}  # no domino is w+ f
    assert first["domains"][0]["terrain"] == "wheat"
    file.write_text("## ##", "utf-8")
    assert "board 1: a kingdom has one castle" in run(
        "board", str(file), "--game", "kingdomino", code=2
    )


def test_kingdoms_are_audited_and_added_up(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "three.txt"
    file.write_text("w w ## f+ w\n\n## s s\n\nw w ##\n", "utf-8")
    told = run("board", str(file), "--game", "kingdomino", "--dynasty", "--harmony")
    assert "lawful: A1-B1, D1-E1" in told and told.endswith("dynasty 1: 1\n")
    arguments = ("board", str(file), "--game", "kingdomino", "--json", "--great-duel")
    answer = json.loads(run(*arguments, "--dynasty", "--middle-kingdom"))
    assert answer["dynasties"] == [31]
    assert answer["boards"][2]["audit"] == {"lawful": True, "order": [{"cells": [[0, 0], [0, 1]]}]}
    file.write_text("## w+++\n", "utf-8")
    (own,) = json.loads(run("board", str(file), "--game", "kingdomino", "--demo", "--json"))[
        "boards"
    ]
    assert own["audit"] is None
    assert [p["code"] for p in own["problems"]] == ["odd_squares", "unpaired_squares"]
    assert "threes" in run("board", str(file), "--game", "kingdomino", "--dynasty", code=2)
    assert "too few" in run(*arguments, "--demo", code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("board", "MAPS", "--game", "chess"), "--game chess"),
        (("board", "MAPS", "--chosen-coat", "x"), "--chosen-coat x"),
        (("board", "MAPS", "--edition", "x"), "--edition x"),
        (("board", "MISSING"), "cannot be read"),
        (("board", "EMPTY"), "no board in it"),
        (("board", "MAPS", "--spellbook", "MAPS"), "spellbooks in it: 0"),
        (("board", "MAPS", "--spellbook", "MISSING"), "cannot be read"),
        (("board", "MAPS", "--spellbook", "BOOK"), "--spellbook BOOK: line 1: dots is no coat"),
        (("board", "MAPS", "--spellbook", "MAPS", "--game", "kingdomino"), "of duel alone"),
        (("board", "BROKEN"), "board 1: a map has 5 rows, not 1"),
        (("simulate", "--", "-1"), "cannot be played"),
        (("simulate", "1", "--player", "x"), "--player x"),
        (("simulate", "1", "--game", "x"), "--game x"),
        (("simulate", "1", "--edition", "x"), "--edition x"),
        (("simulate", "1", "--game", "kingdomino", "--players", "5"), "2 to 4 can play"),
        (("simulate", "1", "--game", "kingdomino", "--great-duel", "--demo"), "too few"),
    ],
)
def test_wrong_usage_is_refused(
    run: Any, maps: str, tmp_path: Path, arguments: tuple[str, ...], message: str
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
    assert message in run(*(files.get(word, word) for word in arguments), code=2)


def test_simulate_as_json(run: Any) -> None:
    answer = json.loads(run("simulate", "3", "--seed", "4", "--json"))
    assert answer["schema"] == "kdscan/1" and len(answer["games"]) == 3
    assert json.loads(run("simulate", "0", "--json")) == {"schema": "kdscan/1", "games": []}
    for game in answer["games"]:
        totals = [score_board(Board.parse(text)).total for text in game["maps"]]
        assert totals == [score["domains"] for score in game["score"]]
        chooser, coat = game["spellbook"]["chosen_by"], game["spellbook"]["chosen_coat"]
        for player, score in enumerate(game["score"]):
            board = Board.parse(game["maps"][player])
            mine = Coat(coat) if coat and player == chooser else None
            assert score["total"] == score_board(board, mine).total
        assert game["rounds"] >= 12 and len(game["spellbook"]["players"]) == 2
    assert answer == json.loads(run("simulate", "3", "--seed", "4", "--json"))


def test_simulate_as_text(run: Any) -> None:
    told = [run("simulate", "12", "--seed", "1"), run("simulate", "1", "--player", "greedy")]
    assert told[0].count("# game ") == 12 and "chose" in told[0]
    assert "castle used; spellbook dot" in told[0]
    game = random_game(0)
    assert str(game.maps[0]) in run("simulate", "1", "--seed", "0")


def test_simulate_kingdomino(run: Any) -> None:
    told = run("simulate", "2", "--game", "kingdomino", "--players", "3", "--harmony")
    assert told.count("# match ") == 2 and told.count("##") == 6
    answer = json.loads(
        run("simulate", "1", "--game", "kingdomino", "--dynasty", "--player", "greedy", "--json")
    )
    (match,) = answer["games"]
    assert len(match["games"]) == 3
    assert match["totals"] == [
        sum(game["score"][player]["total"] for game in match["games"]) for player in (0, 1)
    ]
