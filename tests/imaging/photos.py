"""Photo files in every format, for tests."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pillow_heif
import tifffile
from numpy.typing import NDArray
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

# Four colours in four corners: any turn, mirroring or swap of channels shows.
TILE = np.zeros((64, 96, 3), np.uint8)
TILE[:32, :48], TILE[:32, 48:] = (220, 30, 30), (30, 200, 40)
TILE[32:, :48], TILE[32:, 48:] = (40, 40, 210), (230, 220, 60)


def tile() -> Image.Image:
    return Image.fromarray(TILE)


def encoded(image: Image.Image, form: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def many_scans(size: tuple[int, int] = (96, 64)) -> bytes:
    """A JPEG of more scans than any camera writes; before each, a comment with the mark that ends
    a picture."""
    data = encoded(tile().resize(size), "JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    return data[:last] + (b"\xff\xfe\0\4\xff\xd9" + data[last:-2]) * 20 + data[-2:]


def heic(image: Image.Image, **options: object) -> bytes:
    stream = io.BytesIO()
    quickly = {"preset": "ultrafast"}
    pillow_heif.from_pillow(image).save(stream, quality=95, enc_params=quickly, **options)
    return stream.getvalue()


FORMATS: dict[str, Callable[[Image.Image], bytes]] = {
    "JPEG": lambda image: encoded(image, "JPEG", quality=95),
    "PNG": lambda image: encoded(image, "PNG"),
    "WebP": lambda image: encoded(image, "WEBP", quality=95),
    "HEIC": heic,
    "AVIF": lambda image: encoded(image, "AVIF", quality=95),
    "TIFF": lambda image: encoded(image, "TIFF"),
    "BMP": lambda image: encoded(image, "BMP"),
    "GIF": lambda image: encoded(image, "GIF"),
    "PDF": lambda image: pdf_of((image, 100)),
}
"""A picture as a file of each format that is read."""


def tiff(levels: NDArray[Any], **options: Any) -> bytes:
    """A TIFF that Pillow cannot write; options: see `tifffile.imwrite`."""
    stream = io.BytesIO()
    tifffile.imwrite(stream, levels, **options)
    return stream.getvalue()


def assert_same(bgr: NDArray[np.uint8], rgb: NDArray[np.uint8], within: float = 4.0) -> None:
    """Compare colours, or two pictures of one channel; within: grey levels in the mean."""
    assert bgr.shape == rgb.shape
    found = bgr[..., ::-1] if bgr.ndim == 3 else bgr
    assert np.abs(found.astype(int) - rgb).mean() < within


def pdf_of(*pages: tuple[Image.Image, float], password: str | None = None) -> bytes:
    """A PDF of pictures that fill their page; the number is pixels an inch."""
    stream = io.BytesIO()
    canvas = Canvas(stream, encrypt=password)
    for image, dpi in pages:
        width, height = (72 * n / dpi for n in image.size)
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(image), 0, 0, width, height)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def pdf_objects(*objects: bytes) -> bytes:
    """A PDF of these objects, the first of which is its catalogue."""
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return out + head + table + tail % (len(objects) + 1, len(out))


def tagged(image: Image.Image, tag: int, value: int) -> bytes:
    """A TIFF with a tag of one short number that Pillow writes otherwise."""
    data = encoded(image, "TIFF")
    at = data.index(struct.pack("<HHI", tag, 3, 1)) + 8
    return data[:at] + struct.pack("<H", value) + data[at + 2 :]
