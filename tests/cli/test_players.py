"""How `kdscan pair`, `result` and `standings` tell players apart by their names."""

from __future__ import annotations

from pathlib import Path

from tests.command import Command


def test_an_accent_is_the_same_however_it_is_typed(tmp_path: Path, run: Command) -> None:
    """Some programs write an accent as a letter of its own."""
    players = tmp_path / "players.csv"
    players.write_text("name\nZoe\u0308\nAda\n", "utf-8")
    at = ("--event", "cup", "--store", tmp_path / "s.sqlite")
    run("pair", *at, "--players", players)
    run("result", *at, "--round", 1, "--table", 1, "Zo\u00eb=51", "Ada=48")
    players.write_text("name\nZo\u00eb\nAda\n", "utf-8")
    run("pair", *at, "--players", players, "--drop", "Zoe\u0308", code=2)  # one alone is too few
    players.write_text("name\n\u5c71\u7530\nzoe\n", "utf-8")
    said = run("pair", *at, "--players", players).err
    assert "taken for players of the event: zoe = Zo\u00eb\n" in said
    lacking = "lacks letters of these names; sheets show ? for them, or a number: \u5c71\u7530\n"
    assert lacking in said
    assert lacking in run("sheet", "-o", tmp_path / "s.pdf", "--players", players).err
    run("pair", *at, "--drop", "\u5c71\u7530", "--again")
    table = run("standings", *at, "--json").json["standings"]
    assert [line["player"] for line in table[:2]] == ["Zo\u00eb", "Ada"]
