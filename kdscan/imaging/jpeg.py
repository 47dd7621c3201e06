"""JPEG → pixels, by OpenCV; size and scans from the file's markers.

Importing Pillow for these would take longer than everything else that a photo needs.
"""

from __future__ import annotations

import re

import cv2
import numpy as np

from kdscan.errors import UnreadableImage
from kdscan.imaging.limits import check_size
from kdscan.imaging.picture import Bgr

START = b"\xff\xd8\xff"
"""The first bytes of a JPEG: start of image and another marker (ITU T.81, B.1.1.3)."""

_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd7\xff])", re.DOTALL)
"""A marker other than those that compressed data contain (ITU T.81, B.1.1.5 and F.1.2.3)."""

PLAIN_SCANS = 16
"""Most scans of a plain JPEG: progressive ones have ten, hostile ones thousands."""


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height as stored, from the frame header (ITU T.81, B.2.2); raises `PhotoError`, or
    ValueError if there is none."""
    at = 2
    while at + 9 <= len(data):
        kind = data[at + 1] if data[at] == 0xFF else 0
        if kind in (0x00, 0xFF):  # no marker, or a fill byte before it
            at += 1
        elif kind == 0x01 or 0xD0 <= kind <= 0xD8:  # a marker without a length
            at += 2
        elif 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = (int.from_bytes(data[at + k : at + k + 2], "big") for k in (5, 7))
            check_size(width, height)
            return width, height
        else:
            length = int.from_bytes(data[at + 2 : at + 4], "big")
            if kind in (0xD9, 0xDA) or length < 2:  # end of image, or start of the first scan
                break
            at += 2 + length
    raise ValueError("no frame header")


def has_few_scans(data: bytes) -> bool:
    """Whether decoding a JPEG takes time in proportion to its size. With many scans, decoding at
    half the size takes as long as in full. What follows the picture is not looked at: phones append
    a film."""
    scans, at = 0, 2
    while scans <= PLAIN_SCANS and (marker := _MARKER.search(data, at)):
        kind, at = marker[1][0], marker.end()
        if kind == 0xD9:  # end of image
            break
        scans += kind == 0xDA
        at += int.from_bytes(data[at : at + 2], "big")
    return scans <= PLAIN_SCANS


def decode_jpeg(data: bytes, how: int = cv2.IMREAD_COLOR) -> Bgr:
    """The pixels (H, W, 3) uint8 BGR, upright. how: OpenCV's flag, also for half the size."""
    bgr = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    if bgr is None:
        raise UnreadableImage("the JPEG is broken or cut off; copy or send it again")
    return np.asarray(bgr, np.uint8)
