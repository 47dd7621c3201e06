"""How `kdscan pair`, `result` and `standings` tell players apart by their names."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from kdscan.paper.tickets import tickets_from_csv
from tests.command import Command


def test_two_people_of_one_name_are_asked_to_be_told_apart(tmp_path: Path, run: Command) -> None:
    event = ["--event", "Cup", "--store", str(tmp_path / "cup.sqlite")]
    (tmp_path / "players.csv").write_text("name\nAda\nBob\nAda\n")
    said = run("pair", *event, "--players", str(tmp_path / "players.csv"), code=2).err
    assert "row 4: Ada is in the list twice" in said


def test_an_accent_is_the_same_however_it_is_typed(tmp_path: Path, run: Command) -> None:
    """Some programs write an accent as a letter of its own."""
    players = tmp_path / "players.csv"
    players.write_text("name\nZoe\u0308\nAda\n", "utf-8")
    at = ("--event", "cup", "--store", tmp_path / "s.sqlite")
    run("pair", *at, "--players", players)
    run("result", *at, "--round", 1, "--table", 1, "Zo\u00eb=51", "Ada=48")
    players.write_text("name\nZo\u00eb\nAda\n", "utf-8")
    run("pair", *at, "--players", players, "--drop", "Zoe\u0308", code=2)  # one alone is too few
    table = run("standings", *at, "--json").json["standings"]
    assert [line["player"] for line in table] == ["Zo\u00eb", "Ada"]
    players.write_text("name\nBo\nZo\u00eb Lu\nZoe\u0308  Lu\n", "utf-8")
    assert "twice" in run("pair", *at, "--players", players, code=2).err


def test_spaces_tell_nobody_apart(tmp_path: Path, run: Command) -> None:
    players = tmp_path / "players.csv"
    at = ("--event", "cup", "--store", tmp_path / "s.sqlite")
    for name in ("Ada Love", "Ada  Love", "Ada\u00a0Love"):
        players.write_text(f"name\n{name}\nBo\n", "utf-8")
        run("pair", *at, "--players", players, "--again")
    run("result", *at, "--round", 1, "--table", 1, "ada  love=51", "Bo=48")
    table = run("standings", *at, "--json").json["standings"]
    assert [line["player"] for line in table] == ["Ada Love", "Bo"]


def test_who_is_paired_can_be_printed(tmp_path: Path, run: Command) -> None:
    players, round1 = tmp_path / "players.csv", tmp_path / "round1.csv"
    players.write_text(f"name,player\nAda,{'A' * 28}\nBob,{'B' * 27}\n")
    run("pair", "--event", "c", "--store", tmp_path / "s", "--players", players, "--csv", round1)
    found = tickets_from_csv(round1, "Spring cup", ())
    assert {one.code for one in found} == {"SPR/1/1/" + "B" * 27 + ".YY", "SPRING-CUP/1/1/1.NU"}


def test_wide_letters_keep_the_columns(tmp_path: Path, run: Command) -> None:
    players, at = tmp_path / "p.csv", ("--event", "c", "--store", tmp_path / "s")
    players.write_text("name\n山田太郎\nBo🎲\nZoe\u0308\nAda Lovelace\n", "utf-8")
    pairs = run("pair", *at, "--players", players).out.splitlines()[1:]
    table = run("standings", *at).out.splitlines()[2:]
    assert len({cell_len(line.partition("–")[0]) for line in pairs}) == 1
    assert len({cell_len(line) for line in table}) == 1
