"""What several benchmarks need: samples, photos, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from kdscan.errors import KdscanError, UsageError
from kdscan.imaging.formats import jpeg
from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.base import maps_of
from lab.synth.fields import F64, U8

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.jpg"))

CAMERA_QUALITY = 92
"""Quality of JPEG files as cameras write them."""


def file_with_map(path: Path) -> Path:
    """A photo in which a map is found; raises UsageError for any other file."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    try:
        found = maps_of(read_photo(photo_in(path)))
    except KdscanError as error:
        raise UsageError(f"{path}: {error}") from error
    if not found:
        raise UsageError(f"{path}: it shows no map")
    return path


def photo_in(path: Path) -> Photo:
    """The first photo in a file."""
    return next(iter(load_photos(path)))


SHIELDS = tuple(np.transpose(CELLS))
"""Index of the 34 shields in an array of all cells, (5, 7, …)."""


def astray(truth: Mapping[str, Any], centers_xy: F64) -> F64:
    """(34,): how far from its true centre each cell was found, in cells. centers_xy: (34, 2), where
    they were found, in the order of `CELLS`."""
    at = np.array([truth["pixels"][f"{r},{c}"] for r, c in CELLS])
    pitch = float(np.linalg.norm(at[0] - at[6])) / 6
    return np.asarray(np.linalg.norm(at - centers_xy, axis=1) / pitch)


def enlarged(bgr: U8, megapixels: float) -> bytes:
    """A picture resized to that many megapixels, as a camera would write it."""
    scale = math.sqrt(megapixels * 1e6 / (bgr.shape[0] * bgr.shape[1]))
    large = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    return jpeg(large, CAMERA_QUALITY)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95% score interval of a proportion among n (J. Am. Stat. Assoc. 22, 1927)."""
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
