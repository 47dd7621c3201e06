"""How far the reader may be believed, fitted on whole photos that no network was trained on.

Probabilities of the networks hold for crops like those they learned from. What a user
relies on is another question: is this total right? So the log odds that the total is
right and the grid in its place get a slope and an offset (Platt 1999), fitted to what
came true on synthetic photos of other designs, other hands, played boards: for each number of
views by itself, since several views are surer than they sound.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import NoSheetFound, UsageError
from kdscan.imaging.photo import load_photos
from kdscan.inference.store import Models, calibrated_as
from kdscan.kinds.common.options import ReadOptions
from kdscan.kinds.duel_map.interpret import decoded
from kdscan.kinds.duel_map.read import RISK_SHARES
from kdscan.pipeline.read import read_with
from kdscan.records import SheetReading
from kdscan.synth.fields import F64

CAUTION = 4.0
"""Photos' worth of belief that probabilities are right as they are; keeps the fit tame."""


ANYTHING, NOTHING = 2.0, 1e-9
"""Accepted risks with which a sheet is looked at once, and as often as it ever is."""


@dataclass(frozen=True)
class Outcome:
    """How probable a total was held after so many views, and whether it was right.

    kind: what the sheet is trusted as.
    """

    kind: str
    views: int
    stated: float
    true: bool


def outcomes(folder: Path, models_folder: Path) -> Iterator[Outcome]:
    """The outcome of each photo with its truth beside it in which one map is found, for each
    number of views.

    Photos are read on all cores.
    """
    photos = sorted(folder.glob("*.jpg"))
    # Processes of their own, no forks: OpenCV's threads, which whoever made the photos has woken,
    # do not survive a fork, and a worker that wants them gone waits for them for ever.
    own = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(None, own, cv2.setNumThreads, (1,)) as pool:
        for some in pool.map(partial(_outcomes, models_folder), photos, chunksize=4):
            yield from some


_models = cache(Models)


def _outcomes(models_folder: Path, path: Path) -> list[Outcome]:
    photo = next(iter(load_photos(path)))
    truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
    came = []
    for views, risk in zip(RISK_SHARES, (ANYTHING, NOTHING), strict=True):
        try:
            found = read_with(photo, ReadOptions(risk, game="duel"), _models(models_folder))
        except NoSheetFound:
            return []
        maps = [one for one in found if isinstance(one, SheetReading)]
        if len(maps) != 1:
            return []
        (sheet,) = maps
        right = sheet.score.domain_points == truth["score"]
        plain = replace(sheet.evidence.probs, calibration=np.array([1.0, 0.0]))
        sure = decoded(plain).confidence  # before the rules have their say
        came.append(Outcome(calibrated_as(sheet.evidence.layout), views, sure, right))
    return came


def fit_trust(stated: F64, true: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset of the log odds with the highest likelihood of what came true.

    stated: (N,) probabilities. true: (N,) whether it came true.
    """
    odds = np.log(np.clip(stated, 1e-6, 1 - 1e-6)) - np.log1p(-np.clip(stated, 1e-6, 1 - 1e-6))

    seen = np.stack([odds, np.ones_like(odds)], 1)
    start = np.array([1.0, 0.0])
    fit = start.copy()

    def loss(fit: F64) -> float:
        z, away = seen @ fit, fit - start
        return float((np.logaddexp(0, z) - true * z).sum() + CAUTION / 2 * (away @ away))

    for _ in range(50):  # Newton's steps, halved where they leap too far; the loss is convex
        p = 1 / (1 + np.exp(-np.clip(seen @ fit, -500, 500)))
        slope = seen.T @ (p - true) + CAUTION * (fit - start)
        bend = (seen * (p * (1 - p))[:, None]).T @ seen + CAUTION * np.eye(2)
        step = np.linalg.solve(bend, slope)
        while loss(fit - step) > loss(fit) and np.abs(step).max() > 1e-9:
            step = step / 2
        fit = fit - step
    return round(float(fit[0]), 4), round(float(fit[1]), 4)


def calibrate(folder: Path, models_folder: Path) -> dict[str, object]:
    """Fit the trust on a folder of photos and write it into the models' manifest, as that of
    our own sheet or of any design: of whichever most of them show.

    Raises UsageError for a folder without photos that have their truth beside them, and for
    models that find nothing there.
    """
    photos = list(folder.glob("*.jpg"))
    if not photos or not all(photo.with_suffix(".json").is_file() for photo in photos):
        why = f"{folder} holds no photos with their truth; make some: python -m kdscan.synth"
        raise UsageError(f"{why} {folder}")
    came = list(outcomes(folder, models_folder))
    if not came:
        why = f"{models_folder} finds no map in the {len(photos)} photos of {folder}"
        raise UsageError(f"{why}; its networks have to learn for longer first")
    ((kind, _),) = Counter(one.kind for one in came).most_common(1)
    these = [one for one in came if one.kind == kind]
    trust: dict[str, object] = {
        "total": {str(number): _fitted(these, number) for number in RISK_SHARES},
        "photos": len(these) // len(RISK_SHARES),
    }
    path = models_folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["trust"] = manifest.get("trust", {}) | {kind: trust}
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return {kind: trust}


def _fitted(came: Sequence[Outcome], views: int) -> tuple[float, float]:
    stated, true = zip(*((one.stated, one.true) for one in came if one.views == views), strict=True)
    return fit_trust(np.array(stated), np.array(true))
