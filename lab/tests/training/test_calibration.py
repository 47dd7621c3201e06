"""Calibration fitted to results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kdscan.marks.boards import calibrated
from kdscan.sheets.duel_map.read import RISK_SHARES
from lab.training import calibration
from lab.training.calibration import Outcome, fit_platt


@pytest.mark.parametrize(("slope", "offset"), [(0.5, 0.0), (1.0, -1.0), (1.6, 0.5)])
def test_a_fit_finds_the_slope_and_offset_that_things_came_true_with(
    slope: float, offset: float
) -> None:
    rng = np.random.default_rng(1)
    probabilities = rng.uniform(0.02, 0.995, 6000)
    truly = np.array([calibrated(p, np.array([slope, offset])) for p in probabilities])
    found = fit_platt(probabilities, rng.uniform(size=probabilities.size) < truly)
    assert found == pytest.approx((slope, offset), abs=0.15)


def test_what_was_surely_wrong_is_believed_less_not_more() -> None:
    """The first step of the fit leaps far past the best one here."""
    probabilities = np.r_[np.full(174, 0.999999), np.full(13, 0.9999)]
    slope, offset = fit_platt(probabilities, np.r_[np.full(170, True), np.full(17, False)])
    assert 0 < slope < 0.5
    assert 0.85 < calibrated(0.999999, np.array([slope, offset])) < 0.97


def test_of_photos_of_our_own_sheet_its_own_trust_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few whose markers nobody sees are believed as any others are."""
    for name in ("1.jpg", "1.json"):
        (tmp_path / name).touch()
    results = [Outcome("any", views, 0.9, False) for views in RISK_SHARES]
    results += [
        Outcome("own", views, 0.9, i % (views + 2) > 0) for i in range(600) for views in RISK_SHARES
    ]
    monkeypatch.setattr(calibration, "outcomes", lambda *_: results)
    manifest = tmp_path / "manifest.json"
    manifest.write_text('{"format": "f", "trust": {"any": 1, "own": 2}}', "utf-8")
    calibration.calibrate(tmp_path, tmp_path)
    written = json.loads(manifest.read_text("utf-8"))
    assert (written["format"], written["trust"]["any"]) == ("f", 1)
    assert written["trust"]["own"]["photos"] == 600
    for views in RISK_SHARES:
        fitted = np.array(written["trust"]["own"]["total"][str(views)])
        assert calibrated(0.9, fitted) == pytest.approx(1 - 1 / (views + 2), abs=0.03)


def test_each_number_of_looks_is_read_as_photos_are() -> None:
    """A sure sheet is looked at once when it is read, and here as often as a doubtful one."""
    samples = Path(__file__).parents[3] / "samples"
    one, all_views = calibration._outcomes(samples.parent / "models", samples / "05.jpg")
    assert (one.views, all_views.views) == tuple(RISK_SHARES)
    assert one.group == all_views.group == "any"
    assert one.correct and all_views.correct
    assert one.probability != all_views.probability
    assert min(one.probability, all_views.probability) > 0.9


def test_sheets_of_a_pad_are_read_with_the_template_that_its_blank_shows(tmp_path: Path) -> None:
    from lab.synth.pads import pad_blank, pad_print, pad_sheet
    from lab.synth.scene import save_photo

    page, size = pad_print(3, "painted"), (1400, 1050)
    blank = pad_blank(3, page, "easy", size)
    save_photo(tmp_path / "a" / calibration.BLANK, blank.bgr, blank.truth())
    filled = pad_sheet(3, 1, page, "easy", size)
    save_photo(tmp_path / "a" / "1.jpg", filled.bgr, filled.truth())
    (photo,) = calibration.photos_in(tmp_path)
    models = Path(__file__).parents[3] / "models"
    assert {outcome.group for outcome in calibration._outcomes(models, photo)} == {"template"}
