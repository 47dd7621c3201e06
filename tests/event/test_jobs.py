"""The run: every page once, whatever happens; on each database."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from kdscan.errors import ReaderDied, StoreError, UsageError
from kdscan.event.actions import SetRules
from kdscan.event.events import forget_event, load, open_event, open_row
from kdscan.event.export import rows_with_sheets, write_csv, write_json_lines
from kdscan.event.jobs import Batch, Progress, Task
from kdscan.event.model import FAILED, REVIEW, SAME_PHOTO, SAME_SHEET
from kdscan.event.store import Store
from kdscan.event.tasks import Ingest, Read, sources
from kdscan.rules.kingdomino.kingdom import Variants
from tests.event.entries import MODELS
from tests.event.workers import Here, pages_of, read_by_hand


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two photos, one of them twice; a TIFF of three pages; a broken file."""
    top = tmp_path / "cup"
    top.mkdir()
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        pixels = rng.integers(0, 255, (40, 60, 3), np.uint8)
        cv2.imwrite(str(top / f"{name}.png"), pixels)
    (top / "b again.png").write_bytes((top / "b.png").read_bytes())
    pages = [Image.new("L", (50 + n, 40), n) for n in range(3)]
    pages[0].save(top / "scan.tif", save_all=True, append_images=pages[1:])
    (top / "z.jpg").write_bytes(b"\xff\xd8\xffbroken")
    return top


def read(store: Store, folder: Path, workers: Here, models: str = MODELS) -> Progress:
    with store.write() as db:
        event = open_event(db, "cup")
    batch = Batch(store, event, workers, models, round=2)
    batch.run(sources([str(folder)]))
    return batch.progress


def told(store: Store) -> tuple[list[tuple[str, int, str]], str]:
    """The rows in short, and the two exports together."""
    out = io.StringIO()
    with store.read() as db:
        event = load(db, open_row(db, "cup").id)
        rows = list(rows_with_sheets(db, event))
        write_csv(rows, out)
        write_json_lines(rows, out)
    return [(row.file.name, row.page, row.status) for row, _ in rows], out.getvalue()


ROWS = [
    ("cup/a.png", 0, REVIEW),
    ("cup/b again.png", 0, SAME_SHEET),
    ("cup/b.png", 0, SAME_PHOTO),
    ("cup/scan.tif", 0, SAME_SHEET),
    ("cup/scan.tif", 1, SAME_SHEET),
    ("cup/scan.tif", 2, SAME_SHEET),
    ("cup/z.jpg", 0, FAILED),
]
"""Every page shows the same map; the first in the order of names counts."""


def test_every_page_is_read_once(store: Store, folder: Path) -> None:
    workers = Here(read_by_hand)
    progress = read(store, folder, workers)
    rows, text = told(store)
    assert rows == ROWS
    assert pages_of(workers) == 5
    assert (progress.total, progress.done, progress.failed) == (7, 7, 1)
    assert (progress.known, progress.twice) == (0, 1)
    again = Here(read_by_hand)
    progress = read(store, folder, again)
    assert pages_of(again) == 0
    assert (progress.total, progress.done, progress.failed) == (7, 7, 1)
    assert (progress.known, progress.twice) == (5, 1)
    assert told(store) == (rows, text)
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert {line["round"] for line in lines if line["data"]} == {2}
    assert lines[0]["data"]["cells"][1]["review"] is True
    assert all(
        len(Path(store.photos.root, x[:2], f"{x}{s}").read_bytes()) >= 9
        for x, s in {(ln["sha256"], Path(ln["file"]).suffix) for ln in lines}
    )


def test_new_models_read_again(store: Store, folder: Path) -> None:
    read(store, folder, Here(read_by_hand))
    before = told(store)
    newer = Here(read_by_hand)
    read(store, folder, newer, "models-2")
    assert pages_of(newer) == 5
    assert told(store) == before


def test_an_events_rules_say_what_is_read(store: Store, folder: Path) -> None:
    rules = SetRules(great_duel=True, middle_kingdom=True)
    with store.write() as db:
        open_event(db, "cup", "kingdomino", rules)
    workers = Here(read_by_hand)
    read(store, folder, workers)
    tasks = [task for task in workers.done if isinstance(task, Read)]
    assert {task.game for task in tasks} == {"kingdomino"}
    assert {task.variants for task in tasks} == {Variants(great_duel=True, middle_kingdom=True)}
    # Rules that change no square read nothing again; another limit does, and so does the old one.
    other, back = SetRules(great_duel=False), SetRules(great_duel=True)
    for changed, pages in (
        (SetRules(harmony=True), 0),
        (other, 5),
        (back, 5),
        (back, 0),
        (other, 5),
    ):
        with store.write() as db:
            open_event(db, "cup", None, changed)
        again = Here(read_by_hand)
        read(store, folder, again)
        assert pages_of(again) == pages


class Broken(Exception):
    """Somebody pulled the plug."""


def test_broken_off_anywhere_it_resumes(store: Store, folder: Path) -> None:
    """At every step in turn: what a run that stops there leaves is completed by the next."""
    rng = random.Random(1)
    steps = 0
    read_pages = 0

    def fragile(task: Task) -> Any:
        nonlocal steps
        steps += 1
        if rng.random() < 0.3:
            raise Broken
        return read_by_hand(task)

    for _ in range(100):
        workers = Here(fragile)
        try:
            read(store, folder, workers)
            break
        except Broken:
            continue
        finally:
            read_pages += pages_of(workers)
    assert steps > 20
    assert told(store)[0] == ROWS


def test_what_killed_its_reader_is_tried_again_next_time(store: Store, folder: Path) -> None:
    def deadly(task: Task) -> Any:
        if isinstance(task, Ingest):
            return read_by_hand(task)
        return task.failed(ReaderDied("it ended"))

    progress = read(store, folder, Here(deadly))
    assert progress.failed == 6
    assert {status for _, _, status in told(store)[0]} == {FAILED, SAME_PHOTO}
    progress = read(store, folder, Here(read_by_hand))
    assert progress.failed == 1
    assert told(store)[0] == ROWS


def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(store: Store, folder: Path) -> None:
    taken = 0

    def full(task: Task) -> Any:
        nonlocal taken
        taken += 1
        if taken > 4:
            raise StoreError("No space left on device")
        return read_by_hand(task)

    with pytest.raises(StoreError):
        read(store, folder, Here(full))
    read(store, folder, Here(read_by_hand))
    assert told(store)[0] == ROWS


def test_an_event_that_is_deleted_meanwhile_ends_the_run(store: Store, folder: Path) -> None:
    with store.write() as db:
        event = open_event(db, "cup")
    batch = Batch(store, event, Here(read_by_hand), MODELS)
    forget_event(store, event.id)
    with pytest.raises(UsageError, match="there is no such event"):
        batch.run(sources([str(folder)]))


def test_an_unreadable_file_is_a_row_until_it_can_be_read(store: Store, folder: Path) -> None:
    with store.write() as db:
        event = open_event(db, "cup")
    gone = folder / "gone.png"
    for content in (None, (folder / "a.png").read_bytes()):
        if content:
            gone.write_bytes(content)
        Batch(store, event, Here(read_by_hand), MODELS).run(sources([gone.as_posix()]))
        rows, _ = told(store)
        assert [status for _, _, status in rows] == [REVIEW if content else FAILED]
