"""The samples end to end: their readings, and that no error is silent.

`NN.reading.json` is the output of `kdscan score NN.jpg --json` when the models were published; a
new model must be published with new readings, reviewed and approved:

    cd samples; for photo in *.jpg; do
        kdscan score $photo --json | python -m json.tool --indent 1 > ${photo%.jpg}.reading.json
    done
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.sheets.base import maps_of
from kdscan.sheets.duel_map.model import MapReading

SAMPLES = Path(__file__).parent.parent / "samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.jpg"))
TOSS_UP = 0.6
"""Confidence of a cell below which the second answer is as good: one of sample 11 has 0.53."""


@cache
def read(name: str) -> MapReading:
    (sheet,) = maps_of(read_photo(next(iter(load_photos(SAMPLES / f"{name}.jpg")))))
    return sheet


def truth(name: str) -> dict[str, Any]:
    return dict(json.loads((SAMPLES / f"{name}.json").read_text("utf-8")))


def test_a_map_that_the_picture_cuts_off_is_reported_beside_a_whole_one() -> None:
    whole = next(iter(load_photos(SAMPLES / "03.jpg"))).bgr
    both = np.hstack([whole, whole[:, : whole.shape[1] // 2]])
    (sheet,) = read_photo(Photo(both))
    (problem,) = sheet.problems
    assert (problem.code, "the right edge" in problem.message) == ("map_cut_off", True)


def test_there_are_samples_of_many_layouts() -> None:
    assert len(NAMES) >= 8
    assert len({json.dumps(truth(n)["design"]) + str(truth(n)["seed"]) for n in NAMES}) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_is_found_where_it_is(name: str) -> None:
    at = np.array([truth(name)["pixels"][f"{r},{c}"] for r, c in CELLS])
    got = np.array([read(name).rectified.centers_xy[cell] for cell in CELLS])
    pitch = np.linalg.norm(at[0] - at[6]) / 6
    assert np.linalg.norm(at - got, axis=1).max() < 0.25 * pitch


@pytest.mark.parametrize("name", NAMES)
def test_no_sample_is_wrong_in_silence(name: str) -> None:
    sheet = read(name)
    assert sheet.score.domain_points == truth(name)["score"] or sheet.review


@pytest.mark.parametrize("name", NAMES)
def test_the_reading_is_the_one_that_was_published(name: str) -> None:
    """Processors round differently, which may decide what is a toss-up, and no more than that."""
    published = json.loads((SAMPLES / f"{name}.reading.json").read_text("utf-8"))
    (said,) = published["photos"][0]["sheets"]
    sheet = read(name)
    read_as = [c.content for c in sheet.cells]
    for cell, was in zip(read_as, said["cells"], strict=True):
        either = was["alternatives"] if was["confidence"] < TOSS_UP else []
        assert cell in {(one["coat"], one["crosses"]) for one in (was, *either)}
    if read_as == [(c["coat"], c["crosses"]) for c in said["cells"]]:
        assert sheet.score.total == said["score"]["total"]
    assert sheet.review == said["review"]
    assert sheet.confidence == pytest.approx(said["confidence"], abs=0.02)
    assert sheet.layout == said["layout"]


PAD = SAMPLES / "pad"


def test_the_pad_is_one_print_on_a_blank_and_three_filled_sheets() -> None:
    about = {path.stem: json.loads(path.read_text("utf-8")) for path in PAD.glob("*.json")}
    assert len({(truth["design"], truth["seed"]) for truth in about.values()}) == 1
    assert about.pop("blank")["board"] == {}
    assert len(about) == 3 and all(len(truth["board"]) > 20 for truth in about.values())


@pytest.mark.parametrize("path", sorted(PAD.glob("*.jpg")), ids=lambda path: path.stem)
def test_sheets_of_the_pad_are_found_and_never_wrong_in_silence(path: Path) -> None:
    told = json.loads(path.with_suffix(".json").read_text("utf-8"))
    (sheet,) = maps_of(read_photo(next(iter(load_photos(path)))))
    at = np.array([told["pixels"][f"{r},{c}"] for r, c in CELLS])
    got = np.array([sheet.rectified.centers_xy[cell] for cell in CELLS])
    pitch = np.linalg.norm(at[0] - at[6]) / 6
    assert np.linalg.norm(at - got, axis=1).max() < 0.25 * pitch
    assert sheet.score.domain_points == told["score"] or sheet.review


def test_four_sheets_in_one_picture_are_four_maps() -> None:
    """One of these is so small in the picture's thumbnail that locating does not see it there."""
    quarters = []
    for name in ("05", "12", "04", "10"):
        bgr = next(iter(load_photos(SAMPLES / f"{name}.jpg"))).bgr
        wide = bgr if bgr.shape[1] > bgr.shape[0] else cv2.rotate(bgr, cv2.ROTATE_90_CLOCKWISE)
        quarters.append(cv2.resize(wide, (1000, 750), interpolation=cv2.INTER_AREA))
    table = Photo(np.vstack([np.hstack(quarters[:2]), np.hstack(quarters[2:])]))
    castles = [one.rectified.centers_xy[CASTLE] for one in maps_of(read_photo(table))]
    places = [(at // (1000, 750)).astype(int).tolist() for at in castles]
    assert sorted(places) == [[0, 0], [0, 1], [1, 0], [1, 1]]
