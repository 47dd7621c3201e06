"""From photos of a pad to sheets that are read by its print: by command, batch and in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

import kdscan
from kdscan.cli.main import main
from kdscan.prints import api
from kdscan.prints.file import to_filed
from kdscan.prints.library import own_library
from kdscan.tournament.store import open_store
from kdscan.tournament.store.events import find_event
from kdscan.tournament.store.prints import EventPrints, event_prints
from kdscan.tournament.store.readings import sheets
from tests.prints.pads import PAINTED, blank, learned, sheet

SEED = PAINTED


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A blank and a filled sheet of a pad."""
    folder = tmp_path_factory.mktemp("pad")
    places = folder / "blank.png", folder / "filled.png"
    for place, photo in zip(places, (blank(SEED), sheet(SEED, 1)), strict=True):
        cv2.imwrite(str(place), photo.bgr)
    return places


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield


def layout_of(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert main(["score", "--json", *map(str, words)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["photos"][0]["sheets"]
    return str(found["layout"])


def test_learned_once_known_from_then_on(
    photos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare, filled = photos
    assert layout_of(capsys, filled) == "unknown"
    picture, file = tmp_path / "found.png", tmp_path / "pad.kdprint"
    assert main(["layout", "learn", str(bare), "--name", "moor", "--overlay", str(picture)]) == 0
    assert "moor" in capsys.readouterr().err
    drawn = cv2.imread(str(picture))
    assert drawn is not None and drawn.shape == (736, 992, 3)
    assert layout_of(capsys, filled) == "moor"
    assert main(["layout", "export", "moor", "-o", str(file)]) == 0
    assert main(["layout", "forget", "moor"]) == 0
    assert layout_of(capsys, filled) == "unknown"
    assert layout_of(capsys, filled, "--layout", file) == "moor"

    (photo,) = kdscan.load_photos(filled)
    (unknown,), (known,) = (
        kdscan.read_photo(photo),
        kdscan.read_photo(photo, prints=[kdscan.load_print(file)]),
    )
    assert isinstance(unknown, kdscan.SheetReading) and isinstance(known, kdscan.SheetReading)
    assert (unknown.layout, known.layout) == ("unknown", "moor")


@pytest.mark.slow
def test_a_batch_knows_the_user_s_prints_and_those_of_its_event(
    photos: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, filled = photos
    own_library().save(replace(learned(SEED), name="moor"))
    url = str(tmp_path / "cup.sqlite")
    event = ["--event", "cup", "--store", url]
    assert main(["batch", str(filled), "--workers", "1", *event]) == 0
    with open_store(url) as store, store.read() as db:
        cup = find_event(db, "cup")
        assert [row.name for row in event_prints(db, cup.id)] == ["moor"]
        assert [one.data["layout"] for one in sheets(db, cup.id)] == ["moor"]
    # Forgotten by the user, it is still the event's; forgotten there too, photos are read anew.
    own_library().forget("moor")
    for forgotten, layout in ((False, "moor"), (True, "unknown")):
        if forgotten:
            assert main(["layout", "forget", "moor", *event]) == 0
        assert main(["batch", str(filled), "--workers", "1", *event]) == 0
        with open_store(url) as store, store.read() as db:
            assert [one.data["layout"] for one in sheets(db, cup.id)] == [layout]
    # And learned into the event alone.
    monkeypatch.setattr(
        api, "learn_print", lambda _, name, **__: to_filed(replace(learned(SEED), name=name))
    )
    assert main(["layout", "learn", str(bare), "--name", "heath", *event]) == 0
    with open_store(url) as store:
        with store.read() as db:
            cup = find_event(db, "cup")
        assert [one.name for one in EventPrints(store, cup.id).load()] == ["heath"]
    assert own_library().load() == ()


def test_what_cannot_be_learned_is_said(
    photos: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = str(photos[1])
    assert main(["layout", "learn", filled]) == 2
    assert "--name" in capsys.readouterr().err
    assert main(["layout", "learn", filled, "--name", "a/b"]) == 2
    assert "cannot hold" in capsys.readouterr().err
    assert main(["layout", "learn", filled, "--name", "pad"]) == 2
    assert "filled" in capsys.readouterr().err
    assert main(["layout", "learn", str(tmp_path / "none.jpg"), "--name", "pad"]) == 3
    assert own_library().load() == ()
