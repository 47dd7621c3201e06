"""Corrections become training data: photos with the truth that people have checked."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.errors import UsageError
from kdscan.event.actions import ConfirmSheet, CorrectShield, CorrectSquare
from kdscan.event.events import open_event
from kdscan.event.export import save_labels
from kdscan.event.jobs import Batch
from kdscan.event.store import Store, open_store
from kdscan.event.tasks import sources
from kdscan.inference.store import default_models
from kdscan.rules.duel.board import CELLS, COATS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from lab.synth.kingdoms.tiles import load_photos
from lab.training.dataset import UNKNOWN, unpack
from lab.training.labels import load_labels
from tests.event.entries import came_in, do, event_of
from tests.event.workers import Here
from tests.readings import make_kingdom

SAMPLES = Path(__file__).parent.parent.parent / "samples"


def told(store: Store, confirm: str, correct: str) -> None:
    """Read two samples; a person confirms one, and corrects a shield of the other."""
    with store.write() as db:
        event = open_event(db, "cup")
    batch = Batch(store, event, Here(), default_models().version)
    batch.run(sources([str(SAMPLES / confirm), str(SAMPLES / correct)]))
    event = event_of(store, "cup")
    for number, sheet in event.sheets.items():
        seen = event.photos[sheet.photo_id].size == (SAMPLES / confirm).stat().st_size
        what = ConfirmSheet(number) if seen else CorrectShield(number, (0, 3), "checked", 4)
        do(store, what, event="cup")


def test_what_people_have_seen_is_truth(tmp_path: Path) -> None:
    labels = tmp_path / "labels"
    with open_store(str(tmp_path / "s.sqlite")) as store:
        told(store, "04.jpg", "02.jpg")
        assert save_labels(store, "cup", labels) == (2, 35)
        with pytest.raises(UsageError):
            save_labels(store, "other", labels)
    texts = {p.stem: json.loads(p.read_text("utf-8")) for p in labels.glob("*.json")}
    assert sorted(len(t["seen"]) for t in texts.values()) == [1, 34]
    by_count = {int((e.coat != UNKNOWN).sum()): e for e in load_labels(labels)}
    corrected, confirmed = by_count[1], by_count[34]
    at = CELLS.index((0, 3))
    assert (COATS[int(corrected.coat[at])], int(corrected.crosses[at])) == ("checked", 4)
    assert unpack(confirmed.flat).shape[2] == 3
    assert confirmed.photographed

    # The sample's own truth lies in the same places and says nearly the same.
    sample = load_labels(SAMPLES)[3]  # 04.jpg
    assert np.mean(confirmed.coat == sample.coat) > 0.8
    own = json.loads((SAMPLES / "04.json").read_text("utf-8"))["pixels"]
    said = next(t["pixels"] for t in texts.values() if len(t["seen"]) == 34)
    off = [np.linalg.norm(np.subtract(own[cell], said[cell])) for cell in own]
    assert max(off) < 0.3 * np.linalg.norm(np.subtract(own["0,1"], own["0,0"]))


def test_confirmed_kingdoms_come_out_as_training_takes_them(tmp_path: Path) -> None:
    kingdom = make_kingdom(doubtful={(0, 4): ("lake", 1)})
    picture = cv2.imencode(".png", np.full((700, 900, 3), 90, np.uint8))[1].tobytes()
    labels = tmp_path / "labels"
    with open_store(str(tmp_path / "s.sqlite")) as store:
        found = kingdom, make_kingdom(origin_xy=(450, 120))
        came_in(store, "a.png", *found, event="cup", game="kingdomino", picture=picture)
        sheet, other = sorted(event_of(store, "cup").sheets)
        do(store, CorrectSquare(sheet, (0, 4), "lake", 1), event="cup")
        assert save_labels(store, "cup", labels) == (0, 0)
        do(store, ConfirmSheet(sheet), event="cup")
        assert save_labels(store, "cup", labels) == (1, 23)
        do(store, ConfirmSheet(other), event="cup")
        assert save_labels(store, "cup", tmp_path / "both") == (2, 46)
    assert len(list((tmp_path / "both").iterdir())) == 4
    (board,) = load_photos(labels)
    assert SQUARE_CLASSES[board.kinds[0, 4]] == ("lake", 1)
    assert SQUARE_CLASSES[board.kinds[2, 2]] == ("castle", 0)
    assert load_labels(labels) == []
