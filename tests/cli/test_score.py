"""`kdscan score` around the reader: files, corrections, JSON, text, overlays, exit codes.

The reader itself is replaced by readings made by hand; whole photos are read in the
end-to-end tests.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from PIL import Image

from kdscan.cli.main import main
from kdscan.errors import ModelError, NoSheetFound
from kdscan.kinds.common.options import ReadOptions
from kdscan.pipeline import pages as reading
from kdscan.records import AnyReading, Photo
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


@pytest.fixture
def photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes a photo in which the reader finds `FOUND[width]`; returns its name."""
    monkeypatch.setattr(reading, "read_with", found_by_width)

    def make(width: int, name: str = "") -> str:
        path = tmp_path / (name or f"{width}.jpg")
        Image.new("RGB", (width, 600), "grey").save(path)
        return str(path)

    return make


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


def test_json_has_an_entry_for_each_argument(
    photo: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jpg").touch()
    names = [str(tmp_path / "empty.jpg"), photo(800), photo(803), str(tmp_path / "none.jpg")]
    assert main(["score", "--json", *names]) == 7
    said = answer(capsys)
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
        ([801], [], 0),
        ([800], ["--strict"], 0),
        ([801], ["--strict"], 5),
        ([800, 801], ["--strict"], 5),
        ([800, 803], ["--strict"], 5),
        ([800, 0], ["--strict"], 5),
        ([803], [], 4),
        ([803, 0], [], 4),
        ([0], [], 3),
        ([0, 0], ["--strict"], 3),
        ([800, 803], [], 0),
        ([800, 0], [], 7),
        ([804], [], 1),
        ([804, 800], [], 1),
        ([805], [], 6),
    ],
)
def test_exit_codes(
    widths: list[int],
    options: list[str],
    code: int,
    photo: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [photo(w) if w else "missing.jpg" for w in widths]
    assert main(["score", *options, *names]) == code
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    readable = [w for w in widths if w in (800, 801)]
    assert said.out.count("total 37") == len(readable)  # failures stop no other photo


def test_a_failed_photo_is_named_on_stderr(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["score", "missing.jpg", photo(800)])
    assert "kdscan: missing.jpg: there is no such file" in capsys.readouterr().err


def test_a_corrected_cell_changes_the_score(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--json", photo(801), "--set", "F1=f+++"]) == 0
    (sheet,) = answer(capsys)["photos"][0]["sheets"]
    assert sheet["score"]["total"] == 37 + 4  # four shields, one more cross
    cell = next(c for c in sheet["cells"] if (c["row"], c["col"]) == (0, 5))
    assert (cell["coat"], cell["crosses"], cell["review"]) == ("filled", 3, False)
    assert cell["seen"] == {"coat": "filled", "crosses": 2}


def test_a_correction_goes_to_its_own_photo_and_sheet(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--json", photo(800), photo(802), "--set", "2.2:F1=f++++"]) == 0
    first, second = answer(capsys)["photos"]
    totals = [s["score"]["total"] for s in (*first["sheets"], *second["sheets"])]
    assert totals == [37, 37, 45]


@pytest.mark.parametrize("text", ["F1=f", "3:F1=f", "1.2:F1=f"])
def test_a_correction_without_its_photo_is_wrong_usage(
    text: str, photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", photo(800), photo(801), "--set", text]) == 2
    assert f"--set {text}" in capsys.readouterr().err


def test_pages_are_photos(
    photo: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photo(800)
    pages = [Image.new("RGB", (width, 600), "grey") for width in (800, 803, 801)]
    path = tmp_path / "scan.tif"
    pages[0].save(path, save_all=True, append_images=pages[1:])
    assert main(["score", "--json", str(path)]) == 0
    entries = answer(capsys)["photos"]
    assert [e["page"] for e in entries] == [0, 1, 2]
    assert [len(e["sheets"]) for e in entries] == [1, 0, 1]
    assert main(["score", str(path)]) == 0
    assert "scan.tif, page 3" in capsys.readouterr().out


def test_two_maps_in_one_photo_are_a_game(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--json", photo(802)]) == 0
    game = answer(capsys)["game"]
    assert game["winner"] == 0
    assert game["decided_by"] == "score"
    assert [p["total"] for p in game["players"]] == [37, 33]
    assert main(["score", photo(802)]) == 0
    assert "Map 1 wins, 37 : 33" in capsys.readouterr().out


def test_overlay_of_one_photo(photo: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    assert main(["score", photo(801), "--overlay", str(out)]) == 0
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape[1] == 801
    assert drawn.shape[0] > 600  # a strip with the doubtful shield


def test_overlays_of_several_photos_are_numbered(photo: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "out.jpg"
    assert main(["score", photo(800), photo(803), photo(801), "--overlay", str(out)]) == 0
    assert sorted(p.name for p in tmp_path.glob("out*")) == ["out-1.jpg", "out-3.jpg"]


def test_a_photo_is_never_drawn_over(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = photo(800)
    before = Path(name).read_bytes()
    assert main(["score", name, "--overlay", name]) == 2
    assert Path(name).read_bytes() == before
    assert "name another file" in capsys.readouterr().err
    numbered = photo(801, "out-1.jpg")
    before = Path(numbered).read_bytes()
    assert main(["score", numbered, name, "--overlay", numbered.replace("-1", "")]) == 2
    assert Path(numbered).read_bytes() == before


def test_an_overlay_that_cannot_be_written(
    photo: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "x" * 300 + ".png"
    assert main(["score", photo(800), "--overlay", str(tmp_path / name)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_text_without_unicode_or_colour(
    photo: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    assert main(["score", photo(801)]) == 0
    stream.flush()
    text = stream.buffer.getvalue().decode("ascii")
    assert "| d+ " in text
    assert "\x1b" not in text


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_color", [False, True])
def test_colours_on_a_terminal_unless_unwanted(
    no_color: bool, photo: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = photo(800)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    monkeypatch.setattr("sys.stdout", stream)
    assert main(["score", name]) == 0
    assert ("\x1b[30;48;5;" in stream.getvalue()) is not no_color


def test_progress_is_for_terminals(
    photo: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [photo(800), photo(801)]
    main(["score", *names])
    assert "[2/2]" not in capsys.readouterr().err
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    main(["score", *names])
    assert "[2/2]" in stream.getvalue()


def test_a_file_name_that_no_encoding_has(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--json", "no-such-\udcff.jpg"]) == 3
    assert answer(capsys)["photos"][0]["photo"] == r"no-such-\xff.jpg"


def test_a_kingdom_in_json_and_put_right(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--json", photo(807)]) == 0
    (before,) = answer(capsys)["photos"][0]["sheets"]
    assert (before["kind"], before["size"], before["review"]) == ("kingdom", 5, True)
    assert main(["score", "--json", photo(807), "--set", "B1=w+ E3=l"]) == 0
    (after,) = answer(capsys)["photos"][0]["sheets"]
    assert after["cells"][1]["crowns"] == 1
    assert after["cells"][14]["terrain"] == "lake"
    assert after["score"]["total"] > before["score"]["total"]


@pytest.mark.parametrize(
    ("width", "said", "why"),
    [
        (807, "A6=w", "A1 to E5"),
        (807, "A1=dd", "no square"),
        (807, "A1=w++", "no square"),
        (800, "A1=w", "no coat"),
    ],
)
def test_what_does_not_fit_the_sheet_is_refused(
    width: int,
    said: str,
    why: str,
    photo: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["score", photo(width), "--set", said]) == 2
    assert why in capsys.readouterr().err


def test_a_dynasty_is_added_up(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", photo(807, "a.jpg"), photo(807, "b.jpg"), "--dynasty"]) == 0
    one = make_kingdom().score.total
    assert f"Dynasty of 2 kingdoms: {2 * one} points" in capsys.readouterr().out


def test_a_second_photo_of_the_sheet_settles_it(
    photo: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", photo(801), photo(806), "--strict"]) == 0
    assert "Photos 1 and 2 show one sheet" in capsys.readouterr().out
