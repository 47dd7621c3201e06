"""Damaged files: how many are refused, asked about, read right, and surely wrong, by format.

    python -m lab.benchmarks.damage --files 100 --formats JPEG WebP

A sample is saved in each format and damaged as cards, disks and networks do: a sector of zeros or
of other data, a flipped bit, a part that is missing, an end that is cut off. Whole files in many
varieties of each format must be read as before; none may be called damaged.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable

import numpy as np
import pillow_heif
from PIL import Image

from kdscan.errors import KdscanError, PhotoError
from kdscan.imaging.photo import decode
from kdscan.reader import read_photo
from kdscan.sheets.base import maps_of
from lab.benchmarks.shared import SAMPLES, parser

SECTOR = 512
"""Bytes that a disk loses at once."""

OUTCOMES = ("refused", "no sheet", "asked", "right", "surely wrong")


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    """A picture as a file."""
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def pdf(picture: Image.Image) -> bytes:
    """A picture as a page: its JPEG in a PDF."""
    return saved(picture, "PDF", resolution=150.0)


pillow_heif.register_heif_opener()

FORMATS: dict[str, list[Callable[[Image.Image], bytes]]] = {
    "JPEG": [
        lambda p: saved(p, "JPEG", quality=90),
        lambda p: saved(p, "JPEG", quality=90, progressive=True),
        lambda p: saved(p, "JPEG", quality=90, restart_marker_rows=1),
        lambda p: saved(p, "JPEG", quality=60, optimize=True, subsampling=0),
        lambda p: saved(p.convert("L"), "JPEG", quality=85),
        lambda p: saved(p.convert("CMYK"), "JPEG", quality=90),
    ],
    "PNG": [lambda p: saved(p, "PNG"), lambda p: saved(p.convert("P"), "PNG")],
    "WebP": [
        lambda p: saved(p, "WEBP", quality=85),
        lambda p: saved(p, "WEBP", lossless=True),
        lambda p: saved(p, "WEBP", quality=60, method=6, exif=bytes(1000)),
    ],
    "HEIC": [lambda p: saved(p, "HEIF", quality=80), lambda p: saved(p, "HEIF", quality=50)],
    "AVIF": [lambda p: saved(p, "AVIF", quality=75), lambda p: saved(p, "AVIF", quality=50)],
    "TIFF": [
        lambda p: saved(p, "TIFF", compression="jpeg"),
        lambda p: saved(p, "TIFF", compression="tiff_lzw"),
        lambda p: saved(p, "TIFF", compression="tiff_adobe_deflate"),
        lambda p: saved(p, "TIFF"),
    ],
    "GIF": [lambda p: saved(p, "GIF")],
    "PDF": [pdf],
}


def damaged(data: bytes, kind: str, rng: np.random.Generator) -> bytes:
    """A file with one kind of damage behind its first kilobyte."""
    changed = bytearray(data)
    at = int(rng.integers(1000, len(data) - SECTOR))
    sector = slice(at // SECTOR * SECTOR, at // SECTOR * SECTOR + SECTOR)
    if kind == "zeros":
        changed[sector] = bytes(SECTOR)
    elif kind == "noise":
        changed[sector] = rng.bytes(SECTOR)
    elif kind == "copied":  # the content of another file, or of another place in this one
        start = int(rng.integers(0, len(data) - SECTOR))
        changed[sector] = data[start : start + SECTOR]
    elif kind == "bit":
        changed[at] ^= 1 << int(rng.integers(8))
    elif kind == "missing":
        del changed[sector]
    else:
        del changed[at:]
    return bytes(changed)


DAMAGES = ("zeros", "noise", "copied", "bit", "missing", "cut")


def outcome(data: bytes, total: int) -> str:
    """What becomes of a file whose map is worth `total`."""
    try:
        maps = maps_of(read_photo(decode(data)[0]))
    except PhotoError:
        return "refused"
    except KdscanError:
        return "no sheet"
    if len(maps) != 1 or maps[0].review:
        return "asked"
    return "right" if maps[0].score.total == total else "surely wrong"


def main() -> None:
    """The command."""
    arguments = parser(__doc__)
    arguments.add_argument("--files", type=int, default=60, help="damaged files a format")
    arguments.add_argument("--formats", nargs="*", choices=FORMATS, default=list(FORMATS))
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = np.random.default_rng(given.seed)
    print(f"{'':14}{'whole':>6}" + "".join(f"{name:>14}" for name in OUTCOMES))
    for name in given.formats:
        files = []
        for sample in SAMPLES[:3]:
            picture = Image.open(sample).convert("RGB")
            total = maps_of(read_photo(decode(sample.read_bytes())[0]))[0].score.total
            files += [(sample.stem, make(picture), total) for make in FORMATS[name]]
        whole = sum(outcome(data, total) != "refused" for _, data, total in files)
        counts: dict[str, Counter[str]] = {kind: Counter() for kind in DAMAGES}
        for n in range(given.files):
            stem, data, total = files[int(rng.integers(len(files)))]
            kind = DAMAGES[n % len(DAMAGES)]
            counts[kind][(result := outcome(damaged(data, kind, rng), total))] += 1
            if result == "surely wrong":
                print(f"  {name} {kind}: sample {stem} is worth {total}, file {n}")
        for kind, count in counts.items():
            label = f"{name} {kind}"
            print(
                f"{label:14}{whole:>3}/{len(files)}",
                *(f"{count[o]:>13}" for o in OUTCOMES),
                flush=True,
            )


if __name__ == "__main__":
    main()
