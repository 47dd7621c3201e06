"""`kdscan score` around the reader: files, corrections, JSON, text, overlays, exit codes.

The reader itself is replaced by hand-made readings; whole photos are read in the end-to-end tests.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest
from PIL import Image

from kdscan import reader as reading
from kdscan.cli.main import main
from kdscan.cli.score import exit_code
from kdscan.cli.shared import UNLAWFUL
from kdscan.errors import ModelError, NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.rules import Problem
from kdscan.sheets.base import AnyReading
from kdscan.sheets.common import ReadOptions
from tests.command import Command
from tests.readings import BOARD, make_kingdom, make_sheet

SURE = make_sheet("\n".join(reversed(BOARD.strip().splitlines())))
"""Another board than the unsure one, or both would be read together."""
UNSURE = make_sheet(doubtful=[(0, 5)])

# The pictures' width says what the reader finds in them.
FOUND: dict[int, tuple[AnyReading, ...] | Exception] = {
    800: (SURE,),
    801: (UNSURE,),
    806: (make_sheet(),),
    802: (SURE, make_sheet("\n".join(BOARD.strip().splitlines()).replace("f++", "f+"))),
    803: NoSheetFound("no map was found in this picture; take it again"),
    804: ZeroDivisionError("unforeseen"),
    805: ModelError("the model is damaged; install kdscan again"),
    807: (make_kingdom(doubtful={(0, 1): ("wheat", 1)}),),
}


def found_by_width(photo: Photo, options: ReadOptions, *_: object) -> tuple[AnyReading, ...]:
    assert 0 <= options.risk <= 1
    found = FOUND[photo.width]
    if isinstance(found, Exception):
        raise found
    return found


Make = Callable[..., str]


@pytest.fixture
def photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a photo in which the reader finds `FOUND[width]`; returns its name."""
    monkeypatch.setattr(reading, "read_with", found_by_width)

    def make(width: int, name: str = "") -> str:
        path = tmp_path / (name or f"{width}.jpg")
        Image.new("RGB", (width, 600), "grey").save(path)
        return str(path)

    return make


def test_json_has_an_entry_for_each_argument(photo: Make, tmp_path: Path, run: Command) -> None:
    (tmp_path / "empty.jpg").touch()
    names = [str(tmp_path / "empty.jpg"), photo(800), photo(803), str(tmp_path / "none.jpg")]
    said = run("score", "--json", *names, code=7).json
    assert said["schema"] == "kdscan/1"
    assert said["game"] is None
    assert [p["photo"] for p in said["photos"]] == names
    codes = [p["error"] and p["error"]["code"] for p in said["photos"]]
    assert codes == ["unreadable_image", None, "no_sheet", "unreadable_image"]
    assert [len(p["sheets"]) for p in said["photos"]] == [0, 1, 0, 0]
    assert [p["width"] for p in said["photos"]] == [None, 800, 803, None]


@pytest.mark.parametrize(
    ("widths", "options", "code"),
    [
        ([800], [], 0),
        ([800], ["--strict"], 0),
        ([801], ["--strict"], 5),
        ([800, 803], ["--strict"], 5),
        ([800, 0], ["--strict"], 5),
        ([803], [], 4),
        ([0], [], 3),
        ([800, 803], [], 0),
        ([800, 0], [], 7),
        ([804, 800], [], 1),
        ([805], [], 6),
    ],
)
def test_exit_codes(
    widths: list[int], options: list[str], code: int, photo: Make, run: Command
) -> None:
    names = [photo(w) if w else "missing.jpg" for w in widths]
    said = run("score", *options, *names, code=code)
    assert "Traceback" not in said.err
    readable = [w for w in widths if w in (800, 801)]
    assert said.out.count("total 37") == len(readable)  # failures stop no other photo


def test_a_folder_and_a_pattern_mean_the_photos_in_them(
    photo: Make, tmp_path: Path, run: Command
) -> None:
    names = [photo(800, "b.jpg"), photo(801, "a.jpg"), photo(806, "c.png")]
    (tmp_path / "notes.txt").touch()
    for given, expected in (
        (tmp_path, [names[1], names[0], names[2]]),
        (tmp_path / "*.jpg", [names[1], names[0]]),
    ):
        entries = run("score", "--json", given).json["photos"]
        assert [entry["photo"] for entry in entries] == expected
    assert "no file matches" in run("score", tmp_path / "*.gif", code=2).err
    (tmp_path / "empty").mkdir()
    assert "no photo in this folder" in run("score", tmp_path / "empty", code=2).err


def test_several_photos_of_a_sheet_settle_what_strict_asks_for(photo: Make, run: Command) -> None:
    text = run("score", photo(801), photo(806), "--strict").out
    assert "Photos 1 and 2 show the same sheet" in text and "close-up" not in text


def test_a_corrected_cell_changes_the_score(photo: Make, run: Command) -> None:
    (sheet,) = run("score", "--json", photo(801), "--set", "F1=f+++").json["photos"][0]["sheets"]
    assert sheet["score"]["total"] == 37 + 4  # four shields, one more cross
    cell = next(c for c in sheet["cells"] if (c["row"], c["col"]) == (0, 5))
    assert (cell["coat"], cell["crosses"], cell["review"]) == ("filled", 3, False)
    assert cell["seen"] == {"coat": "filled", "crosses": 2}


def test_a_correction_goes_to_its_own_photo_and_sheet(photo: Make, run: Command) -> None:
    words = ("--json", "--set", "2.2:F1=f++++")
    first, second = run("score", photo(800), photo(802), *words).json["photos"]
    totals = [s["score"]["total"] for s in (*first["sheets"], *second["sheets"])]
    assert totals == [37, 37, 45]


@pytest.mark.parametrize("text", ["F1=f", "3:F1=f", "1.2:F1=f"])
def test_a_correction_without_its_photo_is_wrong_usage(
    text: str, photo: Make, run: Command
) -> None:
    assert f"--set {text}" in run("score", photo(800), photo(801), "--set", text, code=2).err


def test_pages_are_photos(photo: Make, tmp_path: Path, run: Command) -> None:
    photo(800)
    pages = [Image.new("RGB", (width, 600), "grey") for width in (800, 803, 801)]
    path = tmp_path / "scan.tif"
    pages[0].save(path, save_all=True, append_images=pages[1:])
    entries = run("score", "--json", path).json["photos"]
    assert [e["page"] for e in entries] == [0, 1, 2]
    assert [len(e["sheets"]) for e in entries] == [1, 0, 1]
    assert "scan.tif, page 3" in run("score", path).out


def test_two_maps_in_one_photo_are_a_game(photo: Make, run: Command) -> None:
    game = run("score", "--json", photo(802)).json["game"]
    assert game["winner"] == 0
    assert game["decided_by"] == "score"
    assert [p["total"] for p in game["players"]] == [37, 33]
    assert "Map 1 wins, 37 : 33" in run("score", photo(802)).out


@pytest.mark.parametrize("name", ["out.png", "out.JPG", "out.webp"])
def test_overlay_of_one_photo(name: str, photo: Make, tmp_path: Path, run: Command) -> None:
    out = tmp_path / name
    run("score", photo(801), "--overlay", out)
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape[1] == 801
    assert drawn.shape[0] > 600  # a strip with the doubtful shield
    run("score", out, code=3)  # or, beside its photo, it would count as another one of the sheet


def test_overlays_of_several_photos_are_numbered(photo: Make, tmp_path: Path, run: Command) -> None:
    out = tmp_path / "out.jpg"
    run("score", photo(800), photo(803), photo(801), "--overlay", out)
    assert sorted(p.name for p in tmp_path.glob("out*")) == ["out-1.jpg", "out-3.jpg"]


def test_ink_that_there_is_none_of_is_said(photo: Make, tmp_path: Path, run: Command) -> None:
    out = tmp_path / "ink.png"
    said = run("score", photo(807), "--overlay", out, "--overlay-style", "ink")
    assert f"--overlay {out}: not written" in said.err
    assert not out.exists()


def test_a_photo_is_never_drawn_over(photo: Make, run: Command) -> None:
    name = photo(800)
    before = Path(name).read_bytes()
    assert "name another file" in run("score", name, "--overlay", name, code=2).err
    assert Path(name).read_bytes() == before
    numbered = photo(801, "out-1.jpg")
    before = Path(numbered).read_bytes()
    run("score", numbered, name, "--overlay", numbered.replace("-1", ""), code=2)
    assert Path(numbered).read_bytes() == before


def test_text_without_unicode_or_colour(photo: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    assert main(["score", photo(801)]) == 0
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    assert "| d+ " in text
    assert "\x1b" not in text


def test_a_file_name_that_no_encoding_has(photo: Make, run: Command) -> None:
    (entry,) = run("score", "--json", "no-such-\udcff.jpg", code=3).json["photos"]
    assert entry["photo"] == r"no-such-\xff.jpg"


def test_a_kingdom_in_json_and_put_right(photo: Make, run: Command) -> None:
    (before,) = run("score", "--json", photo(807)).json["photos"][0]["sheets"]
    assert (before["kind"], before["size"], before["review"]) == ("kingdom", 5, True)
    (after,) = run("score", "--json", photo(807), "--set", "B1=w+ E3=l").json["photos"][0]["sheets"]
    assert after["cells"][1]["crowns"] == 1
    assert after["cells"][14]["terrain"] == "lake"
    assert after["score"]["total"] > before["score"]["total"]


def test_rules_of_the_other_game_are_refused_where_the_game_is_named(
    photo: Make, run: Command
) -> None:
    said = run("score", photo(800), "--game", "duel", "--middle-kingdom", code=2).err
    assert "--middle-kingdom only applies to kingdomino" in said
    run("score", photo(807), "--game", "kingdomino", "--middle-kingdom")


def test_a_photo_is_read_from_stdin(
    photo: Make, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(photo(800)).read_bytes())))
    assert "total" in run("score", "-").out


def test_boards_that_no_game_leads_to_have_a_code_of_their_own() -> None:
    odd = make_sheet(problems=(Problem("odd_shields", "warning", "33 shields"),))
    doubtful = make_sheet(doubtful=[(0, 0)])
    assert exit_code((), [odd], strict=True) == UNLAWFUL == 9
    assert exit_code((), [odd], strict=False) == 0
    assert exit_code((), [odd, doubtful], strict=True) == 5
