"""A pad is learned automatically: scoring game after game teaches it."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path

import cv2
import pytest
from PIL import Image

from kdscan import reader
from kdscan.cli.auto_learning import AutoLearner
from kdscan.cli.terminal import CLEAR_LINE
from kdscan.detection.layout import UNKNOWN_LAYOUT
from kdscan.imaging.picture import Photo
from kdscan.reader import read_with
from kdscan.sheets.base import AnyReading
from kdscan.sheets.common import ReadOptions
from kdscan.templates import pile, pool
from kdscan.templates.known import KnownPrint
from kdscan.templates.library import own_library
from kdscan.templates.pool import SheetPool, own_pool
from tests.command import Command
from tests.templates.pads import ENGRAVED, PAINTED, learned_at_once, sheet

pytestmark = pytest.mark.usefixtures("own_data", "read_once")

READ: dict[object, tuple[AnyReading, ...]] = {}


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads each photo once with each set of prints for all tests: it says the same every time."""

    def read(photo: Photo, options: ReadOptions) -> tuple[AnyReading, ...]:
        pixels = photo.bgr if photo.half is None else photo.half
        arrays = [pixels, *(array for one in options.prints for array in (one.bgr, one.known))]
        names = tuple(one.name for one in options.prints)
        key = (names, *(hashlib.sha256(a.tobytes()).digest() for a in arrays))
        if key not in READ:
            READ[key] = read_with(photo, options)
        return READ[key]

    monkeypatch.setattr(reader, "read_with", read)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Photos of a pad's eight sheets, the first one of them twice, and before them of another's."""
    folder, paths = tmp_path_factory.mktemp("games"), []
    for seed, number, name in [
        (ENGRAVED, 1, "other"),
        (PAINTED, 1, "again"),
        *((PAINTED, n, str(n)) for n in range(1, 9)),
    ]:
        paths.append(folder / f"{name}.jpg")
        quality = 80 if name == "again" else 92
        cv2.imwrite(str(paths[-1]), sheet(seed, number).bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return paths


def layouts(run: Command, *words: object) -> tuple[list[str], str]:
    """The layouts of the sheets in photos, and what was said on stderr."""
    said = run("score", "--json", *words)
    photos = json.loads(said.out)["photos"]
    return [one["layout"] for photo in photos for one in photo["sheets"]], said.err


def auto(run: Command, *words: str) -> dict[str, object]:
    return dict(run("layout", "auto", *words, "--json").json)


@pytest.mark.slow
def test_the_fourth_game_teaches_the_pad(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    found, said = layouts(run, "--no-learn", games[0])
    assert auto(run) == {"on": True, "sheets": 0, "bytes": 0}
    found, said = layouts(run, *games[:5])  # three sheets, one of them twice, and another pad's
    assert set(found) == {UNKNOWN_LAYOUT} and "learned" not in said
    kept = auto(run)
    assert kept["sheets"] == 4 and 200_000 < int(str(kept["bytes"])) < 3_000_000

    found, said = layouts(run, games[5])
    assert found == ["pad 1"] and "learned from 4" in said and "pad 1" in said
    assert [(p.name, p.sheets, p.by_itself) for p in own_library().load()] == [("pad 1", 4, True)]
    assert sorted({head.layout for head in own_pool().heads()}) == ["pad 1", UNKNOWN_LAYOUT]
    found, said = layouts(run, *games[6:9], games[2], games[0])
    assert found == ["pad 1"] * 4 + [UNKNOWN_LAYOUT] and "learned" not in said
    assert auto(run)["sheets"] == 8  # the one that was known already is kept once

    found, said = layouts(run, games[9])  # the eighth sheet: known better from now on
    assert found == ["pad 1"] and "learned from 8" in said
    assert [(p.name, p.sheets, p.by_itself) for p in own_library().load()] == [("pad 1", 8, True)]

    assert "auto on" in run("layout", "forget", "pad 1").err
    assert auto(run) == {"on": False, "sheets": 0, "bytes": 0}
    assert layouts(run, games[8])[0] == [UNKNOWN_LAYOUT]
    assert auto(run)["sheets"] == 0
    assert auto(run, "on") == {"on": True, "sheets": 0, "bytes": 0}
    layouts(run, games[8])
    assert auto(run)["sheets"] == 1


def test_where_no_sheet_can_be_kept_the_score_is_told_all_the_same(
    games: list[Path], run: Command
) -> None:
    own_pool().folder.parent.mkdir(parents=True)
    own_pool().folder.write_text("in the way")
    found, said = layouts(run, games[2])
    assert found == [UNKNOWN_LAYOUT]
    assert "no pad can be learned from these sheets" in said and "cannot be written" in said
    assert "another file" not in said, "no file was named"


@pytest.mark.slow
def test_sheets_that_teach_a_pad_together_are_read_again_by_it(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    overlay = tmp_path / "o.jpg"
    words = ("--set", "3:A1=f", "--overlay", overlay)
    said = run("score", *games[:6], *words, code=0)
    assert "learned from 4" in said.err
    shown = [[n for n in range(1, 8) if f"{n}: " in text] for text in said.out.split("Read again")]
    assert shown == [[1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6]]
    assert sorted(tmp_path.glob("o*")) == [tmp_path / f"o-{n}.jpg" for n in range(1, 7)]

    run("layout", "forget", "pad 1")
    run("layout", "auto", "on")
    photos = run("score", "--json", *games[:6], *words[:2]).json["photos"]
    assert [Path(one["photo"]).stem for one in photos] == ["other", "again", "1", "2", "3", "4"]
    assert [one["sheets"][0]["layout"] for one in photos] == [UNKNOWN_LAYOUT] + ["pad 1"] * 5
    assert photos[2]["sheets"][0]["cells"][0]["coat"] == "filled", "corrections hold"


@pytest.mark.slow
def test_a_photo_from_a_pipe_is_read_again_too(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(games[2].read_bytes())))
    assert layouts(run, "-", *games[3:6])[0] == ["pad 1"] * 4


@pytest.mark.slow
def test_a_file_that_goes_meanwhile_mixes_up_no_photos(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    scan, learn = tmp_path / "scan.tif", AutoLearner.learn
    first, second = (Image.open(path) for path in games[2:4])
    first.save(scan, save_all=True, append_images=[second])

    def learn_slowly(teaching: AutoLearner) -> list[KnownPrint]:
        scan.unlink(missing_ok=True)
        return learn(teaching)

    monkeypatch.setattr(AutoLearner, "learn", learn_slowly)
    said = run("score", "--json", scan, *games[4:6])
    assert "learned from 4" in said.err
    assert [(Path(p["photo"]).stem, p["page"]) for p in said.json["photos"]] == [
        *(("scan", 0), ("scan", 1), ("3", 0), ("4", 0))
    ]


@pytest.mark.slow
def test_of_more_sheets_than_are_kept_the_first_teach_their_pad_too(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    monkeypatch.setattr(pool, "MAX_KEPT", 4)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    found, said = layouts(run, *games[2:6], games[0])
    assert found == ["pad 1"] * 4 + [UNKNOWN_LAYOUT] and "learned from 4" in said
    assert said.endswith(CLEAR_LINE), "nothing stays of the progress"
    assert UNKNOWN_LAYOUT in {head.layout for head in own_pool().heads()}, (
        "the others wait for more"
    )


def test_a_bug_in_learning_costs_no_answer(
    games: list[Path], run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(*_: object) -> list[KnownPrint]:
        raise RuntimeError("no matter")

    monkeypatch.setattr(SheetPool, "learn", learn)
    found, said = layouts(run, games[0])
    assert found == [UNKNOWN_LAYOUT] and "a bug in kdscan: RuntimeError: no matter" in said
