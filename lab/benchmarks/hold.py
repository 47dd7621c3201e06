"""The long trial of robustness: killed batches and commands, hostile pictures.

    python -m lab.benchmarks.hold                          every part, four minutes each
    python -m lab.benchmarks.hold --minutes 60             an hour in all
    python -m lab.benchmarks.hold --part batch --part crafted=100    two parts, one of 100 trials

Every trial is random, from --seed. Faults are reported when they happen, with the name of the
trial; a table of the figures follows at the end. The exit code is 1 if anything went wrong.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from pillow_heif import register_heif_opener

from lab.benchmarks.shared import SAMPLES, parser

LONGEST_SECONDS = 20.0
"""Processor time that one file may take."""
MOST_MB = 1000.0
"""Memory that one process may take."""
EVENT = ("--event", "Cup", "--store", "cup.sqlite")
BATCH = ("batch", "photos", *EVENT, "--round", "1", "--workers", "1")
PHOTOS = 5
OLD = b"old"


@dataclass(frozen=True)
class Trial:
    """One trial.

    name: what was tried, enough to try it again. faults: what must not happen and did.
    seconds, mb: what it took at most. counts: other figures, summed over a part's trials.
    """

    name: str
    faults: Sequence[str] = ()
    seconds: float = 0.0
    mb: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)


def kdscan(
    *words: str, folder: Path, kill_after: float | None = None
) -> tuple[int, bytes, list[str]]:
    """Run a command in a folder; kill it and its children after so many seconds. Returns its exit
    code (negative for a signal), its output, and its faults: a bug, a crash, or a traceback."""
    # One thread a process, and no templates of the user's own.
    more = {"OMP_NUM_THREADS": "1", "XDG_DATA_HOME": str(folder / "data"), "LANGUAGE": "en"}
    with (folder / ".err").open("w+b") as err, (folder / ".out").open("w+b") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "kdscan", *words],
            cwd=folder,
            env=os.environ | more,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(kill_after)
        with suppress(ProcessLookupError):  # as a power cut does, and children that outlive it
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        for stream in (out, err):
            stream.seek(0)
        output, errors = out.read(), err.read()
    faults = []
    if code == 1 or b"Traceback (most recent call last)" in errors:
        faults.append(f"a bug: {errors[-300:].decode(errors='replace')}")
    if code < 0 and code != -signal.SIGKILL:
        faults.append(f"died by signal {-code}")
    return code, output, faults


def results(folder: Path) -> list[dict[str, str]]:
    """The results in a store that may have been killed; raises RuntimeError if it is damaged."""
    code, output, faults = kdscan("export", *EVENT, "--csv", "-", folder=folder)
    if code or faults:
        raise RuntimeError(f"{code}: {faults}")
    return list(csv.DictReader(io.StringIO(output.decode())))


def seed(folder: Path) -> None:
    """A store with photos that were read, players and a round; photos beside it."""
    (folder / "photos").mkdir()
    for path in SAMPLES[:PHOTOS]:
        shutil.copy(path, folder / "photos")
    (folder / "players.csv").write_text("name\nAda\nBob\nCleo\nDan\n")
    pair = ("pair", *EVENT, "--players", "players.csv", "--seed", "1")
    for words in (BATCH, pair):
        code, _, faults = kdscan(*words, folder=folder)
        if code:
            raise RuntimeError(f"{words[0]}: {code} {faults}")


def forget(folder: Path) -> None:
    """Remove the store, and the photos that it keeps."""
    for path in folder.glob("cup.*"):
        path.unlink() if path.is_file() else shutil.rmtree(path)


def kill_batches(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """A batch is killed again and again until one run ends; then everything is stored once, and
    nothing that was stored is ever lost."""
    seed(folder)
    expected = results(folder)
    while True:
        forget(folder)
        before: list[dict[str, str]] = []
        done = False
        while not done:
            code, _, faults = kdscan(*BATCH, folder=folder, kill_after=rng.uniform(0.5, 9))
            done = code == 0
            if (folder / "cup.sqlite").exists():
                now = results(folder)
                names = [row["file"] for row in now]
                faults += ["a row was lost"] * any(row not in now for row in before)
                faults += ["a row is stored twice"] * (len(names) != len(set(names)))
                before = now
            if done:
                faults += ["the end differs from that of one run"] * (before != expected)
            yield Trial("kill of batch", faults, counts={"killed": int(code < 0)})


COMMANDS = (
    ("correct", "01.jpg", *EVENT, "--set", "A1=f+"),
    ("correct", "02.jpg", *EVENT, "--confirm"),
    ("result", *EVENT, "--round", "1", "--table", "1", "Ada=50", "Bob=40"),
    ("export", *EVENT, "--csv", "out.csv"),
    ("sheet", "-o", "out.pdf"),
    ("score", "photos/03.jpg", "--overlay", "out.png"),
    ("report", *EVENT, "-o", "out.html"),
)
ENDS = {".csv": b"", ".pdf": b"%%EOF", ".png": b"IEND\xaeB`\x82", ".html": b"</html>"}


def kill_commands(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Commands that write are killed: what they write is old or new, the store is whole."""
    seed(folder)
    store = folder / "cup.sqlite"
    before = store.read_bytes()
    took: dict[tuple[str, ...], float] = {}
    for words in itertools.cycle(COMMANDS):
        out = folder / words[-1] if words[-1].startswith("out.") else None
        if out:
            out.write_bytes(OLD)
        start = time.monotonic()
        limit = rng.uniform(0, took[words]) if words in took else None
        code, _, faults = kdscan(*words, folder=folder, kill_after=limit)
        took.setdefault(words, 1.1 * (time.monotonic() - start))
        try:
            faults += ["a row was lost"] * (len(results(folder)) < PHOTOS)
        except RuntimeError as error:
            faults.append(f"the store: {error}")
        data = out.read_bytes() if out else OLD
        if out and data != OLD and not data.rstrip(b"\n").endswith(ENDS[out.suffix]):
            faults.append(f"{out.name} is neither old nor new")
        for path in folder.glob("cup.sqlite-*"):
            path.unlink()
        store.write_bytes(before)
        yield Trial(f"kill of {words[0]}", faults, counts={"killed": int(code < 0)})


def read(folder: Path, data: bytes, name: str, suffix: str) -> Trial:
    """Read a file of these bytes as `kdscan score` does."""
    path = folder / f"tried{suffix}"
    path.write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _, output, faults = kdscan("score", "--json", path.name, folder=folder, kill_after=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    mb = after.ru_maxrss / 1024  # the most so far
    photos = json.loads(output)["photos"] if output else []
    if not photos:
        faults.append("no answer in 300 s")
    faults += [f"it took {seconds:.0f} s"] * (seconds > LONGEST_SECONDS)
    faults += [f"it took {mb:.0f} MB"] * (mb > MOST_MB)
    if faults:
        copy = Path(tempfile.gettempdir(), f"kdscan-hold-{zlib.crc32(name.encode()):08x}{suffix}")
        copy.write_bytes(data)
        faults.append(f"see {copy}")
    counts = Counter("read" if photo["sheets"] else "refused" for photo in photos)
    return Trial(name, faults, seconds, mb, counts)


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
    register_heif_opener()
    originals = list(itertools.product(SAMPLES[:6], FORMS))
    for number in itertools.count():
        path, suffix = rng.choice(originals)
        name = f"mutant {number} of {path.stem}{suffix}"
        yield read(folder, mutant(rng, in_form(path, suffix)), name, suffix)


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
    for number in itertools.count():
        for name, suffix, data in recipes(rng):
            yield read(folder, data, f"{name}, round {number}", suffix)


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


Part = Callable[[random.Random, Path], Iterator[Trial]]

PARTS: dict[str, Part] = {
    "batch": kill_batches,
    "commands": kill_commands,
    "crafted": crafted,
    "mutated": mutated,
}


def run(part: str, rng: random.Random, seconds: float, trials: int | None) -> tuple[str, int]:
    """Run a part's trials until its time or their number is used up, and report their faults.
    Returns its row of the table, and the number of faults."""
    ran = faults = 0
    longest = most = 0.0
    counts: Counter[str] = Counter()
    end = None  # preparations before a part's first trial do not count
    with tempfile.TemporaryDirectory(prefix="kdscan-hold-", ignore_cleanup_errors=True) as folder:
        for trial in itertools.islice(PARTS[part](rng, Path(folder)), trials):
            ran, faults = ran + 1, faults + len(trial.faults)
            longest, most = max(longest, trial.seconds), max(most, trial.mb)
            counts.update(trial.counts)
            for fault in trial.faults:
                print(f"\r{trial.name}: {fault}", file=sys.stderr)
            print(f"\r{part} {ran} ", end="", file=sys.stderr, flush=True)
            end = end or time.monotonic() + seconds
            if time.monotonic() > end:
                break
    print(file=sys.stderr)
    more = ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
    return f"| {part} | {ran} | {faults} | {longest:.1f} | {most:.0f} | {more} |", faults


def _part(text: str) -> tuple[str, int | None]:
    """A part's name, and the number of trials requested."""
    name, _, trials = text.partition("=")
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"choose from {', '.join(PARTS)}")
    return name, int(trials) if trials else None


def main() -> int:
    """Run the requested trials, print the table."""
    options = parser(__doc__)
    options.add_argument(
        "--part", action="append", type=_part, help="one of them, with =N its trials; repeat"
    )
    options.add_argument("--minutes", type=float, help="for all parts together")
    options.add_argument("--seed", type=int, default=1)
    args = options.parse_args()
    parts = args.part or [(name, None) for name in PARTS]
    seconds = 60 * (args.minutes or 4 * len(parts)) / len(parts)
    table = ["| part | trials | faults | s at most | MB at most | |", "|---|---|---|---|---|---|"]
    faults = 0
    for name, trials in parts:
        row, more = run(name, random.Random(f"{args.seed} {name}"), seconds, trials)
        table.append(row)
        faults += more
    print("\n".join(table))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
