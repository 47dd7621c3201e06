"""Hostile files cost a child process little, and the main process nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kdscan.errors import ImageTooLarge, PhotoError, UnreadableImage
from kdscan.imaging import photo as photo_module
from kdscan.imaging import sandbox as confined
from kdscan.imaging.photo import decode, decode_here
from kdscan.imaging.sandbox import Decoder
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


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[Decoder]:
    """A child with little memory and time, which the program uses instead of its own."""
    decoder = Decoder(seconds=3, memory_mb=300)
    monkeypatch.setattr(confined, "shared", decoder)
    yield decoder
    decoder.close()


@pytest.mark.parametrize("make", [lambda: HOLDS_ITSELF, swells], ids=["holds itself", "swells"])
def test_a_small_pdf_that_asks_for_everything_is_refused(
    small: Decoder, make: Callable[[], bytes]
) -> None:
    data, start = make(), time.monotonic()
    with pytest.raises(UnreadableImage, match="memory or time"):
        decode(data)[0]
    assert time.monotonic() - start < 60
    assert_same(decode(pdf_of((tile(), 100)))[0].bgr, TILE, 8)  # the next file is decoded


def test_memory_runs_out_in_the_child_alone(small: Decoder) -> None:
    vast = Image.new("RGB", (10_000, 10_000))
    with pytest.raises(PhotoError):
        decode(encoded(vast, "TIFF", compression="tiff_deflate"))[0]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such limits")
def test_a_limit_that_the_program_was_started_with_takes_no_other_away() -> None:
    limited = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (900, 900))
from kdscan.imaging import decoder
from kdscan.workers import serve
serve.limit_memory(100)
decoder._limit_time(5)
print(resource.getrlimit(resource.RLIMIT_AS)[0] < 4 << 30)
print(resource.getrlimit(resource.RLIMIT_CPU)[0] < 100)
serve.limit_memory(100_000)
print(resource.getrlimit(resource.RLIMIT_AS)[0] == 8 << 30)
"""
    said = subprocess.run([sys.executable, "-c", limited], capture_output=True, check=True)
    assert said.stdout.split() == [b"True"] * 3


def test_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "CLOCK_FACTOR", 0.02)
    decoder = Decoder(seconds=10)
    with pytest.raises(UnreadableImage, match="memory or time"):
        decoder.read(HOLDS_ITSELF, 0)
    decoder.close()


def test_a_child_that_is_killed_is_replaced(small: Decoder) -> None:
    pages = decode(heic(tile()))
    assert small._child is not None
    os.kill(small._child.pid, signal.SIGKILL)
    while small._child.alive:
        time.sleep(0.01)
    assert_same(pages[0].bgr, TILE)


def test_files_may_be_read_in_turns(small: Decoder) -> None:
    first, second = decode(heic(tile())), decode(encoded(tile().rotate(180), "TIFF"))
    for _ in range(2):
        assert_same(first[0].bgr, TILE)
        assert_same(second[0].bgr, TILE[::-1, ::-1])


def test_a_page_that_is_broken_leaves_the_child_in_step(small: Decoder) -> None:
    whole = encoded(tile(), "TIFF")
    with pytest.raises(UnreadableImage):
        decode(b"II*\0" + bytes(100))
    assert_same(decode(whole)[0].bgr, TILE)


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
    small: Decoder, data: bytes, plain: bool
) -> None:
    decode(data)[0]
    assert (small._child is None) == plain


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
@pytest.mark.parametrize("limit", ["PLAIN_BYTES", "PLAIN_PIXELS"])
def test_what_is_large_is_decoded_in_a_process_with_limits(
    small: Decoder, monkeypatch: pytest.MonkeyPatch, form: str, limit: str
) -> None:
    data = encoded(Image.new("RGB", (300, 200)), form)
    most = len(data) if limit == "PLAIN_BYTES" else 300 * 200
    monkeypatch.setattr(photo_module, limit, most)
    decode(data)
    assert small._child is None
    monkeypatch.setattr(photo_module, limit, most - 1)
    assert decode(data)[0].width == 300
    assert small._child is not None


def test_nothing_is_started_for_what_is_no_picture(small: Decoder) -> None:
    with pytest.raises(UnreadableImage, match="not a picture"):
        decode(b"Dear diary")
    assert small._child is None


def test_a_large_jpeg_comes_half_and_whole(small: Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo_module, "PLAIN_PIXELS", 1)
    data = encoded(tile().resize((4000, 3000)), "JPEG", quality=95)
    photo, here = decode(data)[0], decode_here(data)[0]
    assert small._child is not None
    assert (photo.width, photo.height) == (4000, 3000)
    assert photo.half is not None and here.half is not None
    assert np.array_equal(photo.half, here.half)
    assert np.array_equal(photo.bgr, here.bgr)


def test_a_large_png_costs_less_than_a_gigabyte(tmp_path: Path) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("the system has no /proc")
    decoder = Decoder(seconds=100)  # a busy machine takes its time
    data = encoded(Image.new("RGB", (10_900, 10_900)), "PNG", compress_level=1)
    bgr = decoder.read(data, 0)
    assert decoder._child is not None
    status = Path(f"/proc/{decoder._child.pid}/status").read_text("ascii")
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), None)
    decoder.close()
    assert bgr.shape == (10_900, 10_900, 3)
    assert peak is None or int(peak.split()[1]) < 1_000_000


def test_too_many_pixels_are_said_so() -> None:
    with pytest.raises(ImageTooLarge, match="megapixels"):
        decode(encoded(Image.new("1", (12_000, 12_000)), "PNG"))


def test_a_module_in_the_folder_of_photos_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('run')", "utf-8")
    monkeypatch.chdir(tmp_path)
    decoder = Decoder()
    bgr = decoder.read(heic(tile()), 0)
    decoder.close()
    assert bgr.shape == TILE.shape
