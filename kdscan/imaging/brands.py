"""Which files in the container of HEIF (ISO base media, as films have it) are pictures."""

from __future__ import annotations

HEVC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"}
"""Brands of pictures and sequences coded by HEVC (ISO/IEC 23008-12, annex B.4)."""

AVIF = {b"avif", b"avis"}
"""Brands of pictures and sequences coded by AV1 (AV1 Image File Format, section 6)."""

ANY_CODING = {b"mif1", b"msf1"}
"""Brands of pictures and sequences of any coding (ISO/IEC 23008-12, section 10)."""


def is_heif(data: bytes) -> bool:
    """Whether a file is a HEIF picture, by the brands listed at its start. Films, raw photos and
    many other files use the same container."""
    return bool(_brands(data) & (HEVC | ANY_CODING)) and not is_avif(data)


def is_avif(data: bytes) -> bool:
    """Whether a file is an AVIF picture, which Pillow decodes and libheif's wheels do not."""
    brands = _brands(data)
    return bool(brands & AVIF) and not brands & HEVC


def _brands(data: bytes) -> set[bytes]:
    """The brands of a file in this container (ISO/IEC 14496-12, section 4.3); else none."""
    if data[4:8] != b"ftyp":
        return set()
    end = min(int.from_bytes(data[:4], "big"), len(data))
    return {data[8:12], *(data[at : at + 4] for at in range(16, end, 4))}
