"""`kdscan board`."""

from __future__ import annotations

from pathlib import Path

from kdscan.rules.duel.board import Board, Coat
from kdscan.rules.duel.players import play_game
from kdscan.rules.duel.search import Step, Witness
from kdscan.rules.duel.spellbook import write_book
from tests.command import Command
from tests.rules.replay import replay
from tests.rules.texts import KINGDOM


def test_board_as_json(run: Command, maps: str) -> None:
    answer = run("board", maps, "--json").json
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


def test_board_takes_spellbooks(run: Command, tmp_path: Path) -> None:
    games = [play_game(seed) for seed in (1, 4, 9)]
    assert any(game.spellbook.chosen_coat for game in games)
    file = tmp_path / "games.txt"
    blocks = []
    for game in games:
        one, two = game.maps
        blocks.append(f"{write_book(game.spellbook, game.castle_used)}\n{one}\n\n{two}\n")
    file.write_text("\n".join(blocks), "utf-8")
    arguments = ("board", str(file), "--spellbook", str(file))
    answer = run(*arguments, "--json").json
    totals = [score.total for game in games for score in game.scores()]
    assert [entry["score"]["total"] for entry in answer["boards"]] == totals
    assert all(entry["audit"]["lawful"] for entry in answer["boards"])
    assert answer["spellbooks"] == [{"problems": []}] * 3
    # Only the last game may lack its second map.
    alone = tmp_path / "alone.txt"
    alone.write_text(str(games[0].maps[0]), "utf-8")
    assert "boards: 1, spellbooks needed: 1" in run("board", alone, "--spellbook", file, code=2).err
    book = tmp_path / "book.txt"
    book.write_text(write_book(games[0].spellbook, (None, None)).replace("# ", ""), "utf-8")
    assert "lawful: " in run("board", alone, "--spellbook", book).out


def test_a_spellbook_convicts_a_map_and_itself(run: Command, maps: str, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    both = "# player 1: castle unused; spellbook line 5\n# player 2: spellbook l 5 used"
    book.write_text(both, "utf-8")
    told = run("board", maps, "--spellbook", book).out
    assert "error: the spellbook counts 5 line without a cross, the map shows 2 at most" in told
    assert "no game leads here" in told.split("# board 2")[0]
    assert "spellbook 1: error: " in told
    answer = run("board", maps, "--spellbook", book, "--json").json
    assert answer["boards"][0]["audit"]["castle"] is None
    assert answer["spellbooks"][0]["problems"][0]["severity"] == "error"
    # The command line knows better.
    book.write_text("# player 1: castle unused; spellbook\n# player 2: spellbook", "utf-8")
    for option, lawful in (((), True), (("--castle-used",), True)):
        (first, _) = run("board", maps, "--spellbook", book, "--json", *option).json["boards"]
        assert first["audit"]["lawful"] is lawful
        assert (first["audit"]["castle"] is not None) == bool(option)


def test_kingdoms(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "kingdom.txt"
    file.write_text(f"{KINGDOM}\n## m m\n", "utf-8")
    told = run("board", file, "--game", "kingdomino", "--middle-kingdom").out
    assert "wheat           2 x 1 = 2" in told and "Middle Kingdom       10" in told
    assert "error: squares of mine with 0 crowns: 2, where the box holds 1 (B1 C1)" in told
    answer = run("board", file, "--game", "kingdomino", "--harmony", "--json").json
    first = answer["boards"][0]
    assert answer["schema"] == "kdscan/1"
    assert first["score"] == {"domains": 5, "middle_kingdom": 0, "harmony": 0, "total": 5}
    assert first["audit"] == {"lawful": False, "order": None}  # no domino is w+ f
    assert first["domains"][0]["terrain"] == "wheat"
    file.write_text("## ##", "utf-8")
    assert (
        "board 1: a kingdom must have one castle"
        in run("board", file, "--game", "kingdomino", code=2).err
    )
