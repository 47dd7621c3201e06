"""Objects on a sheet when it is photographed: how often they make a certain total wrong."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from kdscan.imaging.picture import Photo
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.scoring import score_board
from kdscan.sheets.duel_map.model import MapReading
from lab.benchmarks.coverings import KINDS, OTHERS, Covering
from lab.benchmarks.shared import CAMERA_QUALITY, maps_in
from lab.benchmarks.trials import Trial
from lab.synth.fields import any_of
from lab.synth.hands.habits import TIDY
from lab.synth.hands.sketch import Hand
from lab.synth.own import any_look, own_page
from lab.synth.photo.camera import HAND_HELD
from lab.synth.photo.sensor import compress
from lab.synth.scene import SynthPhoto, draw_page, random_page, shoot

SIZE_WH = (2016, 1512)
OF_A_SHEET = 3
"""Objects laid, one at a time, on each sheet that was read with certainty and correctly before."""


def spoiled(rng: random.Random, folder: Path) -> Iterator[Trial]:
    """Sheets that are read surely and rightly, photographed again with a shield covered."""
    cv2.setNumThreads(1)
    kinds = itertools.cycle(KINDS + OTHERS)
    while True:
        seed = rng.randrange(2**31)
        lot = np.random.default_rng(seed)
        page = own_page(120, any_look(lot)) if lot.random() < 0.6 else random_page(lot)
        hand = Hand.random(lot, TIDY, dice=False)
        drawn = draw_page(lot, page=page, messiness=float(lot.uniform(0, 0.4)), hand=hand)
        level, again = any_of(lot, HAND_HELD[:2]), int(lot.integers(2**31))
        shots = np.random.default_rng(again)
        clean = shoot(shots, drawn, level, size_wh=SIZE_WH)
        total = truth(clean)
        found = read(clean)
        sure = found is not None and not found.review
        right = found is not None and found.score.domain_points == total
        yield Trial(
            f"sheet {seed}",
            counts={
                "clean": 1,
                "clean asked": int(not sure),
                "clean surely wrong": int(sure and not right),
            },
        )
        for _ in range(OF_A_SHEET if sure and right else 0):
            kind, at = next(kinds), CELLS[int(lot.integers(len(CELLS)))]
            cover = Covering(lot, drawn.layout, kind, at)
            shots = np.random.default_rng(again)
            photo = shoot(shots, drawn, level, size_wh=SIZE_WH, cover=cover)
            yield judged(read(photo), total, f"{kind} on {at} of sheet {seed}")


def judged(found: MapReading | None, total: int, name: str) -> Trial:
    """A covered photo, counted."""
    counts = {"covered": 1, "covered surely wrong": 0, "covered asked": 0}
    if found is None or found.review:
        counts["covered asked"] = 1
    elif found.score.domain_points != total:
        counts["covered surely wrong"] = 1
    return Trial(name, counts=counts)


def truth(photo: SynthPhoto) -> int:
    """The domains' points."""
    return score_board(photo.board).domain_points


def read(photo: SynthPhoto) -> MapReading | None:
    """The only map that is found, after the photo was a JPEG."""
    found = maps_in(Photo(compress(photo.bgr, CAMERA_QUALITY)))
    return found[0] if len(found) == 1 else None
