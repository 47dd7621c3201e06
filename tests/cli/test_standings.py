"""`kdscan pair`, `result` and `standings` on a store."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from kdscan.event.actions import EnterResult
from kdscan.event.events import find_event
from kdscan.event.store import open_store
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.rules.duel.board import CELLS
from tests.command import Command

EMPTY = [{"row": r, "col": c, "coat": None, "crosses": 0, "review": False} for r, c in CELLS]


EVERYBODY = ["Ada", "Bob", "Cleo", "Dan", "Eve"]


@pytest.fixture
def store(tmp_path: Path, run: Command) -> str:
    (tmp_path / "players.csv").write_text("name,player\nAda,A\nBob,B\nCleo,C\nDan,D\nEve,E\n")
    url = str(tmp_path / "cup.sqlite")
    event = ["--event", "Cup", "--store", url]
    players = str(tmp_path / "players.csv")
    run("pair", *event, "--players", players, "--seed", "4")
    return url


@pytest.fixture
def say(store: str, run: Command) -> Command:
    """A command on the event."""
    event = ("--event", "Cup", "--store", store)
    return lambda command, *words, code=0: run(command, *event, *words, code=code)


def rounds(say: Command) -> Any:
    return say("standings", "--json").json["games"]


def names(game: dict[str, Any]) -> list[str]:
    return [seat["player"] for seat in game["seats"]]


def found_sheet(code: str, total: int) -> dict[str, Any]:
    largest = [[0, col] for col in range(total // 10)]
    return {
        "kind": "duel_map", "outline": [], "sheet_id": code, "review": False, "confidence": 0.99,
        "problems": [], "layout": "kdscan-a5", "photograph_again": False, "range": None,
        "score": {"domains": total, "wizard": 0, "total": total}, "cells": EMPTY,
        "domains": [{"coat": "dot", "cells": largest, "crosses": 1, "points": total}],
    }  # fmt: skip


def sheet_read(store: str, code: str, *totals: int) -> None:
    """A photo came in, with a sheet for each total."""
    found = [found_sheet(code, total) for total in totals]
    with open_store(store) as kept:
        sha = kept.photos.put(code.encode(), ".jpg")
        with kept.write() as db:
            event = find_event(db, "Cup")
            photo = add_photo(db, event.id, sha, ".jpg", len(code))
            add_file(db, event.id, f"{code.replace('/', '-')}.jpg", photo.id)
            set_pages(db, photo, 1)
            add_reading(
                db, photo, 0, "test", {"error": None, "sheets": found}, [None] * len(found), 0.1
            )


def test_the_first_round_is_drawn_and_printed(run: Command, tmp_path: Path, say: Command) -> None:
    games = rounds(say)
    assert [len(names(game)) for game in games] == [2, 2, 1]
    assert sorted(name for game in games for name in names(game)) == EVERYBODY
    say("pair", "--again", "--csv", tmp_path / "r1.csv")
    with (tmp_path / "r1.csv").open(encoding="utf-8-sig") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["round"] for row in rows] == ["1"] * 4
    bye = names(rounds(say)[-1])
    assert sorted([*bye, *(row["name"] for row in rows)]) == EVERYBODY
    assert all(row["player"].split(".")[0] == row["name"][0] for row in rows)
    assert "bye: " in say("pair", "--again", "--seed", "9", "--csv", "-").err
    pdf = str(tmp_path / "r1.pdf")
    run("sheet", "-o", pdf, "--players", tmp_path / "r1.csv", "--event", "Cup")


def test_codes_bring_sheets_to_their_tables(store: str, say: Command) -> None:
    one, two = names(rounds(say)[0])
    sheet_read(store, f"CUP/1//{one[0]}", 51)
    err = say("standings").err
    assert f"the sheet of {two} is missing" in err
    sheet_read(store, f"CUP/1//{two[0]}", 48)
    game = rounds(say)[0]
    assert (game["winner"], game["decided_by"]) == (0, "score")
    table = list(csv.DictReader(say("standings", "--csv", "-").out.splitlines()))
    first = {row["player"]: row for row in table}[one]
    assert (first["rank"], first["score"], first["wins"]) == ("1", "1.0", "1")
    err = say("result", "--round=1", "--table=1", f"{one}=0", f"{two}=0").err
    assert err.startswith(f"the sheet of {one} is worth 51, but 0 points were entered\n")
    absent = ("result", "--round=1", "--table=1", "--walkover", one)
    against = "a walkover of {} was entered, but sheets of this game have come in: 51 : 48".format
    assert against(one) in say(*absent).err and against(one) in say("standings").err
    say(*absent)  # once more settles it
    assert against(one) not in say("standings").err
    say("result", "--round=1", "--table=1", f"{one}=0", f"{two}=0")
    standings = say("standings", "--json").json["standings"]  # neither is said to have come
    assert {line["score"] for line in standings if line["player"] in (one, two)} == {0}


def test_each_sheet_of_one_photo_has_a_name_to_correct_it_by(store: str, say: Command) -> None:
    sheet_read(store, "CUP///", 33, 34)
    err = say("standings").err
    assert "33 points (CUP---.jpg#1.1)" in err
    assert "34 points (CUP---.jpg#1.2)" in err
    say("correct", "CUP---.jpg#1.1", "--player", "Ada", "--round", "1")


def test_an_arbiter_settles_a_game_and_the_next_round_follows(store: str, say: Command) -> None:
    assert "Cup: during round 1, 5 players" in say("standings").out
    assert "points are still missing" in say("pair", code=2).err
    for game in rounds(say)[:2]:
        a, b = names(game)
        words = f"result --round 1 --table {game['table']} {a}=50 {b}=40 --author Z"
        assert f"{a} 50, {b} 40" in say(*words.split()).out
    first = {frozenset(names(game)) for game in rounds(say)}
    say("pair")
    second = {frozenset(names(g)) for g in rounds(say) if g["round"] == 2}
    assert len(second) == 3 and not first & second
    assert "Cup: after round 1, 5 players" in say("standings").out  # the second is paired
    with open_store(store) as kept, kept.read() as db:
        said = [one for one in find_event(db, "Cup").log if isinstance(one.action, EnterResult)]
    assert [one.who for one in said] == ["Z"] * 2


def test_a_result_is_withdrawn_and_a_no_show_invents_no_points(say: Command) -> None:
    (a, b), (c, d) = map(names, rounds(say)[:2])
    at, there = ("--round=1", "--table=1"), ("--round=1", "--table=2")
    say("result", *at, f"{a}=49", f"{b}=40")
    say("result", *at, f"{a}=50")
    say("result", *at, "--withdraw")
    assert not rounds(say)[0]["finished"]
    assert "no result has been entered" in say("result", *at, "--withdraw", code=2).err
    say("result", *at, f"{a}=50", f"{b}=40")
    assert f"{d} wins by walkover" in say("result", *there, "--walkover", d.lower()).out
    game = rounds(say)[1]
    assert (game["finished"], game["winner"], game["decided_by"]) == (True, 1, "walkover")
    assert [seat["total"] for seat in game["seats"]] == [None, None]
    said = say("standings", "--json").json["standings"]
    table = {line["player"]: (line["score"], line["wins"], line["spread"]) for line in said}
    assert table[d] == (1, 1, 0) and table[c] == (0, 0, 0)
    say("pair")
    say("result", *there, code=2)


def test_whose_name_is_anothers_code_has_a_sheet_of_his_own(tmp_path: Path, run: Command) -> None:
    (tmp_path / "players.csv").write_text("name,player\n2,\n1,\nAnn Smith,ANN\nAnn,\n")
    store = str(tmp_path / "cup.sqlite")
    event = ["--event", "Cup", "--store", store]
    run("pair", *event, "--players", str(tmp_path / "players.csv"))
    for total, code in enumerate(("1", "2", "ANN", "4"), 1):
        sheet_read(store, f"CUP/1//{code}", 10 * total)
    run("correct", "CUP-1--1.jpg", *event, "--table", "7")  # which says nothing of whose it is
    games = run("standings", *event, "--json").json["games"]
    points = {seat["player"]: seat["total"] for game in games for seat in game["seats"]}
    assert points == {"2": 10, "1": 20, "Ann Smith": 30, "Ann": 40}


def test_who_dropped_out_is_not_paired(say: Command) -> None:
    say("pair", "--again", "--drop", "Eve")
    assert not any("Eve" in names(game) for game in rounds(say))
    say("pair", "--again", "--back", "eve")
    assert any("Eve" in names(game) for game in rounds(say))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("pair --drop Evee", "Evee? Eve plays in Cup."),
        ("result --round 1 --table 9 Ada=1", "round 1 has no table 9"),
        ("result --round 1 --table 1 Zoe=1", "Zoe does not sit at table 1"),
        ("result --round 1 --table 1 Ada=3 Ada=9", "Ada is named twice"),
        ("result --round 1 --table 1 Ada", "give a name and points"),
        ("result --round 1 --table 1 --walkover Ada --walkover Bob", "give points"),
    ],
)
def test_mistakes_are_explained(words: str, message: str, say: Command) -> None:
    assert message in say(*words.split(), code=2).err


@pytest.mark.parametrize(
    "words", ["standings --csv", "export --csv", "export --archive", "report -o"]
)
def test_a_place_that_cannot_be_written_is_no_bug(words: str, tmp_path: Path, say: Command) -> None:
    (tmp_path / "a-file").touch()
    assert "cannot be written" in say(*words.split(), tmp_path / "a-file" / "out", code=2).err


@pytest.mark.parametrize(
    "words",
    [
        "standings",
        "pair",
        "result --round 1 --table 1 Ada=1",
        "report -o report.html",
        "correct a.jpg --confirm",
        "remove a.jpg",
        "export --csv -",
        "forget --yes",
        "layout list",
    ],
)
def test_a_mistyped_store_is_not_made(
    words: str, tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(*words.split(), "--event", "Cup", "--store", "cup.sqlite", code=2)
    assert list(tmp_path.iterdir()) == []


def test_no_round_is_paired_of_which_no_list_can_be_written(tmp_path: Path, run: Command) -> None:
    players = tmp_path / "players.csv"
    players.write_text("name\nAda\nBob\n")
    pair = ("pair", "--event", "c", "--store", tmp_path / "s", "--players", players, "--csv")
    run(*pair, tmp_path / "nowhere" / "round1.csv", code=2)
    table = tmp_path / "round1.csv"
    run(*pair, table)
    assert table.read_text("utf-8-sig").startswith("round,table,name,player\n1,1,")
