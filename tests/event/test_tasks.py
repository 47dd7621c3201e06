"""What a worker does with a file and its faults."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kdscan.errors import ModelError, ReaderDied, StoreError
from kdscan.event.store.files import suffix_of
from kdscan.event.tasks import Ingest, Ingested, Read
from kdscan.i18n.errors import error_json
from kdscan.imaging import formats
from kdscan.inference.store import default_models

SAMPLE = Path(__file__).parent.parent.parent / "samples" / "04.jpg"


def take(place: Path, tmp_path: Path) -> Ingested:
    return Ingest(place.name, str(place), str(tmp_path / "photos"), suffix_of(place.name)).perform()


def test_a_file_is_kept_before_it_is_looked_into(tmp_path: Path) -> None:
    broken = tmp_path / "a.JPG"
    broken.write_bytes(SAMPLE.read_bytes()[:5000])
    taken = take(broken, tmp_path)
    assert taken.problem is None or taken.problem["code"] == "unreadable_image"
    assert taken.sha256 is not None
    kept = tmp_path / "photos" / taken.sha256[:2] / f"{taken.sha256}.jpg"
    assert kept.read_bytes() == broken.read_bytes()


@pytest.mark.parametrize("what", ["missing", "folder", "large", "loop"])
def test_what_cannot_be_read_is_said(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a.jpg"
    if what == "folder":
        place.mkdir()
    if what == "large":
        shutil.copy(SAMPLE, place)
        monkeypatch.setattr(formats, "MAX_BYTES", 1000)
    if what == "loop":
        place.symlink_to(place.name)
    taken = take(place, tmp_path)
    assert taken.sha256 is None
    assert taken.problem is not None
    assert str(tmp_path) not in json.dumps(taken.problem) or what == "folder"
    assert taken.problem["code"] == ("image_too_large" if what == "large" else "unreadable_image")
    assert not (tmp_path / "photos").exists()


def test_a_page_is_read_by_the_models_that_were_asked_for(tmp_path: Path) -> None:
    taken = take(SAMPLE, tmp_path)
    assert taken.sha256 is not None
    models = default_models().version
    task = Read(str(tmp_path / "photos"), taken.sha256, taken.suffix, 0, models)
    done = task.perform()
    assert [sheet["kind"] for sheet in done.entry["sheets"]] == ["duel_map"]
    assert done.kept[0] is not None
    with pytest.raises(ModelError, match="different models"):
        Read(task.photos, task.sha256, task.suffix, 0, "models-0").perform()
    with pytest.raises(StoreError):
        Read(task.photos, "0" * 64, task.suffix, 0, models).perform()


def test_a_task_that_killed_its_worker_has_a_result_too() -> None:
    error = ReaderDied("it ended")
    taken = Ingest("a.jpg", "a.jpg", "p", "").failed(error)
    assert taken.problem == error_json(ReaderDied("it ended"))
    done = Read("p", "ab", "", 3, "m").failed(error)
    assert (done.entry["page"], done.entry["error"]["code"]) == (3, "reader_died")
