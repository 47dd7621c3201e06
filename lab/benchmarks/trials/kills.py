"""Killed at any moment: nothing that was acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import atexit
import csv
import io
import itertools
import random
import shutil
import sqlite3
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import httpx

from kdscan.event.export import write_csv
from kdscan.event.results import results
from kdscan.event.store import open_store
from kdscan.event.store.events import events
from lab.benchmarks.shared import SAMPLES
from lab.benchmarks.trials import BEARER, ON_TRIAL, Trial, kdscan, kill, logged_faults, serving

EVENT = ("--event", "Cup", "--store", "cup.sqlite")
PHOTOS = 5


def seed(folder: Path) -> None:
    """A store with photos that were read, players and a round; photos beside it."""
    shutil.copytree(_seeded(), folder, dirs_exist_ok=True)


@cache
def _seeded() -> Path:
    """A folder as of `seed`, made once however many parts ask for it."""
    folder = Path(tempfile.mkdtemp(prefix="kdscan-hold-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "photos").mkdir()
    for path in SAMPLES[:PHOTOS]:
        shutil.copy(path, folder / "photos")
    (folder / "players.csv").write_text("name\nAda\nBob\nCleo\nDan\n")
    for words in (
        ["batch", "photos", *EVENT, "--round", "1", "--workers", "1"],
        ["pair", *EVENT, "--players", "players.csv", "--seed", "1"],
    ):
        ended = kdscan(*words, folder=folder)
        if ended.code:
            raise RuntimeError(ended.err)
    return folder


def rows(store: Path) -> list[dict[str, str]]:
    """The results as `kdscan export --csv` tells them; raises for a damaged store."""
    with closing(sqlite3.connect(store)) as raw:
        (state,) = raw.execute("PRAGMA integrity_check").fetchone()
    if state != "ok":
        raise RuntimeError(state)
    out = io.StringIO()
    with open_store(str(store)) as opened, opened.read() as db:
        for event in events(db):
            write_csv(results(db, event.id), out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def batch(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """A batch is killed again and again until one run ends; then all is there, once."""
    seed(folder)
    expected = rows(folder / "cup.sqlite")
    words = ["batch", "photos", *EVENT, "--round", "1", "--workers", "1"]
    while True:
        forget(folder)
        before: list[dict[str, str]] = []
        done = False
        while not done:
            ended = kdscan(*words, folder=folder, kill_after=rng.uniform(0.5, 9))
            faults, done = list(ended.faults), ended.code == 0
            if (folder / "cup.sqlite").exists():
                now = rows(folder / "cup.sqlite")
                names = [row["file"] for row in now]
                faults += ["a row was lost"] * any(row not in now for row in before)
                faults += ["a row is there twice"] * (len(names) != len(set(names)))
                before = now
            if done:
                faults += ["the end differs from that of one run"] * (before != expected)
            yield Trial("kill of batch", tuple(faults), counts={"killed": int(ended.code < 0)})


COMMANDS = (
    ("correct", "01.jpg", *EVENT, "--set", "A1=f+"),
    ("correct", "02.jpg", *EVENT, "--confirm"),
    ("result", *EVENT, "--round", "1", "--table", "1", "Ada=50", "Bob=40"),
    ("pair", *EVENT, "--again"),
    ("export", *EVENT, "--csv", "out.csv"),
    ("export", *EVENT, "--archive", "out.kdscan"),
    ("sheet", "-o", "out.pdf"),
    ("score", "photos/03.jpg", "--no-learn", "--overlay", "out.png"),
    ("report", *EVENT, "-o", "out.html"),
)

OLD = b"old"
ENDS = {".csv": b"\n", ".pdf": b"%%EOF", ".png": b"IEND\xaeB`\x82", ".html": b"</html>"}


def commands(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Commands that write are killed: what they write is old or new, the store is whole."""
    seed(folder)
    store = folder / "cup.sqlite"
    kept = store.read_bytes()
    took: dict[tuple[str, ...], float] = {}
    for number in itertools.count():
        words = COMMANDS[number % len(COMMANDS)]
        out = folder / words[-1] if words[-1].startswith("out.") else None
        if out:
            out.write_bytes(OLD)
        start = time.monotonic()
        limit = rng.uniform(0, took[words]) if words in took else None
        ended = kdscan(*words, folder=folder, kill_after=limit)
        took.setdefault(words, 1.1 * (time.monotonic() - start))
        faults = (*ended.faults, *damaged(store, out))
        forget(folder, photos=False)
        store.write_bytes(kept)
        yield Trial(f"kill of {words[0]}", faults, counts={"killed": int(ended.code < 0)})


def damaged(store: Path, out: Path | None) -> Iterator[str]:
    """What is wrong with a store, and with what a command wrote."""
    try:
        if len(rows(store)) < PHOTOS:
            yield "a row was lost"
    except Exception as error:  # whatever it is, the store is no longer whole
        yield f"the store: {error!r}"
    if out and not is_whole(out):
        yield f"{out.name} is neither old nor new"


def forget(folder: Path, photos: bool = True) -> None:
    """Remove the store, and the photos that it keeps."""
    for path in folder.glob("cup.*"):
        if path.is_file():
            path.unlink()
        elif photos:
            shutil.rmtree(path)


def is_whole(path: Path) -> bool:
    """Whether an output is what was there before, or a new one to its end."""
    data = path.read_bytes()
    if data == OLD:
        return True
    if path.suffix == ".kdscan":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.testzip() is None
    return data.rstrip(b"\n").endswith(ENDS[path.suffix].strip()) and len(data) > 100


@dataclass
class Acknowledged:
    """What a page has said that it keeps. pending: what it was asked for and never answered."""

    photos: set[int] = field(default_factory=set)
    crosses: dict[int, int] = field(default_factory=dict)
    pending: dict[int, int] = field(default_factory=dict)


def page(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """A page is killed under uploads and corrections; what it acknowledged is there afterwards."""
    said = Acknowledged()
    while True:
        with (
            serving(folder, *ON_TRIAL) as running,
            httpx.Client(base_url=running.address, headers=BEARER, timeout=60) as client,
        ):
            faults = list(_lost(client, said))
            before = len(said.photos)
            timer = threading.Timer(rng.uniform(0.5, 8), kill, [running.process.pid])
            timer.start()
            with suppress(httpx.TransportError):
                _work(rng, client, said)
            timer.join()
            faults += logged_faults(running)
        counts = {"acknowledged": len(said.photos) - before, "killed": 1}
        yield Trial("kill of the page", tuple(faults), counts=counts)
        if len(said.photos) > 60:
            said = Acknowledged()
            forget(folder)


def _work(rng: random.Random, client: httpx.Client, said: Acknowledged) -> None:
    """Upload and correct until the page is gone; notes what was acknowledged."""
    while True:
        data = rng.choice(SAMPLES).read_bytes() + rng.randbytes(8)
        answer = client.post("/api/photos", content=data).raise_for_status()
        said.photos.add(answer.json()["id"])
        photo = client.get(f"/api/photos/{rng.choice(sorted(said.photos))}?wait=2").json()
        for sheet in (one["id"] for one in photo.get("sheets") or ()):
            said.pending[sheet] = rng.randrange(3)
            change = {"cell": [0, 0], "coat": "dot", "crosses": said.pending[sheet]}
            client.post(f"/api/sheets/{sheet}/corrections", json=change).raise_for_status()
            said.crosses[sheet] = said.pending.pop(sheet)


def _lost(client: httpx.Client, said: Acknowledged) -> Iterator[str]:
    for number in said.photos:
        if client.get(f"/api/photos/{number}").status_code != 200:
            yield f"photo {number} was acknowledged and is lost"
    for sheet, crosses in said.crosses.items():
        cell = client.get(f"/api/sheets/{sheet}").json()["cells"][0]
        may_be = {("dot", crosses), ("dot", said.pending.get(sheet, crosses))}
        if (cell["coat"], cell["crosses"]) not in may_be:
            yield f"a correction of sheet {sheet} was acknowledged and is lost"
        said.crosses[sheet] = cell["crosses"]
    said.pending.clear()
