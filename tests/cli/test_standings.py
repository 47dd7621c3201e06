"""`kdscan pair`, `result` and `standings` on a store."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from kdscan.cli.main import main
from kdscan.records import CELLS
from kdscan.tournament.store import open_store
from kdscan.tournament.store.corrections import corrections
from kdscan.tournament.store.events import find_event
from kdscan.tournament.store.photos import add_file, add_photo, set_pages
from kdscan.tournament.store.readings import add_reading

EMPTY = [{"row": r, "col": c, "coat": None, "crosses": 0, "review": False} for r, c in CELLS]


@pytest.fixture
def store(tmp_path: Path) -> str:
    (tmp_path / "players.csv").write_text("name,player\nAda,A\nBob,B\nCleo,C\nDan,D\nEve,E\n")
    url = str(tmp_path / "cup.sqlite")
    event = ["--event", "Cup", "--store", url]
    players = str(tmp_path / "players.csv")
    assert main(["pair", *event, "--players", players, "--seed", "4"]) == 0
    return url


def say(store: str, *words: str) -> int:
    command, *rest = words
    return main([command, "--event", "Cup", "--store", store, *rest])


def rounds(store: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    assert say(store, "standings", "--json") == 0
    games: list[dict[str, object]] = json.loads(capsys.readouterr().out)["games"]
    return games


def names(game: dict[str, object]) -> list[str]:
    seats = game["seats"]
    assert isinstance(seats, list)
    return [seat["player"] for seat in seats]


def sheet_read(store: str, code: str, total: int) -> None:
    """A photo with one sheet came in."""
    largest = [[0, col] for col in range(total // 10)]
    found = {
        "kind": "duel_map", "outline": [], "sheet_id": code, "review": False, "confidence": 0.99,
        "score": {"domains": total, "wizard": 0, "total": total}, "cells": EMPTY,
        "domains": [{"coat": "dot", "cells": largest, "crosses": 1, "points": total}],
    }  # fmt: skip
    with open_store(store) as kept:
        sha = kept.photos.put(code.encode(), ".jpg")
        with kept.write() as db:
            event = find_event(db, "Cup")
            photo, _ = add_photo(db, event.id, sha, ".jpg", len(code))
            add_file(db, event.id, f"{code.replace('/', '-')}.jpg", photo.id)
            set_pages(db, photo.id, 1)
            add_reading(db, photo, 0, "test", {"error": None, "sheets": [found]}, [None], 0.1)


def test_the_first_round_is_drawn_and_printed(
    store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    games = rounds(store, capsys)
    assert [len(names(game)) for game in games] == [2, 2, 1]
    assert sorted(name for game in games for name in names(game)) == [
        "Ada",
        "Bob",
        "Cleo",
        "Dan",
        "Eve",
    ]
    assert say(store, "pair", "--again", "--csv", str(tmp_path / "r1.csv")) == 0
    with (tmp_path / "r1.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [row["round"] for row in rows] == ["1"] * 4
    (bye,) = next(names(game) for game in rounds(store, capsys) if len(names(game)) == 1)
    assert {bye, *(row["name"] for row in rows)} == {"Ada", "Bob", "Cleo", "Dan", "Eve"}
    assert all(row["player"] == row["name"][0] for row in rows)
    assert say(store, "pair", "--again", "--seed", "9", "--csv", "-") == 0
    assert "bye: " in capsys.readouterr().err
    pdf = str(tmp_path / "r1.pdf")
    assert main(["sheet", "-o", pdf, "--players", str(tmp_path / "r1.csv"), "--event", "Cup"]) == 0


def test_codes_bring_sheets_to_their_tables(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = names(rounds(store, capsys)[0])
    sheet_read(store, f"CUP/1//{one[0]}", 51)
    assert say(store, "standings") == 0
    err = capsys.readouterr().err
    assert f"the sheet of {two} is missing" in err
    sheet_read(store, f"CUP/1//{two[0]}", 48)
    game = rounds(store, capsys)[0]
    assert (game["winner"], game["decided_by"]) == (0, "score")
    assert say(store, "standings", "--csv", "-") == 0
    table = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    first = {row["player"]: row for row in table}[one]
    assert (first["rank"], first["score"], first["wins"]) == ("1", "1.0", "1")


def test_what_is_to_be_settled_names_its_photos(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = names(rounds(store, capsys)[0])
    sheet_read(store, "CUP///", 33)
    sheet_read(store, f"CUP/1//{one[0]}", 51)
    capsys.readouterr()
    assert say(store, "standings") == 0
    err = capsys.readouterr().err
    assert "in which round a sheet was played: ?, 33 points (CUP---.jpg)" in err
    assert f"the sheet of {two} is missing\n" in err
    assert f"kdscan correct FILE --event Cup --store {store} --player NAME --round N" in err
    assert say(store, "standings", "--json") == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [one["files"] for one in found if one["sheets"]] == [["CUP---.jpg"]]
    assert say(store, "correct", "CUP---.jpg", "--player", two, "--round", "1") == 0
    assert rounds(store, capsys)[0]["winner"] == 0


def test_an_arbiter_settles_a_game_and_the_next_round_follows(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(store, "standings") == 0
    assert "Cup: before round 1, 5 players" in capsys.readouterr().out
    assert say(store, "pair") == 2
    assert "still miss points" in capsys.readouterr().err
    for game in rounds(store, capsys)[:2]:
        a, b = names(game)
        words = ["--round", "1", "--table", str(game["table"]), f"{a}=50", f"{b}=40", "--who", "Z"]
        assert say(store, "result", *words) == 0
        assert f"{a} 50, {b} 40" in capsys.readouterr().out
    first = {frozenset(names(game)) for game in rounds(store, capsys)}
    assert say(store, "pair") == 0
    second = {frozenset(names(g)) for g in rounds(store, capsys) if g["round"] == 2}
    assert len(second) == 3 and not first & second
    assert say(store, "standings") == 0
    assert "Cup: after round 1, 5 players" in capsys.readouterr().out  # the second is paired
    with open_store(store) as kept, kept.read() as db:
        said = corrections(db, find_event(db, "Cup").id)
    assert [(row.field, row.who) for row in said] == [("result", "Z")] * 2


def test_a_result_is_withdrawn_and_a_no_show_invents_no_points(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = rounds(store, capsys)[:2]
    (a, b), (c, d) = names(first), names(second)
    at = ["--round", "1", "--table", str(first["table"])]
    assert say(store, "result", *at, f"{a}=50", f"{b}=40") == 0
    assert say(store, "result", *at, "--withdraw") == 0
    assert not rounds(store, capsys)[0]["finished"]
    assert say(store, "result", *at, "--withdraw") == 2
    assert "nobody has said a result" in capsys.readouterr().err
    assert say(store, "result", *at, f"{a}=50", f"{b}=40") == 0
    there = ["--round", "1", "--table", str(second["table"])]
    assert say(store, "result", *there, "--walkover", d.lower()) == 0
    assert f"{d} wins by walkover" in capsys.readouterr().out
    game = rounds(store, capsys)[1]
    assert (game["finished"], game["winner"], game["decided_by"]) == (True, 1, "walkover")
    assert [seat["total"] for seat in game["seats"]] == [None, None]  # type: ignore[attr-defined]
    assert say(store, "standings", "--json") == 0
    said = json.loads(capsys.readouterr().out)["standings"]
    table = {line["player"]: (line["score"], line["wins"], line["spread"]) for line in said}
    assert table[d] == (1, 1, 0) and table[c] == (0, 0, 0)
    assert say(store, "pair") == 0, "the round is finished"
    assert say(store, "result", *there) == 2


def test_what_is_said_of_one_player_leaves_what_was_said_of_the_other(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = rounds(store, capsys)[0]
    a, b = names(first)
    at = ["--round", "1", "--table", str(first["table"])]
    assert say(store, "result", *at, "--walkover", b) == 0
    assert say(store, "result", *at, f"{a}=50") == 0
    assert say(store, "result", *at, f"{b}=40") == 0
    game = rounds(store, capsys)[0]
    assert [seat["total"] for seat in game["seats"]] == [50, 40]  # type: ignore[attr-defined]
    assert game["decided_by"] == "score"
    assert say(store, "result", *at, f"{a}=51") == 0
    game = rounds(store, capsys)[0]
    assert [seat["total"] for seat in game["seats"]] == [51, 40]  # type: ignore[attr-defined]


def test_players_whose_names_no_code_can_hold_get_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "players.csv").write_text("name\nОлена\nJürgen\nJörgen\nІгор\n", "utf-8")
    url, out = str(tmp_path / "cup.sqlite"), tmp_path / "round1.csv"
    words = ["--players", str(tmp_path / "players.csv"), "--csv", str(out), "--seed", "1"]
    assert say(url, "pair", *words) == 0
    with out.open(encoding="utf-8") as lines:
        given = {row["name"]: row["player"] for row in csv.DictReader(lines)}
    assert given == {"Олена": "1", "Jürgen": "2", "Jörgen": "3", "Ігор": "4"}
    sheets = [*("sheet", "--players", str(out), "--event", "Cup", "-o", str(tmp_path / "a.pdf"))]
    assert main(sheets) == 0
    sheet_read(url, "CUP/1//1", 40)
    games = rounds(url, capsys)
    seats = {seat["player"]: seat["total"] for game in games for seat in game["seats"]}  # type: ignore[attr-defined]
    assert seats["Олена"] == 40


def test_who_dropped_out_is_not_paired(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert say(store, "pair", "--again", "--drop", "Eve") == 0
    assert not any("Eve" in names(game) for game in rounds(store, capsys))
    assert say(store, "pair", "--again", "--back", "eve") == 0
    assert any("Eve" in names(game) for game in rounds(store, capsys))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pair", "--drop", "Zoe"], "nobody of that name plays in Cup"),
        (["result", "--round", "1", "--table", "9", "Ada=1"], "round 1 has no table 9"),
        (["result", "--round", "1", "--table", "1", "Zoe=1"], "Zoe does not sit at table 1"),
        (["result", "--round", "1", "--table", "1", "Ada"], "say a name and points"),
        (["result", "--round", "1", "--table", "1", "Ada=-3"], "say a name and points"),
    ],
)
def test_mistakes_are_explained(
    store: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert say(store, *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", ["standings --csv", "export --csv", "export --archive", "report -o"]
)
def test_a_place_that_cannot_be_written_is_no_bug(
    store: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a-file").touch()
    assert say(store, *words.split(), str(tmp_path / "a-file" / "out")) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_an_event_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = str(tmp_path / "cup.sqlite")
    open_store(url).close()
    assert main(["standings", "--event", "Cup", "--store", url]) == 2
    assert "there is no such event" in capsys.readouterr().err
