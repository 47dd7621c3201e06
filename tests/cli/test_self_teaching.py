"""A pad learns itself: whoever scores game after game needs not teach it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from kdscan.cli.main import main
from kdscan.detection.layout import UNKNOWN
from kdscan.prints import pile
from kdscan.prints.library import own_library
from kdscan.prints.pool import own_pool
from tests.prints.pads import ENGRAVED, PAINTED, learned_at_once, sheet


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


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


def layouts(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[list[str], str]:
    """The layouts of the sheets in photos, and what was said on stderr."""
    capsys.readouterr()
    assert main(["score", "--json", *map(str, words)]) == 0
    said = capsys.readouterr()
    photos = json.loads(said.out)["photos"]
    return [one["layout"] for photo in photos for one in photo["sheets"]], said.err


def auto(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    capsys.readouterr()
    assert main(["layout", "auto", *words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.slow
def test_the_sixth_game_teaches_the_pad(
    games: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pile, "learn_flat_sheets", learned_at_once)
    found, said = layouts(capsys, "--no-learn", games[0])
    assert auto(capsys) == {"on": True, "sheets": 0, "bytes": 0}
    found, said = layouts(capsys, *games[:7])  # five sheets, one of them twice, and another pad's
    assert set(found) == {UNKNOWN} and "learned" not in said
    kept = auto(capsys)
    assert kept["sheets"] == 6 and 200_000 < int(str(kept["bytes"])) < 3_000_000

    found, said = layouts(capsys, games[7])
    assert found == [UNKNOWN] and "learned from 6" in said and "pad 1" in said
    assert [(p.name, p.sheets, p.by_itself) for p in own_library().load()] == [("pad 1", 6, True)]
    assert sorted({head.layout for head in own_pool().heads()}) == ["pad 1", UNKNOWN]
    found, said = layouts(capsys, games[8], games[2], games[0])
    assert found == ["pad 1", "pad 1", UNKNOWN] and "learned" not in said
    assert auto(capsys)["sheets"] == 8  # the one that was known already is kept once

    found, said = layouts(capsys, games[9])  # the eighth sheet: known better from now on
    assert found == ["pad 1"] and "learned from 8" in said
    assert [(p.name, p.sheets, p.by_itself) for p in own_library().load()] == [("pad 1", 8, True)]

    assert main(["layout", "forget", "pad 1"]) == 0
    assert "auto on" in capsys.readouterr().err
    assert auto(capsys) == {"on": False, "sheets": 0, "bytes": 0}
    assert layouts(capsys, games[8])[0] == [UNKNOWN]
    assert auto(capsys)["sheets"] == 0
    assert auto(capsys, "on") == {"on": True, "sheets": 0, "bytes": 0}
    layouts(capsys, games[8])
    assert auto(capsys)["sheets"] == 1
