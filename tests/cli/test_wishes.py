"""Small features: the only event, quiet, stdin and stdout, pictures, codes of errors."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import cv2
import pytest

from kdscan.cli.main import main
from kdscan.cli.options import UNLAWFUL
from kdscan.cli.score import exit_code
from kdscan.event.store import open_store
from kdscan.event.store.events import ensure_event
from kdscan.rules.duel.players import play_game
from kdscan.rules.problem import Problem
from kdscan.sheets.spellbook.show import to_text
from kdscan.sheets.terminal import Style
from tests.command import Command
from tests.readings import make_book, make_sheet

SAMPLE = Path(__file__).parent.parent.parent / "samples" / "01.jpg"


def test_the_only_event_is_meant_where_none_is_named(tmp_path: Path, run: Command) -> None:
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as kept, kept.write() as db:
        ensure_event(db, "Spring cup")
    assert run("standings", "--store", url).out.startswith("Spring cup: ")
    with open_store(url) as kept, kept.write() as db:
        ensure_event(db, "Autumn cup")
    said = run("standings", "--store", url, code=2).err
    assert "choose one with --event: Spring cup, Autumn cup" in said


def test_the_version_has_a_letter(run: Command) -> None:
    assert run("-V").out.startswith("kdscan ")


def test_quiet_leaves_errors_alone_on_stderr(tmp_path: Path, run: Command) -> None:
    out = str(tmp_path / "sheet.pdf")
    assert run("sheet", "-o", out).err
    assert run("sheet", "-o", out, "--quiet").err == ""
    assert run("sheet", "-o", tmp_path / "none" / "a.pdf", "--quiet", code=2).err


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


def test_a_photo_is_read_from_stdin(monkeypatch: pytest.MonkeyPatch, run: Command) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAMPLE.read_bytes())))
    assert "total" in run("score", "-").out


def test_boards_that_no_game_leads_to_have_a_code_of_their_own() -> None:
    odd = make_sheet(problems=(Problem("odd_shields", "warning", "33 shields"),))
    doubtful = make_sheet(doubtful=[(0, 0)])
    assert exit_code((), [odd], strict=True) == UNLAWFUL == 9
    assert exit_code((), [odd], strict=False) == 0
    assert exit_code((), [odd, doubtful], strict=True) == 5


def test_a_spellbook_is_told_in_the_order_of_our_print() -> None:
    text = to_text(make_book(play_game(1).spellbook), Style(unicode=False))
    names = ["dot", "line", "double dot", "double line", "filled", "checked"]
    told = [next(n for n in sorted(names, key=len, reverse=True) if n in line)
            for line in text.splitlines()[1:7]]  # fmt: skip
    assert told == names
