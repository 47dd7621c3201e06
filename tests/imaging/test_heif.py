"""HEIC, and what is told from it by the brands at its start."""

from __future__ import annotations

import io
import struct

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from kdscan.errors import ImageTooLarge
from kdscan.imaging.brands import is_avif, is_heif
from kdscan.imaging.photo import decode, decode_here
from tests.imaging.photos import TILE, assert_same, heic, tile


def start(*brands: bytes, size: int | None = None) -> bytes:
    """The first box of a file: its main brand, a version, and the brands that it goes by too."""
    main, *others = brands
    length = 8 * 2 + 4 * len(others) if size is None else size
    return struct.pack(">I", length) + b"ftyp" + main + bytes(4) + b"".join(others)


@pytest.mark.parametrize(
    "brands",
    [
        *((brand,) for brand in (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm")),
        *((brand,) for brand in (b"hevs", b"mif1", b"msf1")),
        (b"heic", b"mif1", b"MiHE", b"tmap"),
        (b"mif1", b"miaf", b"heic"),
        (b"mif1", b"avif", b"heic"),  # coded both ways
    ],
)
def test_a_heif_is_told_by_any_of_its_brands(brands: tuple[bytes, ...]) -> None:
    assert is_heif(start(*brands) + bytes(100))
    assert not is_avif(start(*brands) + bytes(100))


@pytest.mark.parametrize(
    "brands", [(b"avif",), (b"avis",), (b"avif", b"mif1", b"miaf"), (b"mif1", b"miaf", b"avif")]
)
def test_an_avif_is_no_heif_though_it_may_be_of_any_coding(brands: tuple[bytes, ...]) -> None:
    assert is_avif(start(*brands) + bytes(100))
    assert not is_heif(start(*brands) + bytes(100))


@pytest.mark.parametrize(
    "data",
    [
        start(b"isom", b"mp41") + b"heicavif",  # behind the brands
        struct.pack(">I", 24) + b"ftypisomheicmp41mp42",  # heic is where the version stands
        struct.pack(">I", 20) + b"moovheic" + bytes(8),
        start(b"isom", size=2**32 - 1) + b"mp41",
        b"",
    ],
)
def test_other_files_of_that_container_are_neither(data: bytes) -> None:
    assert not is_heif(data) and not is_avif(data)


def test_grey_becomes_three_equal_channels() -> None:
    grey = tile().convert("L")
    assert_same(decode(heic(grey))[0].bgr, np.asarray(grey.convert("RGB")))


def test_grey_of_more_than_8_bits_keeps_its_range() -> None:
    ramp = np.linspace(0, 65535, 64 * 96).reshape(64, 96).astype(np.uint16)
    bgr = decode(heic(Image.fromarray(ramp)))[0].bgr
    assert_same(bgr, np.dstack([ramp >> 8] * 3).astype(np.uint8))


def test_what_is_half_transparent_lies_on_white() -> None:
    image = tile()
    image.putalpha(100)
    assert_same(decode(heic(image))[0].bgr, (255 + (TILE - 255.0) * 100 / 255).astype(np.uint8))


def test_of_several_pictures_the_primary_one_is_read() -> None:
    several, stream = pillow_heif.from_pillow(tile().rotate(180)), io.BytesIO()
    several.add_from_pillow(tile())
    several.save(stream, quality=95, primary_index=1)
    pages = decode(stream.getvalue())
    assert len(pages) == 1
    assert_same(pages[0].bgr, TILE)


def test_too_many_pixels_are_refused_before_decoding() -> None:
    data = bytearray(heic(tile()))
    at = data.index(b"ispe") + 8  # width and height follow a version
    data[at : at + 8] = struct.pack(">II", 12_000, 10_001)
    with pytest.raises(ImageTooLarge, match="12000 × 10001"):
        decode_here(bytes(data))
