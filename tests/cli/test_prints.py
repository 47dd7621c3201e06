"""The prints that are known, by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kdscan.cli.main import main
from kdscan.prints.file import load_print, to_filed
from kdscan.prints.library import own_library
from tests.prints.made import made_print


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def layout(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    """What a command says, on stdout when all went well, else on stderr."""
    assert main(["layout", *map(str, words)]) == code
    said = capsys.readouterr()
    return said.err if code else said.out


def test_nothing_is_known_at_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["layout", "list"]) == 0
    said = capsys.readouterr()
    assert said.out == "" and "layout learn" in said.err
    assert json.loads(layout(capsys, "list", "--json")) == {"prints": []}


def test_the_list_says_how_well_each_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = to_filed(made_print("moor", 1), "2026-01-02"), to_filed(made_print("atlas", 2))
    for each in (one, two):
        own_library().save(each)
    heads, first, second = layout(capsys, "list").splitlines()
    assert first.split()[0] == "atlas" and second.split()[0] == "moor"
    assert "5" in second and "50%" in second and second.endswith("2026-01-02")
    assert len(heads) == len(second)
    atlas, moor = json.loads(layout(capsys, "list", "--json"))["prints"]
    assert atlas["name"] == "atlas" and moor["learned"] == "2026-01-02"
    assert (moor["sheets"], moor["circles"], moor["shield_corners"]) == (5, 2, 3)
    assert moor["known"] == pytest.approx(0.5, abs=0.02)


def test_a_damaged_one_is_told_and_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    own_library().save(made_print("good"))
    (own_library().folder / "bad.kdprint").write_bytes(b"rubbish")
    assert main(["layout", "list"]) == 0
    said = capsys.readouterr()
    assert "good" in said.out and "bad.kdprint" in said.err and "skipped" in said.err


def test_a_print_is_shared_by_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_library().save(made_print("club"))
    shared, picture = tmp_path / "club.kdprint", tmp_path / "club.png"
    layout(capsys, "export", "CLUB", "-o", shared)
    layout(capsys, "show", "club", "-o", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    layout(capsys, "forget", "club")
    assert own_library().load() == ()
    assert "club" in layout(capsys, "import", shared)
    assert own_library().get("club").data == load_print(shared).data
    layout(capsys, "import", shared)  # once more, the same
    layout(capsys, "import", shared, "--name", "Club 2")
    assert [one.name for one in own_library().load()] == ["club", "Club 2"]


def test_no_other_print_is_overwritten_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = own_library().save(made_print("club", 1))
    theirs, new = tmp_path / "theirs.kdprint", tmp_path / "new.kdprint"
    theirs.write_bytes(to_filed(made_print("Club", 2)).data)
    new.write_bytes(to_filed(made_print("new", 3)).data)
    assert "--replace" in layout(capsys, "import", new, theirs, code=2)
    assert [one.data for one in own_library().load()] == [mine.data]  # all or nothing
    layout(capsys, "import", new, theirs, "--replace")
    assert [one.name for one in own_library().load()] == ["Club", "new"]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["show", "nobody"], "known: club"),
        (["forget", "nobody"], "known: club"),
        (["export", "nobody", "-o", "x.kdprint"], "known: club"),
        (["import", "nothing.kdprint"], "cannot be read"),
        (["import", "a.kdprint", "b.kdprint", "--name", "x"], "one by one"),
        (["export", "club", "-o", "no/such/folder/x.kdprint"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own_library().save(made_print("club"))
    assert remedy in layout(capsys, *words, code=2)
