"""Models that are missing, damaged or of another version are refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import ModelError
from kdscan.inference.store import (
    NETWORKS,
    Models,
    StruckBy,
    calibrated_as,
    default_models,
    models_folder,
)
from kdscan.rules.duel.board import COATS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.duel_map.read import RISK_SHARES

LIMIT = 8_000_000
"""All weights together stay below this many bytes: they travel in the wheel."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the models that a test may break."""
    return Path(shutil.copytree(models_folder(), tmp_path / "models"))


def model_file(folder: Path, name: str) -> Path:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    return folder / str(manifest["models"][name]["file"])


def test_models_answer_in_the_shapes_that_the_stages_expect() -> None:
    models = default_models()
    on, place, doubt = models.locate(np.zeros((1, 3, 288, 384), np.float32))
    assert (on.shape, place.shape, doubt.shape) == ((1, 1, 36, 48), (1, 2, 36, 48), (1, 1, 36, 48))
    (hidden,) = models.cover(np.full((1, 3, 336, 464), 0.8, np.float32))
    assert hidden.shape == (1, 5, 7)
    offset, there, up = models.refine(np.zeros((1, 3, 224, 288), np.float32))
    assert (offset.shape, there.shape, up.shape) == ((1, 2, 5, 7), (1, 1, 5, 7), (1, 1))
    ink, coarse = (np.zeros((35, n, s, s), np.float32) for n, s in ((1, 128), (3, 64)))
    (drawn,) = models.ink(ink[None], coarse[None])
    assert drawn.shape == (1, 35, 128, 128) and drawn.mean() < 0  # bare paper
    coat, crosses, castle, offset = models.marks(ink, coarse)
    assert (coat.shape, crosses.shape) == ((1, 34, len(COATS)), (1, 34, 5))
    assert (castle.shape, offset.shape) == ((1, 1), (1, 35, 2))
    found = models.tiles(np.zeros((1, 3, 288, 384), np.float32))
    assert [out.shape for out in found] == [(1, n, 36, 48) for n in (1, 2, 1, 3)]
    (kinds,) = models.squares(np.zeros((3, 3, 80, 80), np.float32))
    assert kinds.shape == (3, len(SQUARE_CLASSES))


def test_totals_of_our_own_sheet_have_a_trust_of_their_own(copy: Path) -> None:
    calibration = json.loads((copy / "manifest.json").read_text("utf-8"))["trust"]
    models = Models(copy)
    groups = (
        calibrated_as(UNKNOWN_LAYOUT),
        calibrated_as("kdscan-half-letter"),
        calibrated_as("club", True),
    )
    assert groups == ("any", "own", "template")
    for name in groups:
        for views in RISK_SHARES:
            fitted = calibration.get(name, calibration["any"])["total"][str(views)]
            assert models.calibration(name, views).tolist() == fitted


def test_equal_versions_mean_equal_files(copy: Path) -> None:
    assert Models(copy).version == default_models().version
    assert "marks-" in Models(copy).version
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    manifest["models"]["marks"]["sha256"] = "0" * 64
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert Models(copy).version != default_models().version


def test_a_damaged_model_is_refused(copy: Path) -> None:
    path = model_file(copy, "marks")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ModelError, match="damaged"):
        _ = Models(copy).marks


def test_a_missing_model_is_refused(copy: Path) -> None:
    model_file(copy, "refine").unlink()
    with pytest.raises(ModelError, match="missing"):
        _ = Models(copy).refine


def test_a_broken_or_foreign_list_of_models_is_refused(copy: Path) -> None:
    (copy / "manifest.json").write_text("{", "utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        _ = Models(copy).locate
    (copy / "manifest.json").write_text('{"format": "kdscan-models/99", "models": {}}', "utf-8")
    with pytest.raises(ModelError, match="kdscan-models/99"):
        _ = Models(copy).locate


def test_a_model_with_other_labels_is_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    manifest["models"] |= dict.fromkeys(("marks", "spellbook"), manifest["models"]["locate"])
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    models = Models(copy)
    with pytest.raises(ModelError, match="labels"):
        _ = models.marks
    with pytest.raises(ModelError, match="how lines are struck"):
        _ = models.struck_by
    assert default_models().struck_by != StruckBy()


def test_a_model_that_the_list_does_not_name_is_named_before_anything_is_read(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    for name in NETWORKS:
        less = {**manifest, "models": {k: v for k, v in manifest["models"].items() if k != name}}
        (copy / "manifest.json").write_text(json.dumps(less), "utf-8")
        with pytest.raises(ModelError, match=name):
            Models(copy).check()
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    Models(copy).check()


def test_nothing_is_told_of_who_reads(tmp_path: Path) -> None:
    """onnxruntime leaves a number for the machine in the home folder, and sends events by it."""
    code = "from kdscan.inference.store import default_models; default_models().cover"
    unasked = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", code], check=True, env=unasked | {"HOME": str(tmp_path)})
    assert not list(tmp_path.iterdir())
