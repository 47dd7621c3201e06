"""Every way in which a file can be invalid."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image

from kdscan.errors import ImageTooLarge, PhotoError, UnreadableImage
from kdscan.imaging import photo as photo_module
from kdscan.imaging.limits import MAX_BYTES
from kdscan.imaging.photo import decode, decode_here, load_photos, open_photos
from tests.imaging.photos import TILE, assert_same, encoded, heic, many_scans, pdf_of, tile


def test_a_jpeg_of_many_scans_is_not_decoded_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """At half its size it costs as much as whole."""
    monkeypatch.setattr(photo_module, "LARGE_PIXELS", 1)
    data = encoded(tile().resize((960, 640)), "JPEG", progressive=True)
    assert decode_here(data).half is not None
    hostile = many_scans((960, 640))
    assert decode_here(hostile).half is None
    assert len(decode(hostile)) == 1  # in a process with limits


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_large_jpeg_that_is_cut_off_is_refused(
    monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    monkeypatch.setattr(photo_module, "LARGE_PIXELS", 1)
    data = encoded(tile().resize((960, 640)), "JPEG", quality=95)
    with pytest.raises(UnreadableImage, match="the JPEG is broken or cut off"):
        decode(data[: int(keep * len(data))])[0]


def raw_photo(preview: NDArray[np.uint8]) -> bytes:
    """A raw photo as cameras write them: a preview, and behind it what the sensor saw."""
    stream = io.BytesIO()
    sensor = np.zeros((60, 90), np.uint16)
    pattern = [(33421, "H", 2, (2, 2), True), (33422, "B", 4, (0, 1, 1, 2), True)]
    with tifffile.TiffWriter(stream) as raw:
        raw.write(preview, photometric="rgb", subfiletype=1, subifds=1)
        raw.write(sensor, photometric="cfa", extratags=pattern)
    return stream.getvalue()


def test_a_raw_photo_is_not_read_from_its_thumbnail() -> None:
    with pytest.raises(UnreadableImage, match="save it as JPEG"):
        decode_here(raw_photo(TILE))
    large = np.asarray(tile().resize((1200, 800)))
    assert_same(decode_here(raw_photo(large))[0].bgr, large)


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_claiming(width: int, height: int, *extra: bytes) -> bytes:
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = png_chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(extra) + body + png_chunk(b"IEND", b"")


def jpeg_claiming(width: int, height: int) -> bytes:
    data = bytearray(encoded(tile(), "JPEG"))
    frame = data.index(b"\xff\xc0")
    data[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [png_claiming(60_000, 60_000), jpeg_claiming(60_000, 60_000), jpeg_claiming(12_000, 10_001)],
)
def test_too_many_pixels_are_refused_from_the_header(data: bytes) -> None:
    with pytest.raises(ImageTooLarge, match=r"too many pixels|limit is 120 megapixels"):
        decode(data)


def test_as_many_pixels_as_allowed_are_not_refused_for_it() -> None:
    assert len(decode_here(jpeg_claiming(12_000, 10_000))) == 1


@pytest.mark.parametrize("size", [(64, 0), (0, 64)])
def test_a_picture_without_pixels_is_refused_from_the_header(size: tuple[int, int]) -> None:
    with pytest.raises(UnreadableImage, match="no pixels"):
        decode(jpeg_claiming(*size))


def test_a_bomb_beside_the_pixels_does_not_go_off() -> None:
    """One in a text is tried by lab/benchmarks/hold.py."""
    import resource

    chunk = png_chunk(b"iCCP", b"profile\0\0" + zlib.compress(b"\0" * 300_000_000, 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(PhotoError):
        decode(png_claiming(64, 64, chunk))[0]
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 100_000


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "HEIC", "PDF"])
def test_a_cut_off_file_is_refused(form: str, keep: float) -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))
    data = {
        "HEIC": lambda: heic(noise),
        "PDF": lambda: pdf_of((noise, 100)),
    }.get(form, lambda: encoded(noise, form))()
    with pytest.raises(PhotoError) as caught:
        decode(data[: int(len(data) * keep)])[0]
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "data",
    [
        b"hello, I am a letter\n" * 40,
        b"\xff\xd8\xff\xe0 only the beginning",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"II*\0\xff\xff\xff\xff",
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
        b"%PDF-1.7\nnothing more",
        b"PK\x03\x04" + b"\0" * 100,
        b"GIF89a\x01\0\x01\0\0\0\0",
        b"BM\x1a\0\0\0",
        b"\0\0\0\x18ftypavif\0\0\0\0avifmif1",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        bytes(range(256)) * 8,
    ],
)
def test_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableImage):
        decode(data)[0]


def test_the_photos_of_a_zip_are_asked_for() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        assert archive.namelist() == []
    for data in (out.getvalue(), b"PK\x03\x04" + bytes(40)):
        with pytest.raises(UnreadableImage, match="take the photos out of it"):
            decode(data, "table.jpg")


@pytest.mark.parametrize("brand", [b"isom", b"qt  ", b"crx "])
def test_films_and_raw_photos_are_unknown_not_broken(brand: bytes) -> None:
    with pytest.raises(UnreadableImage, match="kdscan knows; save it as JPEG, PNG"):
        decode(struct.pack(">I", 20) + b"ftyp" + brand + b"\0\0\0\0mp41" + b"\0" * 100)


@pytest.mark.parametrize("shape", [(0, 0, 3), (9, 0, 3)])
def test_an_array_without_pixels_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least one pixel"):
        next(load_photos(np.zeros(shape, np.uint8)))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    with pytest.raises(UnreadableImage, match="empty"):
        open_photos(tmp_path / "empty.jpg")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="no such file"):
        open_photos(tmp_path / "nowhere.jpg")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImage, match="folder"):
        open_photos(tmp_path)


def test_a_device_is_refused() -> None:
    with pytest.raises(UnreadableImage, match="not a regular file"):
        open_photos(os.devnull)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything"
)
def test_no_permission_is_said(tmp_path: Path) -> None:
    path = tmp_path / "secret.jpg"
    path.write_bytes(encoded(tile(), "JPEG"))
    path.chmod(0)
    with pytest.raises(UnreadableImage, match="permission"):
        open_photos(path)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(UnreadableImage):
        open_photos("a\0b.jpg")
    with pytest.raises(UnreadableImage):
        open_photos("x" * 5000)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # sparse: takes no room on the disk
    with pytest.raises(ImageTooLarge, match="is 200 MB, but the limit is 200 MB"):
        open_photos(path)


def test_one_broken_page_leaves_the_others() -> None:
    turned = tile().transpose(Image.Transpose.ROTATE_180)
    data = bytearray(
        encoded(tile(), "TIFF", save_all=True, append_images=[turned], compression="tiff_deflate")
    )
    with Image.open(io.BytesIO(data)) as image:
        start = image.tag_v2[273][0]  # type: ignore[attr-defined]  # StripOffsets
    data[start : start + 8] = b"\xff" * 8
    pages = decode(bytes(data))
    with pytest.raises(UnreadableImage):
        pages[0]
    assert_same(pages[1].bgr, TILE[::-1, ::-1])
