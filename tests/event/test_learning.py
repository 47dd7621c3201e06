"""Sheets of an unknown pad teach it during a batch; the result is the same whatever happens."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import pytest

from kdscan.event.events import find_event, open_event
from kdscan.event.jobs import Batch, Progress, Task
from kdscan.event.prints import EventPrints
from kdscan.event.store import Store, open_store
from kdscan.event.tasks import Ingest, Learn, Source, sources
from kdscan.inference.store import default_models
from kdscan.templates import pile
from tests.event.entries import exported
from tests.event.workers import Here, perform
from tests.templates.pads import ENGRAVED, PAINTED, learned_at_once, sheet


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven sheets of one pad and one of another."""
    top = tmp_path_factory.mktemp("pile") / "cup"
    top.mkdir()
    for seed, number in [(PAINTED, n) for n in range(1, 8)] + [(ENGRAVED, 1)]:
        path = top / f"{seed}-{number}.jpg"
        cv2.imwrite(str(path), sheet(seed, number).bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return top


@cache
def _once(task: Task) -> Any:
    return perform(task)


def as_ever(task: Task) -> Any:
    """What `perform` does, reading each photo once for all tests: it says the same every time."""
    if isinstance(task, Ingest):
        return perform(task)
    return _once(task if isinstance(task, Learn) else replace(task, key=0, version=""))


class Killed(Exception):
    """The run is broken off here."""


def run(store: Store, files: list[Source], after: int = 10**9, learns: bool = True) -> Progress:
    """A run that is broken off `after` so many results."""
    with store.write() as db:
        event = open_event(db, "cup")
    batch, seen = Batch(store, event, Here(as_ever), default_models().version, learns=learns), 0

    def told(progress: Progress) -> None:
        nonlocal seen
        seen += 1
        if seen == after:
            raise Killed

    batch.run(files, told)
    return batch.progress


def prints(store: Store) -> list[tuple[str, int, bool]]:
    with store.read() as db:
        event = find_event(db, "cup")
    return [(p.name, p.sheets, p.by_itself) for p in EventPrints(store, event.id).load()]


@pytest.mark.slow
def test_a_pile_describes_itself_in_whatever_order_and_however_often_killed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pile, "learn_from_flat_sheets", learned_at_once)
    files, photos = sources([str(folder)]), str(tmp_path / "photos")
    with open_store(str(tmp_path / "whole.sqlite"), photos) as store:
        progress = run(store, files)
        expected, known = exported(store), prints(store)
        assert progress.learned == {"pad 1": 7}
        assert progress.read - progress.again == len(files) and progress.again >= 7
        assert known == [("pad 1", 7, True)]
        assert expected.count('"layout": "pad 1"') == 7
        assert expected.count('"layout": "unknown"') == 1
        assert run(store, files).learned == {}  # there is nothing more to learn
        assert exported(store) == expected

    lot = random.Random(1)
    for after in (3, 11, 18, 22):  # taking in, first reading, learned, second reading
        shuffled = lot.sample(files, len(files))
        with open_store(str(tmp_path / f"{after}.sqlite"), photos) as store:
            with pytest.raises(Killed):
                run(store, shuffled, after)
            run(store, lot.sample(files, len(files)))
            assert prints(store) == known
            assert exported(store) == expected


def test_nothing_is_learned_where_nobody_wants_it(folder: Path, tmp_path: Path) -> None:
    files, photos = sources([str(folder)]), str(tmp_path / "photos")
    with open_store(str(tmp_path / "off.sqlite"), photos) as store:
        assert run(store, files, learns=False).learned == {}
        assert prints(store) == []
        with store.read() as db:
            known = EventPrints(store, find_event(db, "cup").id)
        for on in (True, False, True):
            known.switch(on)
            assert known.learns() is on
