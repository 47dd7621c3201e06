"""From photos of a pad to sheets that are read with its print: by command, batch and in Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import pytest

import kdscan
from kdscan.cli import template as template_commands
from kdscan.event.events import find_row
from kdscan.event.prints import EventPrints, event_prints
from kdscan.event.store import open_store
from kdscan.event.store.photos import read_sheets
from kdscan.templates.library import own_library
from tests.command import Command
from tests.templates.pads import PAINTED, blank, learned, sheet

pytestmark = pytest.mark.usefixtures("own_data", "read_here")

SEED = PAINTED


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A blank and a filled sheet of a pad."""
    folder = tmp_path_factory.mktemp("pad")
    places = folder / "blank.png", folder / "filled.png"
    for place, photo in zip(places, (blank(SEED), sheet(SEED, 1)), strict=True):
        cv2.imwrite(str(place), photo.bgr)
    return places


def layout_of(run: Command, *words: object) -> str:
    (found,) = run("score", "--json", *words).json["photos"][0]["sheets"]
    assert "mirrored" not in [problem["code"] for problem in found["problems"]]
    return str(found["layout"])


def test_learned_once_known_from_then_on(
    photos: tuple[Path, Path], tmp_path: Path, run: Command
) -> None:
    bare, filled = photos
    picture, file = tmp_path / "found.png", tmp_path / "pad.kdprint"
    words = ("template", "learn", bare, "--name", "moor", "--overlay", picture)
    assert "mirrored" in run(*words).err, "a blank sheet does not tell"
    drawn = cv2.imread(str(picture))
    assert drawn is not None and drawn.shape == (736, 992, 3)
    assert layout_of(run, filled) == "moor"
    run("template", "export", "moor", "-o", file)
    run("template", "forget", "moor")
    assert layout_of(run, filled) == "unknown"
    assert layout_of(run, filled, "--template", file) == "moor"

    (photo,) = kdscan.load_photos(filled)
    (known,) = kdscan.read_photo(photo, prints=[kdscan.load_template(file)])
    assert isinstance(known, kdscan.MapReading) and known.layout == "moor"


@pytest.mark.slow
def test_a_batch_knows_the_user_s_prints_and_those_of_its_event(
    photos: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    bare, filled = photos
    own_library().save(replace(learned(SEED), name="moor"))
    url = str(tmp_path / "cup.sqlite")
    event = ["--event", "cup", "--store", url]
    run("batch", filled, *event)
    with open_store(url) as store, store.read() as db:
        cup = find_row(db, "cup")
        assert [row.name for row in event_prints(db, cup.id)] == ["moor"]
        assert [one.data["layout"] for one in read_sheets(db, event_id=cup.id)] == ["moor"]
    # Forgotten by the user, it is still the event's; forgotten there too, photos are read anew.
    own_library().forget("moor")
    for forgotten, layout in ((False, "moor"), (True, "unknown")):
        if forgotten:
            run("template", "forget", "moor", *event)
        run("batch", filled, *event)
        with open_store(url) as store, store.read() as db:
            assert [one.data["layout"] for one in read_sheets(db, event_id=cup.id)] == [layout]
    # And learned into the event alone.
    monkeypatch.setattr(
        template_commands, "learn_template", lambda _, name, **__: replace(learned(SEED), name=name)
    )
    run("template", "learn", bare, "--name", "heath", *event)
    with open_store(url) as store:
        with store.read() as db:
            cup = find_row(db, "cup")
        assert [one.name for one in EventPrints(store, cup.id).load()] == ["heath"]
    assert own_library().load() == ()


def test_what_cannot_be_learned_is_said(
    photos: tuple[Path, Path], tmp_path: Path, run: Command
) -> None:
    filled = str(photos[1])
    assert "--name" in run("template", "learn", filled, code=2).err
    assert "cannot contain" in run("template", "learn", filled, "--name", "a/b", code=2).err
    words = ("template", "learn", filled, "--name", "pad")
    assert "filled" in run(*words, code=2).err
    nothing = tmp_path / "none.jpg"
    assert str(nothing) in run(*words, nothing, code=3).err
    assert ".kdprint" in run("template", "learn", filled, "-o", tmp_path / "pad.txt", code=2).err
    assert own_library().load() == ()
