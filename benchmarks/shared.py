"""What several benchmarks need: samples, arguments, photos and their maps, intervals."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import cv2

from kdscan.errors import KdscanError
from kdscan.imaging.encode import jpeg
from kdscan.imaging.photo import load_photos
from kdscan.pipeline.read import read_photo
from kdscan.records import MapReading, Photo, maps_of
from kdscan.synth.fields import U8

SAMPLES = sorted((Path(__file__).parent.parent / "samples").glob("*.jpg"))

CAMERA_QUALITY = 92
"""Quality of JPEG files as cameras write them."""


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser of arguments whose help is a module's docstring."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def folder_of_photos(name: str) -> Path:
    """A folder of photos NAME.jpg with their truth NAME.json; the type of a parser's argument."""
    folder = Path(name)
    photos = list(folder.glob("*.jpg"))
    if not photos or not all(photo.with_suffix(".json").is_file() for photo in photos):
        raise argparse.ArgumentTypeError(f"{name} holds no photos NAME.jpg with their NAME.json")
    return folder


def photo_in(path: Path) -> Photo:
    """The first photo in a file."""
    return next(iter(load_photos(path)))


def maps_in(photo: Photo, **how: Any) -> tuple[MapReading, ...]:
    """The maps found in a photo; how: options of `read_photo`."""
    try:
        return maps_of(read_photo(photo, **how))
    except KdscanError:
        return ()


def enlarged(bgr: U8, megapixels: float) -> bytes:
    """A picture resized to that many megapixels, as a camera would write it."""
    scale = math.sqrt(megapixels * 1e6 / (bgr.shape[0] * bgr.shape[1]))
    large = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    return jpeg(large, CAMERA_QUALITY)


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval of a proportion among n (J. Am. Stat. Assoc. 22, 1927)."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def interval(share: float, n: int) -> str:
    """The 95% interval of a proportion among n, for a line of text."""
    low, high = wilson(share, n)
    return f"95% interval {100 * low:.1f}% to {100 * high:.1f}%"


def with_interval(share: float, n: int) -> str:
    """A proportion among n with its 95% interval, for a table's cell."""
    low, high = wilson(share, n)
    return f"{100 * share:.1f}% ({100 * low:.1f}–{100 * high:.1f})"
