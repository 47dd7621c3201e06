"""A file that is damaged, cut off, of a rare kind or no picture at all is refused as what it is."""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kdscan.errors import PhotoError, UnreadableImage
from kdscan.files.photos import format_of
from kdscan.imaging.formats import MAX_BYTES, decode_jpeg
from kdscan.imaging.hevc import is_damaged
from kdscan.imaging.photo import decode, load_photos
from tests.imaging.photos import FORMATS, TILE, assert_same, encoded, heic, pdf_objects, tile

NOISE = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8))
SAMPLE = Path("samples/01.jpg").read_bytes()


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_is_cut_off_is_refused_as_what_it_is(form: str, keep: float) -> None:
    data = FORMATS[form](NOISE)
    with pytest.raises(PhotoError, match=f"the {form} is damaged or cut off") as caught:
        decode(data[: int(len(data) * keep)])[0]
    assert (caught.value.code, caught.value.exit_code) == ("unreadable_image", 3)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_rows": 1}])
@pytest.mark.parametrize("at", [0.3, 0.6, 0.9])
def test_a_jpeg_that_lost_a_sector_is_refused(options: dict[str, object], at: float) -> None:
    data = bytearray(encoded(Image.open(io.BytesIO(SAMPLE)), "JPEG", quality=90, **options))
    sector = int(at * len(data)) // 512 * 512
    rest = data[sector + 512 :]
    for lost in (data[:sector] + bytes(512) + rest, data[:sector] + b"\xff\x02" + rest):
        for half in (False, True):
            with pytest.raises(UnreadableImage, match="JPEG is damaged"):
                decode_jpeg(bytes(lost), half)


@pytest.mark.parametrize(("mode", "size"), [("RGB", 64), ("L", 512)])
def test_noise_in_place_of_uncompressed_pixels_is_refused(mode: str, size: int) -> None:
    data = encoded(Image.open(io.BytesIO(SAMPLE)).convert(mode), "TIFF")
    noise = np.random.default_rng(1).bytes(size)
    at = len(data) // 3
    with pytest.raises(UnreadableImage, match="TIFF is damaged"):
        decode(data[:at] + noise + data[at + size :])[0]
    decode(data)[0]


def test_a_heic_whose_decoder_warns_is_refused() -> None:
    data = heic(Image.open(io.BytesIO(SAMPLE)), tile_size=512)
    assert not is_damaged(data + b"\0\0\0\1SEFT")
    at = len(data) * 3 // 4
    assert is_damaged(data[:at] + data[at - 4096 : at] + data[at + 4096 :])


def test_zeros_or_nothing_or_a_phones_data_behind_the_last_pixel_are_no_damage() -> None:
    data = encoded(tile(), "JPEG", quality=95)[:-2]
    directory = b"SEFH" + struct.pack("<5I", 106, 1, 0x0A010000, 22, 22)
    trailer = b"\0\0\1\x0a\x0e\0\0\0Image_UTC_Data" + directory + b"\x18\0\0\0SEFT"
    for rest in (b"", bytes(5) + b"\xff\xd9", trailer, b"\xff\xd9" + trailer):
        assert_same(decode(data + rest)[0].bgr, TILE)
    zeros = data[:-50] + bytes(400)
    junk = data + bytes(range(1, 90))
    for cut in (junk + b"\xff\xd9", data[:-50] + trailer, zeros, zeros + b"\xff\xd9"):
        with pytest.raises(UnreadableImage, match="damaged"):
            decode(cut)[0]


@pytest.mark.parametrize(
    ("frame", "bits", "coding"),
    [(0xC1, 12, "12 bit"), (0xC3, 8, "lossless"), (0xC9, 8, "arithmetic"), (0xC7, 8, "hierarch")],
)
def test_rare_codings_of_jpeg_are_named(frame: int, bits: int, coding: str) -> None:
    data = bytearray(encoded(tile(), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 1], data[at + 4] = frame, bits
    with pytest.raises(UnreadableImage, match=rf"a kind of JPEG that .* \({coding}"):
        decode(bytes(data))


def test_a_png_with_a_wrong_checksum_is_refused() -> None:
    data = bytearray(encoded(NOISE, "PNG"))
    data[-20] ^= 1  # in the last checksum of its pixels
    with pytest.raises(UnreadableImage, match="PNG is damaged"):
        decode(bytes(data))[0]


def scanned(filters: bytes, stream: bytes) -> bytes:
    """A PDF of `NOISE`, coded so."""
    about = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceRGB/BitsPerComponent 8"
    about += b"/Filter%b/Width 300/Height 200/Length %d" % (filters, len(stream))
    return pdf_objects(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
        b"/Resources<</XObject<</F 5 0 R>>>>>>",
        b"<</Length 26>>stream\n300 0 0 200 0 0 cm /F Do  \nendstream",
        b"<<" + about + b">>stream\n" + stream + b"\nendstream",
    )


FLATE = zlib.compress(NOISE.tobytes())
TIFF = "tiff_lzw", "tiff_deflate", "packbits", "jpeg"


@pytest.mark.parametrize(
    "whole",
    [
        encoded(NOISE, "PDF"),
        scanned(b"/FlateDecode", FLATE),
        scanned(b"[/ASCIIHexDecode/DCTDecode]", encoded(NOISE, "JPEG").hex().encode() + b">"),
    ]
    + [encoded(NOISE, "TIFF", compression=coding) for coding in TIFF],
)
def test_coded_data_that_were_changed_are_told(whole: bytes) -> None:
    assert decode(whole)[0].bgr.shape == (200, 300, 3)
    for changed in (bytes(512), b"x" * 512):
        data = bytearray(whole)
        data[len(data) // 2 : len(data) // 2 + 512] = changed
        with pytest.raises(UnreadableImage, match=f"{format_of(whole)} is damaged"):
            decode(bytes(data))[0]


def padded(padding: bytes) -> bytes:
    """A TIFF coded by PackBits with this behind its only strip."""
    data = encoded(tile(), "TIFF", compression="packbits")
    end = int.from_bytes(data[4:8], "little")  # of the strip; its directory follows
    moved = data + data[8:end] + padding
    for tag, before, now in ((273, 8, len(data)), (279, end - 8, len(moved) - len(data))):
        entry = struct.pack("<HHI", tag, 4, 1)
        moved = moved.replace(entry + struct.pack("<I", before), entry + struct.pack("<I", now))
    return moved


def test_zeros_behind_a_strip_of_pack_bits_are_no_damage() -> None:
    for zeros in range(4):
        assert_same(decode(padded(bytes(zeros)))[0].bgr, TILE, 0.1)
    with pytest.raises(UnreadableImage, match="TIFF is damaged"):
        decode(padded(b"\x01\x02\x03"))[0]


def test_a_stream_without_its_end_is_told() -> None:
    with pytest.raises(UnreadableImage, match="PDF is damaged"):
        decode(scanned(b"/FlateDecode", FLATE[:-2000]))[0]


@pytest.mark.parametrize(
    "data",
    [
        b"hello, I am a letter\n" * 40,
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        bytes(range(256)) * 8,
        *(struct.pack(">I", 20) + b"ftyp" + brand + bytes(90) for brand in (b"isom", b"crx ")),
    ],
)
def test_other_files_are_unknown_not_damaged(data: bytes) -> None:
    with pytest.raises(UnreadableImage, match="kdscan knows; save it as JPEG, PNG"):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xd8\xff\xe0 only the beginning",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"II*\0\xff\xff\xff\xff",
        b"\0\0\0\x18ftypheic\0\0\0\0mif1heic",
        b"\0\0\0\x18ftypavif\0\0\0\0avifmif1",
        b"%PDF-1.7\nnothing more",
        b"GIF89a\x01\0\x01\0\0\0\0",
        b"BM\x1a\0\0\0",
    ],
)
def test_a_beginning_alone_is_damaged(data: bytes) -> None:
    with pytest.raises(UnreadableImage, match="is damaged or cut off"):
        decode(data)[0]


@pytest.mark.parametrize(
    "start", [b"PK\x03\x04", b"PK\x05\x06", b"Rar!", b"\x1f\x8b", b"BZh9", bytes(257) + b"ustar"]
)
def test_the_photos_of_an_archive_are_asked_for(start: bytes) -> None:
    with pytest.raises(UnreadableImage, match="take the photos out of it"):
        decode(start + bytes(400), "table.jpg")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    with (tmp_path / "huge.jpg").open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # sparse: takes no room on the disk
    for path, reason in (
        (tmp_path / "empty.jpg", "empty"),
        (tmp_path / "nowhere.jpg", "no such file"),
        (tmp_path, "folder"),
        (os.devnull, "not a regular file"),
        ("a\0b.jpg", "."),
        ("x" * 5000, "."),
        (tmp_path / "huge.jpg", "is 200 MB, but the limit is 200 MB"),
    ):
        with pytest.raises(PhotoError, match=reason):
            load_photos(path)
    with pytest.raises(ValueError, match="at least one pixel"):
        load_photos(np.zeros((9, 0, 3), np.uint8))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything"
)
def test_no_permission_is_told(tmp_path: Path) -> None:
    path = tmp_path / "secret.jpg"
    path.write_bytes(encoded(tile(), "JPEG"))
    path.chmod(0)
    with pytest.raises(UnreadableImage, match="permission"):
        load_photos(path)
