"""Hostile archives of events: taken in and shown, or refused and nothing left behind."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kdscan.errors import UsageError
from kdscan.event.archive.load import load_event
from kdscan.event.archive.save import save_event
from kdscan.event.results import results
from kdscan.event.store import open_store
from kdscan.event.store.events import events
from lab.benchmarks.trials import LONGEST_SECONDS, Trial, kdscan
from lab.benchmarks.trials.kills import EVENT, seed
from lab.benchmarks.trials.pictures import mutant

ODD: list[Any] = [None, 0, -1, 2**40, 2**70, 1e308, "", "x", "\x1b", "\ud800", "../x", "/etc/x"]
ODD += [[], {}, [[]], True, "x" * 5000, "ab" * 32]

ODD_NAMES = ("../evil", "/tmp/evil", "photos/../../evil", "photos/x", "a" * 300, "event.jsonl")


def hostile(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Archives with a row, an entry or some bytes changed."""
    seed(folder)
    ended = kdscan("export", *EVENT, "--archive", "good.kdscan", folder=folder)
    if ended.code:
        raise RuntimeError(ended.err)
    for number in itertools.count():
        (within := folder / "victim").mkdir()
        bad = within / "bad.kdscan"
        bad.write_bytes(spoiled(rng, folder / "good.kdscan"))
        yield loaded(bad, f"archive {number}")
        shutil.rmtree(within)


def loaded(bad: Path, name: str) -> Trial:
    """Import an archive into a new store."""
    start, faults, counts = time.process_time(), [], {"imported": 0, "refused": 0}
    (inside := bad.parent / "inside").mkdir()
    with open_store(str(inside / "new.sqlite")) as store:
        try:
            event = load_event(store, bad).event
            counts["imported"] = 1
            with store.read() as db:
                list(results(db, event.id))
            save_event(store, event.name, bad.with_name("again"))
        except UsageError:
            counts["refused"] = 1
            with store.read() as db:
                if events(db):
                    faults.append("an event was left behind")
            if any(path.is_file() for path in inside.glob("*/**/*")):
                faults.append("a photo was left behind")
        except Exception as error:  # what nobody foresaw
            faults.append(f"a bug: {error!r:.300}")
    if {path.name for path in bad.parent.iterdir()} - {"bad.kdscan", "inside", "again"}:
        faults.append("it wrote outside the store")
    seconds = time.process_time() - start
    if seconds > LONGEST_SECONDS:
        faults.append(f"it took {seconds:.0f} s")
    return Trial(name, tuple(faults), seconds, counts=counts)


def spoiled(rng: random.Random, good: Path) -> bytes:
    """The archive's bytes with something in them changed."""
    if rng.random() < 0.3:
        return mutant(rng, good.read_bytes())
    out = good.with_name("spoiled")
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        rows = [json.loads(line) for line in old.read("event.jsonl").splitlines()]
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(rows))
            rows[at] = changed(rng, rows[at])
        what = rng.randrange(6)
        if what == 0:
            rng.shuffle(rows)
        elif what == 1:
            del rows[rng.randrange(len(rows))]
        elif what == 2:
            rows.append(rng.choice(rows))
        new.writestr("event.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for name in old.namelist():
            if name.startswith("photos/") and rng.random() < 0.95:
                data = old.read(name)
                new.writestr(name, mutant(rng, data) if rng.random() < 0.1 else data)
        if rng.random() < 0.2:
            new.writestr(rng.choice(ODD_NAMES), rng.randbytes(99))
    return out.read_bytes()


def changed(rng: random.Random, value: Any) -> Any:
    """A JSON value with something in it replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return value | {key: changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], changed(rng, value[at]), *value[at + 1 :]]
    return rng.choice(ODD)
