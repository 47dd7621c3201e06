"""What one correction costs: python -m lab.benchmarks.corrections [SHEETS ...]

A made event of five rounds, whose sheets were read surely. The desk corrects a shield as the page
has it done, and the standings and what is to be settled are made anew. Prints, for each number of
sheets, milliseconds of processor time (median of nine), SQL statements, and the functions and files
of kdscan that are entered.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np
from sqlalchemy import event as hooks

from kdscan.document import PhotoReport, photo_json
from kdscan.event import actions as act
from kdscan.event.events import load, open_event, perform
from kdscan.event.log import Author, append
from kdscan.event.model import Event
from kdscan.event.store import Store, open_store
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.event.store.schema import now
from kdscan.files import Json
from kdscan.imaging.rectify import RectifiedSheet
from kdscan.marks.network import MarkProbs
from kdscan.rules.duel.board import CELLS, COLS, MAX_CROSSES, ROWS
from kdscan.rules.duel.coats import COATS
from kdscan.sheets.base import DUEL_MAP, serialize
from kdscan.sheets.duel_map.model import MapEvidence, MapReading
from lab.synth.scene import random_board

DESK, ROUNDS, TIMES = Author("Ada"), 5, 9


def sheet(seed: int) -> MapReading:
    """A sheet of a random game, read without a doubt."""
    board, _ = random_board(random.Random(seed))
    coat, crosses = np.zeros((len(CELLS), len(COATS))), np.zeros((len(CELLS), MAX_CROSSES + 1))
    for n, cell in enumerate(CELLS):
        shield = board.get(cell)
        coat[n, COATS.index(shield.coat if shield else None)] = 1
        crosses[n, shield.crosses if shield else 0] = 1
    x, y = np.meshgrid(np.arange(COLS), np.arange(ROWS))
    corners = np.array([(0, 0), (COLS, 0), (COLS, ROWS), (0, ROWS)], np.float64)
    pixels = np.zeros((1, 1, 3), np.uint8)
    centers = np.dstack([x, y]).astype(np.float64) + 0.5
    flat = RectifiedSheet(pixels, centers, corners, 1.0, 0.999)
    probs = MarkProbs(coat, crosses, 0.001, 0.999)
    return DUEL_MAP.reading_of(MapEvidence(flat, probs, "kdscan-a5"))


def shuffle(entry: Json, evidence: Json, rng: random.Random) -> None:
    """Move the shields of a sheet to other places; what else follows from them stays."""
    order = rng.sample(range(len(CELLS)), len(CELLS))
    marks = [(entry["cells"][n]["coat"], entry["cells"][n]["crosses"]) for n in order]
    for cell, (coat, crosses) in zip(entry["cells"], marks, strict=True):
        cell["coat"], cell["crosses"] = coat, crosses
    for name in ("coat", "crosses"):
        evidence["probs"][name] = [evidence["probs"][name][n] for n in order]


def made_event(store: Store, sheets: int) -> Event:
    """An event with that many sheets; all rounds are paired and played."""
    names = [f"Player {n}" for n in range(sheets // ROUNDS // 2 * 2)]
    with store.write() as db:
        cup = open_event(db, "Cup")
        players = [act.AddPlayer(name, str(n), n) for n, name in enumerate(names, 1)]
        rounds = []
        for r in range(1, ROUNDS + 1):
            order = random.Random(r).sample(names, len(names))
            tables = tuple(zip(order[::2], order[1::2], strict=True))
            rounds.append(act.PairRound(tables=tables, round=r))
        actions: list[act.Action] = [*players, *rounds]
        for action in actions:
            append(db, cup.id, DESK, action, now())
        reading = sheet(1)
        entry, evidence = photo_json(PhotoReport("", sheets=(reading,))), serialize(reading)
        for r, made in enumerate(rounds, 1):
            for number, name in enumerate(n for pair in made.tables or () for n in pair):
                player, key = int(name.split()[1]) + 1, r * 100_000 + number
                shuffle(entry["sheets"][0], evidence, random.Random(key))
                code = f"CUP/{r}/{number // 2 + 1}/{player}"
                entry["sheets"][0]["sheet_id"] = evidence["sheet_id"] = code
                photo = add_photo(db, cup.id, f"{key:064x}", ".jpg", 1)
                add_file(db, cup.id, f"{key}.jpg", photo.id)
                set_pages(db, photo, 1)
                add_reading(db, photo, 0, "models", entry, [evidence], 0.1)
        return load(db, cup.id, write=True)


def correct(store: Store, before: Event, n: int) -> Event:
    """The desk says that a shield is empty, as the page does it; what is shown is made anew."""
    target = list(before.sheets)[n]
    with store.write() as db:
        after, _ = perform(db, before, DESK, act.CorrectShield(target, CELLS[n % 34], None))
    _ = after.standings, after.findings
    return after


def entered(store: Store, cup: Event) -> tuple[int, set[tuple[str, str]]]:
    """The number of SQL statements of a correction, and the functions that are entered."""
    functions, statements = set[tuple[str, str]](), []

    def note(frame: FrameType, what: str, _: Any) -> None:
        file, name = frame.f_code.co_filename, frame.f_code.co_qualname
        if what == "call" and "/kdscan/" in file and "<" not in name.split(".")[-1]:
            functions.add((file, name))

    hooks.listen(store.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    sys.setprofile(note)
    correct(store, cup, TIMES)
    sys.setprofile(None)
    return len(statements), functions


def main(*counts: str) -> None:
    """Print the table."""
    print(f"{'sheets':>7}{'ms':>8}{'statements':>12}{'functions':>11}{'files':>7}")
    for count in map(int, counts or ("100", "1000")):
        with TemporaryDirectory() as folder, open_store(str(Path(folder, "cup.sqlite"))) as store:
            cup = made_event(store, count)
            _ = cup.standings, cup.findings
            times = []
            for n in range(TIMES):
                start = time.process_time()
                cup = correct(store, cup, n)
                times.append(1000 * (time.process_time() - start))

            statements, functions = entered(store, cup)
            files = {file for file, _ in functions}
            row = f"{statistics.median(times):8.1f}{statements:12}{len(functions):11}{len(files):7}"
            print(f"{len(cup.sheets):7}{row}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
