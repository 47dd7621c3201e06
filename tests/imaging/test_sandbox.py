"""Hostile files cost a process with limits little, and the program nothing."""

from __future__ import annotations

import os
import signal
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kdscan.errors import PhotoError, UnreadableImage
from kdscan.imaging import formats
from kdscan.imaging import photo as photo_module
from kdscan.imaging.photo import LIMITS, decode
from kdscan.workers.pool import Limits, Pool
from tests.imaging.photos import (
    TILE,
    assert_same,
    encoded,
    heic,
    many_scans,
    pdf_objects,
    pdf_of,
    tile,
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """A process with little memory and time, which the program uses instead of its own."""
    with Pool(1, Limits(seconds=10, memory_mb=300), photo_module._prepare) as pool:
        monkeypatch.setattr(photo_module, "decoders", pool)
        yield pool


def stream(about: bytes, body: bytes) -> bytes:
    return b"<<%b/Length %d>>stream\n%b\nendstream" % (about, len(body), body)


PAGES = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
    b"/Resources<</XObject<</F 5 0 R>>>>>>",
)

HOLDS_ITSELF = pdf_objects(
    *PAGES,
    stream(b"", b"/F Do " * 8),
    stream(
        b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Group<</S/Transparency/I true>>"
        b"/Resources<</XObject<</F 5 0 R>>>>",
        b"/F Do " * 8,
    ),
)
"""A form that draws itself eight times, in 700 bytes."""


def swells() -> bytes:
    """260 MB of drawing, packed twice, in 1200 bytes."""
    drawing = zlib.compress(zlib.compress(b"0 0 1 1 re f " * 20_000_000, 9), 9)
    return pdf_objects(*PAGES, stream(b"/Filter[/FlateDecode/FlateDecode]", drawing))


@pytest.mark.parametrize("make", [lambda: HOLDS_ITSELF, swells], ids=["holds itself", "swells"])
def test_a_small_pdf_that_asks_for_everything_is_refused(
    small: Pool, make: Callable[[], bytes]
) -> None:
    data, start = make(), time.monotonic()
    with pytest.raises(UnreadableImage, match="memory or time"):
        decode(data)[0]
    assert time.monotonic() - start < 60
    assert_same(decode(pdf_of((tile(), 100)))[0].bgr, TILE, 8)  # the next file is decoded


def test_memory_runs_out_in_that_process_alone(small: Pool) -> None:
    vast = Image.new("RGB", (10_000, 10_000))
    with pytest.raises(PhotoError):
        decode(encoded(vast, "TIFF", compression="tiff_deflate"))[0]


def test_a_process_that_is_killed_is_replaced(small: Pool) -> None:
    pages = decode(heic(tile()))
    os.kill(small.pids[0], signal.SIGKILL)
    while small.pids:
        time.sleep(0.01)
    assert_same(pages[0].bgr, TILE)


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (encoded(tile(), "JPEG"), True),
        (encoded(tile(), "JPEG", progressive=True), True),
        (encoded(tile(), "PNG"), True),
        (encoded(tile(), "WEBP"), False),
        (encoded(tile(), "TIFF"), False),
        (heic(tile()), False),
        (pdf_of((tile(), 100)), False),
        (many_scans(), False),
        (encoded(tile(), "JPEG") + 20 * b"\xff\xda", True),
    ],
    ids=["JPEG", "progressive", "PNG", "WebP", "TIFF", "HEIC", "PDF", "many scans", "film behind"],
)
def test_only_plain_photos_are_decoded_in_the_program(
    small: Pool, data: bytes, plain: bool
) -> None:
    with suppress(UnreadableImage):  # as of too many scans
        decode(data)[0]
    assert (not small.pids) == plain


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
@pytest.mark.parametrize("limit", ["PLAIN_BYTES", "PLAIN_PIXELS"])
def test_what_is_large_is_decoded_in_a_process_with_limits(
    small: Pool, monkeypatch: pytest.MonkeyPatch, form: str, limit: str
) -> None:
    data = encoded(Image.new("RGB", (300, 200)), form)
    most = len(data) if limit == "PLAIN_BYTES" else 300 * 200
    monkeypatch.setattr(formats, limit, most)
    decode(data)
    assert not small.pids
    monkeypatch.setattr(formats, limit, most - 1)
    assert decode(data)[0].width == 300
    assert small.pids


def test_a_jpeg_comes_half_and_whole_from_that_process(
    small: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = encoded(tile().resize((4000, 3000)), "JPEG", quality=95)
    here = decode(data)[0]
    monkeypatch.setattr(formats, "PLAIN_PIXELS", 1)
    photo = decode(data)[0]
    assert small.pids
    assert photo.half is not None and here.half is not None
    assert np.array_equal(photo.half, here.half)
    assert np.array_equal(photo.bgr, here.bgr)


def test_a_huge_png_comes_half_and_costs_little_memory() -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("the system has no /proc")
    data = encoded(Image.new("RGB", (12_000, 9_000), (9, 99, 199)), "PNG", compress_level=1)
    photo = decode(data)[0]
    assert (photo.width, photo.height) == (12_000, 9_000)
    assert photo.half is not None and photo.half[0, 0].tolist() == [199, 99, 9]
    status = Path(f"/proc/{photo_module.decoders.pids[0]}/status").read_text("ascii")
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), None)
    assert peak is None or int(peak.split()[1]) < 750_000
    assert LIMITS.memory_mb < 1000
