"""Levels of more than 8 bits: their range, what is black, either order of bytes."""

from __future__ import annotations

import struct

import cv2
import numpy as np
import pytest
from PIL import Image

from kdscan.imaging.photo import decode, decode_here
from tests.imaging.photos import TILE, assert_same, encoded, tagged, tiff


@pytest.mark.parametrize("form", ["PNG", "TIFF"])
def test_16_bit_keeps_its_range(form: str) -> None:
    ramp = np.linspace(0, 65535, 64 * 96).reshape(64, 96).astype(np.uint16)
    bgr = decode(encoded(Image.fromarray(ramp), form))[0].bgr
    assert np.abs(bgr[..., 0].astype(int) - (ramp >> 8)).max() <= 1


@pytest.mark.parametrize("bits", [8, 10, 12])
def test_a_sensors_few_bits_in_16_are_not_black(bits: int) -> None:
    ramp = np.linspace(0, 2**bits - 1, 64 * 96).reshape(64, 96).astype(np.uint16)
    bgr = decode(encoded(Image.fromarray(ramp), "PNG"))[0].bgr
    assert_same(bgr[..., 0], (ramp << (16 - bits) >> 8).astype(np.uint8))


def test_what_uses_more_bits_than_a_sensor_is_as_dark_as_it_is() -> None:
    dark = np.linspace(0, 2**13 - 1, 64 * 96).reshape(64, 96).astype(np.uint16)
    assert_same(
        decode(encoded(Image.fromarray(dark), "PNG"))[0].bgr[..., 0],
        (dark >> 8).astype(np.uint8),
        1,
    )
    assert not decode(encoded(Image.new("RGB", (9, 9)), "PNG"))[0].bgr.any()


def test_a_sensors_12_bits_in_16_are_not_black_in_colour() -> None:
    done, data = cv2.imencode(".png", TILE[..., ::-1].astype(np.uint16) << 4)
    assert done
    assert_same(decode(data.tobytes())[0].bgr, TILE, within=16)


def test_16_bit_tiffs_read_alike_in_either_order_of_bytes() -> None:
    dull = np.linspace(20_000, 30_000, 64 * 96).reshape(64, 96).astype(np.uint16)
    data = b"".join(
        (
            *(b"MM\0*", struct.pack(">I", 8), struct.pack(">H", 8)),
            *(struct.pack(">HHII", tag, 4, 1, value) for tag, value in ((256, 96), (257, 64))),
            *(
                struct.pack(">HHIHH", tag, 3, 1, value, 0)
                for tag, value in ((258, 16), (259, 1), (262, 1))
            ),
            *(
                struct.pack(">HHII", tag, 4, 1, value)
                for tag, value in ((273, 8 + 2 + 8 * 12 + 4), (278, 64), (279, 2 * dull.size))
            ),
            *(b"\0\0\0\0", dull.astype(">u2").tobytes()),
        )
    )
    assert_same(decode(data)[0].bgr[..., 0], (dull >> 8).astype(np.uint8))


def test_the_least_of_16_bits_may_be_white() -> None:
    ramp = np.linspace(0, 65535, 64 * 96).reshape(64, 96).astype(np.uint16)
    photometric = 262  # TIFF 6.0, page 37
    bgr = decode_here(tagged(Image.fromarray(65535 - ramp), photometric, 0))[0].bgr
    assert_same(bgr[..., 0], (ramp >> 8).astype(np.uint8), within=1)


def test_unsigned_levels_of_32_bits_are_not_taken_for_signed() -> None:
    ramp = np.linspace(0, 2**32 - 1, 64 * 96).reshape(64, 96).astype(np.uint32)
    bgr = decode_here(tiff(ramp, photometric="minisblack"))[0].bgr
    assert_same(bgr[..., 0], (ramp >> 24).astype(np.uint8), within=1)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("packing", [None, "zlib"])
@pytest.mark.parametrize("levels", [np.int16, np.int32, np.float32])
def test_levels_of_a_tiff_come_in_either_order_of_bytes(
    levels: type[np.number], packing: str | None, order: str
) -> None:
    ramp = np.linspace(-9000, 9000, 64 * 96).reshape(64, 96).astype(levels)
    data = tiff(ramp, photometric="minisblack", compression=packing, byteorder=order)
    assert_same(
        decode_here(data)[0].bgr[..., 0], ((ramp + 9000.0) / 18000 * 255).astype(np.uint8), 1
    )


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("packing", [None, "zlib"])
def test_planes_of_16_bits_are_not_taken_for_8(packing: str | None, order: str) -> None:
    planes = np.ascontiguousarray(TILE.transpose(2, 0, 1)).astype(np.uint16) * 257
    kinds = {"photometric": "rgb", "planarconfig": "separate", "compression": packing}
    pages = decode_here(tiff(planes, **kinds, byteorder=order))
    for _ in range(2):  # a page may be decoded again
        assert_same(pages[0].bgr, TILE, within=0.1)


def test_float_grey_is_spread() -> None:
    ramp = np.linspace(100, 300, 64 * 96).reshape(64, 96).astype(np.float32)
    bgr = decode(encoded(Image.fromarray(ramp), "TIFF"))[0].bgr
    assert_same(bgr[..., 0], ((ramp - 100) * 255 / 200).astype(np.uint8), within=1)
    even = decode(encoded(Image.fromarray(np.full_like(ramp, 7)), "TIFF"))[0].bgr
    assert even.min() == even.max()
