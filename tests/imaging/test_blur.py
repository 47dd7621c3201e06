"""A blurred photo is reported if it leaves doubts, and only then."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from kdscan import MapCorrections, correct, load_photos, read_photo
from kdscan.imaging.blur import BLURRED, edge_width
from kdscan.imaging.picture import Photo
from kdscan.sheets.base import AnyReading, deserialize, serialize
from kdscan.sheets.duel_map.model import MapReading

SAMPLE = Path("samples/01.jpg")


def test_width_of_an_edge_is_measured_across_it() -> None:
    sharp = np.full((640, 640, 3), 230, np.uint8)
    sharp[:, ::64] = sharp[::64] = 40
    sharp[160:480, 160:480] = 40
    motion = np.zeros((41, 41), np.float32)
    motion[20] = 1 / 41
    assert edge_width(sharp) < 0.035
    for along in (motion, motion.T):
        blurred = np.asarray(cv2.filter2D(sharp, -1, along), np.uint8)
        assert edge_width(blurred) > BLURRED
    assert edge_width(np.full((640, 640, 3), 128, np.uint8)) == 0.0


def test_a_blurred_photo_says_so_while_it_asks() -> None:
    (photo,) = load_photos(SAMPLE)
    (sharp,) = read_photo(photo)
    assert "blurred" not in codes(sharp)
    (sheet,) = read_photo(Photo(np.asarray(cv2.GaussianBlur(photo.bgr, (0, 0), 6), np.uint8)))
    assert isinstance(sheet, MapReading)
    assert sheet.review and "blurred" in codes(sheet)
    again = deserialize(serialize(sheet))
    assert isinstance(again, MapReading) and "blurred" in codes(again)
    assert "blurred" not in codes(correct(again, MapCorrections(confirmed=True)))


def codes(sheet: AnyReading) -> set[str]:
    return {one.code for one in sheet.problems}
