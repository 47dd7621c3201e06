"""`kdscan correct` on sheets of a store."""

from __future__ import annotations

from dataclasses import asdict
from unittest.mock import Mock

import pytest

from kdscan.errors import StoreError
from kdscan.event import actions as act
from kdscan.event.events import find_event
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import add_file
from kdscan.rules.duel.board import Board, Coat, score_board
from kdscan.rules.duel.players import play_game
from tests.cli.conftest import Rows, came
from tests.command import Command
from tests.event.entries import do, event_of, states
from tests.readings import make_book, make_kingdom, make_sheet, paid_game, with_evidence

SECOND = str(play_game(5).maps[0])


def test_squares_of_a_kingdom_are_corrected_and_taken_back(
    url: str, say: Command, rows: Rows
) -> None:
    kingdom = make_kingdom(doubtful={(0, 4): ("lake", 1)})
    came(url, "round 1/k.jpg", kingdom, game="kingdomino")
    before = kingdom.score.total
    told = say("k.jpg", "--set", "E1=l+", "--player", "Ada", "--round", "1").out
    (row,) = rows()
    assert int(row["total"]) > before and f": {row['total']} points (round 1, Ada" in told
    assert (row["player"], row["round"], row["status"]) == ("Ada", "1", "ok")
    say("k.jpg", "--undo", "--who", "Zoe")  # what was said at once
    (row,) = rows()
    assert (int(row["total"]), row["player"]) == (before, "")
    with open_store(url) as kept, kept.read() as db:
        said = find_event(db, "Cup").log
    kinds = [type(one.action) for one in said]
    assert kinds == [act.CorrectSquare, act.AssignSheet, act.Undo] and said[-1].who == "Zoe"


def test_a_line_and_the_coat_of_a_side_of_a_spellbook_are_corrected(url: str, say: Command) -> None:
    game = paid_game(0)
    came(url, "b.jpg", make_book(game.spellbook))
    line = asdict(game.spellbook.lines[1][Coat.DOT])
    say("b.jpg", "--set", "right.dot=3x", "--set", "left=.")
    with open_store(url) as kept:
        now = states(kept, event_of(kept))["b.jpg"]
    said = {one["field"]: (one["old"], one["new"]) for one in now["said"]}
    three = {"filled": 3, "struck": True, "used": False}
    chosen = game.spellbook.chosen_by(0)
    assert said == {"line:1,dot": (line, three), "choice:0": (chosen, None)}
    left, right = now["players"]
    assert right["lines"]["dot"] | three == right["lines"]["dot"]
    assert left["chosen_coat"] is None


def test_nothing_is_reported_before_it_is_saved(
    url: str, say: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    came(url, "a.jpg", make_sheet())
    twice = None, StoreError("moved")  # before and after the transaction
    monkeypatch.setattr(Store, "_check_still_there", Mock(side_effect=twice))
    assert say("a.jpg", "--confirm", code=8).out == ""


def test_a_map_is_named_by_its_code_confirmed_and_left_out(
    url: str, say: Command, rows: Rows
) -> None:
    sheet = make_sheet(doubtful=[(0, 1)])
    came(url, "a.jpg", with_evidence(sheet, sheet_id="CUP/1/1/A"))
    say("CUP/1/1/A", "--set", "B1=f++", "--confirm")
    (row,) = rows()
    assert (row["status"], row["corrected"]) == ("ok", "true")
    assert "does not count" in say("a.jpg", "--ignore").out
    assert rows()[0]["status"] == "ignored"
    assert "does not count" not in say("a.jpg", "--count").out
    assert rows()[0]["status"] == "ok"
    assert "does not count" in say("a.jpg", "--undo").out


def test_mistakes_are_explained(url: str, say: Command) -> None:
    came(url, "one/a.jpg", make_sheet(), make_book(play_game(1).spellbook))
    came(url, "two/b.jpg", make_sheet())
    for name, words, message in (
        ("z.jpg", ["--confirm"], "Cup has no such sheet"),
        ("a.jpg", ["--confirm"], "one/a.jpg#1.1, one/a.jpg#1.2; name one of them"),
        ("b.jpg", [], "say what to change"),
        ("b.jpg", ["--set", "C2=l+++++"], "up to four"),
        ("b.jpg", ["--set", "2:C2=l"], "leave the number out"),
        ("b.jpg", ["--undo"], "nothing to undo"),
        ("b.jpg", ["--same-as", "two/b.jpg"], "another photo of itself"),
        ("b.jpg", ["--distinct", "--same-as", "a.jpg#1.1"], "cannot be combined"),
        ("a.jpg#1.2", ["--set", "C2=l"], "that is a spellbook"),
        ("a.jpg#1.2", ["--undo"], "one/a.jpg#1.2: there is nothing to undo"),
        ("b.jpg", ["--set", "left.dot=3"], "no spellbook; name its sheet, like two/b.jpg#1.3"),
    ):
        assert message in say(name, *words, code=2).err
    assert say("a.jpg#1.2", "--confirm").out == "one/a.jpg#1.2\n"


def test_a_sheet_is_found_by_each_name_of_its_photo(url: str, say: Command, rows: Rows) -> None:
    came(url, "a.jpg", make_sheet())
    came(url, "b.jpg", make_sheet(SECOND))
    with open_store(url) as store, store.write() as db:
        event = find_event(db, "Cup")
        for name in ("more/a.jpg", "more/copy.jpg"):
            add_file(db, event.id, name, min(event.photos))
    say("copy.jpg#1.1", "--ignore")
    assert [row["status"] for row in rows()[:2]] == ["ignored", "ok"]
    assert "another photo of itself" in say("a.jpg", "--same-as", "copy.jpg", code=2).err


def test_what_is_undone_does_not_come_back_with_the_next_word(
    url: str, say: Command, rows: Rows
) -> None:
    came(url, "a.jpg", make_sheet())
    say("a.jpg", "--round", "3")
    say("a.jpg", "--undo", "--player", "Bob")
    assert [(row["round"], row["player"]) for row in rows()] == [("", "Bob")]


def test_two_boards_with_one_code_are_settled_by_a_person(
    url: str, say: Command, rows: Rows, run: Command
) -> None:
    with open_store(url) as kept:
        players = (act.AddPlayer(name, name.upper()) for name in ("Ada", "Bob"))
        do(kept, *players, act.PairRound(tables=(("Ada", "Bob"),)))
    boards = [str(board) for board in play_game(3).maps]
    totals = [score_board(Board.parse(one)).total for one in boards]
    for name, board in zip("ab", boards, strict=True):
        came(url, f"{name}.jpg", with_evidence(make_sheet(board), sheet_id="CUP/1/1/ADA"))

    def table() -> tuple[list[tuple[str, int | None]], list[str]]:
        said = run("standings", "--event", "Cup", "--store", url, "--json").json
        seats = [(s["player"], s["total"]) for s in said["games"][0]["seats"]]
        return seats, [one["code"] for one in said["findings"]]

    disputed = ([("Ada", None), ("Bob", None)], ["code_conflict", "missing_sheet"])
    assert table() == disputed
    assert [(r["status"], r["conflicts_with"], r["same_as"]) for r in rows()] == [
        ("conflict", "b.jpg", ""),
        ("conflict", "a.jpg", ""),
    ]
    assert "kdscan correct FILE" in run("standings", "--event", "Cup", "--store", url).err
    say("b.jpg", "--round", "2")
    assert "code_conflict" not in table()[1]
    say("b.jpg", "--undo")
    for words in (["--own", "--player", "Bob"], ["--player", "Bob"]):
        say("b.jpg", *words)
        assert table() == ([("Ada", totals[0]), ("Bob", totals[1])], [])
        say("b.jpg", "--undo")
        assert table() == disputed
    say("b.jpg", "--same-as", "a.jpg")
    assert [r["status"] for r in rows()].count("same sheet") == 1
    assert table()[1] == ["missing_sheet"]


def test_a_mistyped_name_is_asked_about_and_the_csv_names_player_and_table(
    url: str, say: Command, rows: Rows
) -> None:
    with open_store(url) as kept:
        entered = {"Mario Rossi": "M1", "Luigi Verdi": "L2", "Maria Rossi": "M3"}
        do(kept, *(act.AddPlayer(name, code) for name, code in entered.items()))
        do(kept, act.PairRound(tables=(("Mario Rossi", "Maria Rossi"),)))
        do(kept, act.Walkover(1, 1, None))
        do(kept, act.PairRound(tables=(("Mario Rossi", "Luigi Verdi"),)))
    came(url, "table#3.jpg", make_sheet())
    came(url, "coded.jpg", with_evidence(make_sheet(SECOND), sheet_id="CUP/2//L2"))
    for player, answer in (
        ("Mario Rosi", "Mario Rosi? Mario Rossi plays this round."),
        ("luigi", "luigi? Luigi Verdi plays this round."),
        ("Xaver", "there is no such player in Cup"),
    ):
        assert answer in say("table#3.jpg", "--player", player, "--round", "2", code=2).err
    absent = say("table#3.jpg", "--player", "Maria Rosi", code=2).err
    assert "Maria Rosi? Maria Rossi plays in Cup." in absent
    assert "table#3.jpg: " in say("table#3.jpg#1.1", "--player", "mario rossi", "--round", "2").out
    found = {r["file"]: (r["player"], r["round"], r["table"]) for r in rows()}
    assert found == {
        "table#3.jpg": ("Mario Rossi", "2", "1"),
        "coded.jpg": ("Luigi Verdi", "2", "1"),
    }
