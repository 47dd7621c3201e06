"""Mutated and crafted pictures: an answer or an error for each, in bounded time and memory."""

from __future__ import annotations

import io
import itertools
import json
import random
import select
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from lab.benchmarks.shared import SAMPLES
from lab.benchmarks.trials import LONGEST_SECONDS, MOST_MB, Trial, environment

READER = Path(__file__).with_name("reader.py")


class Reader:
    """`reader.py` in a process of its own, started again when it dies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._child: subprocess.Popen[str] | None = None

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def read(self, data: bytes, name: str, suffix: str) -> Trial:
        """Read a file of these bytes as `kdscan score` does."""
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, str(READER)],
                env=environment(self._folder) | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        child = self._child
        assert child.stdin is not None and child.stdout is not None
        path = self._folder / f"tried{suffix}"
        path.write_bytes(data)
        child.stdin.write(f"{path}\n")
        child.stdin.flush()
        ready, _, _ = select.select([child.stdout], [], [], 300)
        line = child.stdout.readline() if ready else ""
        if not line:
            self.close()
            kept = self._folder.parent / f"kdscan-hold-{zlib.crc32(name.encode()):08x}{suffix}"
            kept.write_bytes(data)
            return Trial(name, (f"{'it died' if ready else 'no answer in 300 s'}; see {kept}",))
        said = json.loads(line)
        faults = [f"a bug: {text}" for text in said["bugs"]]
        if said["seconds"] > LONGEST_SECONDS:
            faults.append(f"it took {said['seconds']:.0f} s")
        if said["mb"] > MOST_MB:
            faults.append(f"it took {said['mb']:.0f} MB")
            self.close()  # what is counted is the most so far
        counts = {"read": said["read"], "refused": said["refused"]}
        return Trial(name, tuple(faults), said["seconds"], said["mb"], counts)


FORMS = {
    ".jpg": {"format": "JPEG", "quality": 85},
    ".png": {"format": "PNG"},
    ".webp": {"format": "WEBP", "quality": 80},
    ".tif": {"format": "TIFF", "compression": "tiff_lzw"},
    ".pdf": {"format": "PDF", "resolution": 200},
    ".heic": {"format": "HEIF", "quality": 70},
}


def mutated(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Photos of maps in six forms with bytes changed, lost, doubled and strewn about."""
    from pillow_heif import register_heif_opener

    register_heif_opener()
    originals = list(itertools.product(SAMPLES[:6], FORMS))
    with closing(Reader(folder)) as reader:
        for number in itertools.count():
            path, suffix = rng.choice(originals)
            name = f"mutant {number} of {path.stem}{suffix}"
            yield reader.read(mutant(rng, in_form(path, suffix)), name, suffix)


@cache
def in_form(path: Path, suffix: str) -> bytes:
    """A small copy of a photo, saved in this form."""
    small = Image.open(path).convert("RGB")
    small.thumbnail((640, 640))
    out = io.BytesIO()
    small.save(out, **FORMS[suffix])  # type: ignore[arg-type]
    return out.getvalue()


def mutant(rng: random.Random, data: bytes) -> bytes:
    """The bytes with one to a dozen changes, most of them near the beginning."""
    changed = bytearray(data)
    for _ in range(int(2 ** rng.uniform(0, 3.6))):
        at = int(len(changed) * rng.random() ** rng.choice([1, 4])) if changed else 0
        length = int(2 ** rng.uniform(0, 10))
        what = rng.randrange(6)
        if what == 0 and changed:
            changed[min(at, len(changed) - 1)] ^= 1 << rng.randrange(8)
        elif what == 1:
            changed[at : at + 4] = struct.pack(
                rng.choice("<>") + "I", rng.choice([0, 1, 2**31, 2**32 - 1, rng.randrange(2**32)])
            )
        elif what == 2 and rng.random() < 0.3:
            del changed[at:]
        elif what == 3:
            del changed[at : at + length]
        elif what == 4:
            changed[at:at] = changed[at : at + length]
        else:
            changed[at : at + length] = rng.randbytes(min(length, 64))
    return bytes(changed)


def crafted(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Files made by hand that claim, nest or hide too much, and pictures of odd shapes."""
    with closing(Reader(folder)) as reader:
        for round_number in itertools.count():
            for name, suffix, data in recipes(rng):
                yield reader.read(data, f"{name}, round {round_number}", suffix)


def recipes(rng: random.Random) -> Iterator[tuple[str, str, bytes]]:
    """Name, suffix and content of each crafted file; sizes and numbers are random."""
    side = rng.choice([1, 2, 3, 7, 31, 63, 99])
    long = rng.choice([1, 100, 5000, 60000])
    for size in ((side, long), (long, side), (side, side)):
        picture = np.full((*size, 3), rng.randrange(256), np.uint8)
        yield f"a picture of {size}", ".png", cv2.imencode(".png", picture)[1].tobytes()
    noise = np.frombuffer(rng.randbytes(300 * 200 * 3), np.uint8).reshape(300, 200, 3)
    yield "noise", ".jpg", cv2.imencode(".jpg", noise)[1].tobytes()
    huge = rng.choice([20_000, 65_535, 2**31 - 1])
    yield "a PNG that claims too much", ".png", png(huge, huge)
    yield "a PNG without data", ".png", png(800, 600)
    yield "a PNG that unpacks too much", ".png", png(800, 600, bomb(rng))
    yield "a text bomb in a PNG", ".png", png(8, 8, before=[(b"zTXt", b"a\0\0" + bomb(rng))])
    yield "a JPEG of scans", ".jpg", jpeg_of_scans(rng)
    yield "a TIFF whose pages go round", ".tif", tiff_loop(rng)
    for kind in ("L", "LA", "P", "RGBA", "I;16", "CMYK", "1"):
        suffix = ".jpg" if kind == "CMYK" else ".png"
        yield f"colours {kind}", suffix, of_mode(kind)
    yield "EXIF that turns oddly", ".jpg", with_exif(rng)
    for name, body in pdfs(rng):
        yield name, ".pdf", body
    for start in (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"RIFF\xff\xff\xff\xffWEBP",
                  b"%PDF-1.7\n", b"\0\0\0\x20ftypheic", b"GIF89a", b"BM", b""):  # fmt: skip
        yield f"{start!r} and noise", ".jpg", start + rng.randbytes(rng.randrange(5000))


def png(
    w: int, h: int, data: bytes | None = None, before: Sequence[tuple[bytes, bytes]] = ()
) -> bytes:
    """A PNG of this header; data: compressed, what its pixels are."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)), *before]
    if data is not None:
        chunks.append((b"IDAT", data))
    out = b"\x89PNG\r\n\x1a\n"
    for kind, body in [*chunks, (b"IEND", b"")]:
        out += struct.pack(">I", len(body)) + kind + body
        out += struct.pack(">I", zlib.crc32(kind + body))
    return out


def bomb(rng: random.Random) -> bytes:
    """Few bytes that unpack to many million."""
    packer = zlib.compressobj(9)
    piece = b"\0" * (1 << 20)
    body = b"".join(packer.compress(piece) for _ in range(rng.choice([50, 300])))
    return body + packer.flush()


def jpeg_of_scans(rng: random.Random) -> bytes:
    """A progressive JPEG, its last scan many times."""
    out = io.BytesIO()
    Image.new("RGB", (rng.choice([64, 1024, 3000]),) * 2, "grey").save(
        out, "JPEG", progressive=True
    )
    data = out.getvalue()
    at = data.rindex(b"\xff\xda")
    return data[:at] + data[at:-2] * rng.choice([10, 1000, 20_000]) + b"\xff\xd9"


def tiff_loop(rng: random.Random) -> bytes:
    """A TIFF whose last page is followed by its first."""
    out = io.BytesIO()
    pages = [Image.new("L", (40, 40), n) for n in range(rng.randrange(1, 4))]
    pages[0].save(out, "TIFF", save_all=True, append_images=pages[1:])
    data = bytearray(out.getvalue())
    (first,) = struct.unpack_from("<I", data, 4)
    at = first
    while True:
        (count,) = struct.unpack_from("<H", data, at)
        link = at + 2 + 12 * count
        (after,) = struct.unpack_from("<I", data, link)
        if after == 0:
            struct.pack_into("<I", data, link, first)
            return bytes(data)
        at = after


def of_mode(mode: str) -> bytes:
    """A picture whose pixels are stored in this way."""
    out = io.BytesIO()
    Image.new(mode, (320, 240)).save(out, "JPEG" if mode == "CMYK" else "PNG")
    return out.getvalue()


def with_exif(rng: random.Random) -> bytes:
    """A JPEG with an orientation that may be none."""
    exif = Image.Exif()
    exif[0x0112] = rng.choice([0, 3, 6, 8, 9, 65535])
    exif[0x010E] = "x" * rng.choice([0, 100, 60_000])
    out = io.BytesIO()
    Image.new("RGB", (320, 240), "white").save(out, "JPEG", exif=exif)
    return out.getvalue()


def pdfs(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """PDFs that draw too much."""
    side = rng.choice([1, 200, 14_400, 10**9])
    yield f"a PDF page of {side} points", pdf(b"q Q", side)
    yield "a PDF of many strokes", pdf(b"0 0 m 99 99 l S " * rng.choice([1000, 200_000]), 200)
    form = b"/XObject<</F 4 0 R>>"
    yield "a form that holds itself", pdf(b"/F Do " * 9, 200, b"/F Do " * 9, form)
    tile = b"/Pattern cs /P scn 0 0 9999 9999 re f"
    yield "nested text states", pdf(b"q " * rng.choice([100, 100_000]) + tile, 200)
    yield "an endless page tree", pdf(b"", 200).replace(b"/Kids[3 0 R]", b"/Kids[2 0 R 3 0 R]")


def pdf(content: bytes, side: int, form: bytes | None = None, resources: bytes = b"") -> bytes:
    """A page of side × side points; form: of a form `F` that it may draw."""
    about = b"/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<<%s>>" % resources
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 5 0 R/Resources<<%s>>>>"
        % (side, side, resources),
        b"<<%s/Length %d>>stream\n%s\nendstream" % (about, len(form or b""), form or b""),
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start
