"""`kdscan sheet`: what is printed for whom, and what is refused."""

from __future__ import annotations

from pathlib import Path

import cv2
import pypdfium2
import pytest
from msgspec.structs import replace

from kdscan.cli.main import main
from kdscan.paper.layout import layout_to_toml, load_layout
from tests.command import Command


def test_sheet_takes_paper_count_and_layout(tmp_path: Path, run: Command) -> None:
    club = tmp_path / "club.toml"
    club.write_text(layout_to_toml(load_layout("kdscan-a5")), encoding="utf-8")
    path = tmp_path / "sheet.pdf"
    options = ["--layout", str(club), "--paper", "letter", "--count", "3"]
    run("sheet", "-o", path, *options)
    with pypdfium2.PdfDocument(path) as document:
        assert len(document) == 3
        assert document[0].get_size() == pytest.approx((612, 792), abs=0.01)


def test_sheet_prints_a_map_for_each_player_and_round(tmp_path: Path, run: Command) -> None:
    people = tmp_path / "players.csv"
    people.write_text("name,player\nAnna Żak,A1\nBob,A2\nCleo,A3\n", encoding="utf-8")
    path = tmp_path / "event.pdf"
    options = ["--players", str(people), "--event", "Waw26", "--round", "1-2"]
    assert "6 maps on 3 pages" in run("sheet", "-o", path, *options).err
    with pypdfium2.PdfDocument(path) as document:
        text = document[0].get_textpage().get_text_bounded()
    assert "Anna Żak" in text and "round 1" in text and "round 2" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--event", "E"], "need --players"),
        (["--round", "1"], "need --players"),
        (["--players", "p.csv", "--count", "3"], "leave --count out"),
        (["--side", "card"], "add --players and --event"),
        (["--players", "missing.csv", "--event", ""], "an event needs a name"),
        (["--players", "missing.csv"], "missing.csv: there is no such file"),
    ],
)
def test_players_need_a_list(
    options: list[str], message: str, tmp_path: Path, run: Command
) -> None:
    path = tmp_path / "sheet.pdf"
    assert message in run("sheet", "-o", path, *options, code=2).err
    assert not path.exists()


def test_codes_that_nobody_would_read_are_refused(tmp_path: Path, run: Command) -> None:
    """A club that changes the heading alone has its codes read; one that moves the grid does not,
    but printed them all the same."""
    people, path = tmp_path / "players.csv", tmp_path / "sheet.pdf"
    people.write_text("name\nAda\n", encoding="utf-8")
    ours = load_layout("kdscan-a5")
    assert ours.title is not None
    titled = replace(ours, name="club", title=replace(ours.title, text="Club"))
    bare = replace(ours, markers=None)
    moved = replace(ours, cell_mm=(24.0, 21.5))
    for layout, code in ((titled, 0), (bare, 2), (moved, 2)):
        club = tmp_path / "club.toml"
        club.write_text(layout_to_toml(layout), encoding="utf-8")
        options = ("--layout", club, "--players", people)
        err = run("sheet", "-o", path, *options, "--event", "Cup", code=code).err
        assert ("leave --event out" in err) == bool(code)
        run("sheet", "-o", path, *options)


def test_names_are_printed_on_lines_or_the_sheets_are_refused(tmp_path: Path, run: Command) -> None:
    """A name was left out without a word if there was no line for it, or a box before the line."""
    people, path, club = (tmp_path / name for name in ("players.csv", "sheet.pdf", "club.toml"))
    people.write_text("name\nAda\n", encoding="utf-8")
    ours = load_layout("kdscan-a5")
    options = ("--layout", club, "--players", people)
    club.write_text(layout_to_toml(replace(ours, name="club", blanks=())), encoding="utf-8")
    assert "'club' has no line to print 'Ada' on" in run("sheet", "-o", path, *options, code=2).err
    assert not path.exists()
    club.write_text(layout_to_toml(replace(ours, blanks=ours.blanks[::-1])), encoding="utf-8")
    run("sheet", "-o", path, *options)
    with pypdfium2.PdfDocument(path) as document:
        assert "Ada" in document[0].get_textpage().get_text_bounded()


@pytest.mark.parametrize(
    ("side", "pages", "said"),
    [
        ("map", 1, "2 maps on 1 page of A4"),
        ("spellbook", 1, "2 spellbooks on 1 page"),
        ("both", 2, "2 maps, with 2 spellbooks on the backs, on 1 page"),
    ],
)
def test_sheet_prints_the_side_asked_for(
    side: str, pages: int, said: str, tmp_path: Path, run: Command
) -> None:
    path = tmp_path / "sheet.pdf"
    err = run("sheet", "-o", path, "--side", side).err
    with pypdfium2.PdfDocument(path) as document:
        assert len(document) == pages
        first = document[0].get_textpage().get_text_range()
    assert ("SPELLBOOK" in first) == (side == "spellbook")
    assert said in err


def test_a_sheet_is_written_as_pictures_or_to_stdout(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["sheet", "-o", str(tmp_path / "a.png"), "--count", "3"]) == 0
    first = cv2.imread(str(tmp_path / "a-1.png"))
    assert first is not None and first.shape == (3508, 2481, 3)
    assert (tmp_path / "a-2.png").is_file() and not (tmp_path / "a.png").exists()
    assert b"a-1.png \xe2\x80\xa6 " in capfdbinary.readouterr().err
    assert main(["sheet", "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"%PDF")
