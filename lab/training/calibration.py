"""Calibration of totals on whole photos that no network was trained on.

The networks' probabilities are calibrated for crops, but users rely on the total. So the log odds
of a correct total with the grid in place get a slope and an offset (Platt 1999), fitted on
synthetic photos of held-out designs, handwriting and boards. They are fitted separately for each
number of averaged views, because averaging changes the calibration.
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

from kdscan.errors import LayoutError, NoSheetFound, UsageError
from kdscan.imaging.photo import load_photos
from kdscan.inference.store import Models, calibrated_as
from kdscan.reader import read_with
from kdscan.sheets.common import ReadOptions
from kdscan.sheets.duel_map.interpret import decoded
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.duel_map.read import RISK_SHARES
from kdscan.templates.learn import learn_template
from kdscan.templates.template import Template
from lab.synth.fields import F64, Bools
from lab.training.measure import logistic_regression

BLANK = "blank.jpg"
"""A photo of a pad's empty sheet, beside its filled ones."""

PRIOR_WEIGHT = 4.0
"""Strength of the prior for slope 1 and offset 0, in photos; regularises the fit."""


ALWAYS_ACCEPT, NEVER_ACCEPT = 2.0, 1e-9
"""Risks with which a sheet is accepted after one view, and only after all views."""


@dataclass(frozen=True)
class Outcome:
    """A total's uncalibrated probability after this many views, and whether it was correct. group:
    the sheet's, see `calibrated_as`."""

    group: str
    views: int
    probability: float
    correct: bool


def outcomes(folder: Path, models_folder: Path) -> Iterator[Outcome]:
    """Outcomes of all photos in a folder (with NAME.json beside them) in which exactly one map is
    found, for each number of views. Photos are read in parallel on all cores; those of a pad with
    the template that its blank shows."""
    photos = photos_in(folder)
    # Spawned, not forked: OpenCV's threads do not survive a fork, and a worker that tries to stop
    # them would wait forever.
    own = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(None, own, cv2.setNumThreads, (1,)) as pool:
        for some in pool.map(partial(_outcomes, models_folder), photos, chunksize=4):
            yield from some


def photos_in(folder: Path) -> list[Path]:
    """A folder's photos, or those of its pads: each in a folder of its own with `BLANK`."""
    return sorted(p for way in ("*.jpg", "*/*.jpg") for p in folder.glob(way) if p.name != BLANK)


_models = cache(Models)


@cache
def _template(pad: Path, models_folder: Path) -> Template | None:
    """The template that a pad's blank shows; None without a blank, or if it cannot be learned."""
    if not (pad / BLANK).is_file():
        return None
    try:
        blank = load_photos(pad / BLANK)
        return learn_template(blank, pad.name, _models(models_folder), unmarked=True)
    except (LayoutError, NoSheetFound):
        return None


def _outcomes(models_folder: Path, path: Path) -> list[Outcome]:
    photo = next(iter(load_photos(path)))
    truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
    results, template = [], _template(path.parent, models_folder)
    if template is None and (path.parent / BLANK).is_file():
        return []
    prints = [template] if template else []
    for views, risk in zip(RISK_SHARES, (ALWAYS_ACCEPT, NEVER_ACCEPT), strict=True):
        try:
            found = read_with(
                photo, ReadOptions(risk, "duel", prints=prints), _models(models_folder)
            )
        except NoSheetFound:
            return []
        maps = [one for one in found if isinstance(one, MapReading)]
        if len(maps) != 1:
            return []
        (sheet,) = maps
        right = sheet.score.domain_points == truth["score"]
        plain = replace(sheet.evidence.probs, calibration=np.array([1.0, 0.0]))
        p = decoded(plain).confidence  # before rules are applied
        layout = sheet.evidence.layout
        known = template is not None and layout == template.name
        results.append(Outcome(calibrated_as(layout, known), views, p, right))
    return results


def fit_platt(probabilities: F64, true: Bools) -> tuple[float, float]:
    """Maximum a posteriori slope and offset of the log odds (Platt scaling). probabilities: (N,),
    uncalibrated. true: (N,), whether each event occurred."""
    p = np.clip(probabilities, 1e-6, 1 - 1e-6)
    odds = np.log(p) - np.log1p(-p)
    features, usual = np.stack([odds, np.ones_like(odds)], 1), np.array([1.0, 0.0])
    slope, offset = logistic_regression(features, true, usual, np.full(2, PRIOR_WEIGHT))
    return slope, offset


def calibrate(folder: Path, models_folder: Path) -> dict[str, object]:
    """Fit the calibration on a folder of photos, or of pads with blanks, and write it into the
    models' manifest, for the group that most photos show.

    Raises UsageError for a folder without photos and ground truth, and if the models find no map.
    """
    photos = photos_in(folder)
    if not photos or not all(photo.with_suffix(".json").is_file() for photo in photos):
        why = f"{folder} holds no photos with their truth; make some: python -m lab.synth"
        raise UsageError(f"{why} {folder}")
    results = list(outcomes(folder, models_folder))
    if not results:
        why = f"{models_folder} finds no map in the {len(photos)} photos of {folder}"
        raise UsageError(f"{why}; train its networks for longer first")
    ((group, _),) = Counter(outcome.group for outcome in results).most_common(1)
    these = [outcome for outcome in results if outcome.group == group]
    calibration: dict[str, object] = {
        "total": {str(number): _fitted(these, number) for number in RISK_SHARES},
        "photos": len(these) // len(RISK_SHARES),
    }
    path = models_folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["trust"] = manifest.get("trust", {}) | {group: calibration}
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return {group: calibration}


def _fitted(results: Sequence[Outcome], views: int) -> tuple[float, float]:
    probabilities, correct = zip(
        *((one.probability, one.correct) for one in results if one.views == views), strict=True
    )
    return fit_platt(np.array(probabilities), np.array(correct))
