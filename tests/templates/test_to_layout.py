"""A layout file from a photo of an unmarked sheet."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.errors import LayoutError
from kdscan.imaging.picture import Photo
from kdscan.inference.store import default_models
from kdscan.paper.layout import Layout, load_layout
from kdscan.rules.duel.board import Board
from kdscan.templates.geometry import measure_geometry
from kdscan.templates.template import empty_template
from kdscan.templates.to_layout import to_layout
from lab.synth.scene import SynthPhoto, draw_page, own_page, random_page, shoot
from tests.command import Command


@cache
def unmarked(seed: int, own: bool) -> tuple[SynthPhoto, Layout]:
    rng = np.random.default_rng([25_000_000, seed])
    page = draw_page(rng, page=own_page(150) if own else random_page(rng, "pale"))
    page = replace(page, bgr=page.blank_bgr, board=Board())
    return shoot(np.random.default_rng(seed), page, "flat", size_wh=(2016, 1512)), page.layout


def area(polygon: object, cell_mm: tuple[float, float]) -> float:
    return float(cv2.contourArea((np.array(polygon) / cell_mm).astype(np.float32)))


@pytest.mark.parametrize(("seed", "own"), [(0, True), (4, False)])
def test_shield_and_circles_are_found(seed: int, own: bool) -> None:
    shot, truth = unmarked(seed, own)
    known = measure_geometry(
        empty_template("learned"), Photo(shot.bgr), shot.centers_xy, default_models().geometry
    )
    layout = to_layout(known, truth.cell_mm[0])
    assert layout.cell_mm == pytest.approx(truth.cell_mm, rel=0.02)
    assert len(layout.circles) == len(truth.circles)
    assert layout.circle_radius_mm == pytest.approx(truth.circle_radius_mm, rel=0.25)
    for circle in truth.circles:
        away = np.linalg.norm(np.array(layout.circles) - circle, axis=1).min()
        assert away < 0.06 * truth.cell_mm[0]
    assert area(layout.shield, layout.cell_mm) == pytest.approx(
        area(truth.shield, truth.cell_mm), rel=0.12
    )


def test_cells_without_a_shield_are_an_error_with_a_remedy() -> None:
    with pytest.raises(LayoutError, match="straight above"):
        to_layout(empty_template("bare"))


def test_from_the_photo_to_a_file_that_prints(tmp_path: Path, run: Command) -> None:
    blank, club = tmp_path / "blank.png", tmp_path / "club.toml"
    cv2.imwrite(str(blank), unmarked(0, True)[0].bgr)
    assert "club" in run("template", "learn", blank, "-o", club).err
    layout = load_layout(club)
    assert layout.name == "club" and len(layout.circles) == 4
    run("sheet", "--layout", club, "-o", tmp_path / "club.pdf")


@pytest.mark.parametrize("file", ["club.toml", "club.kdprint"])
def test_a_photo_without_a_sheet_is_an_error(tmp_path: Path, file: str, run: Command) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((300, 400, 3), 90, np.uint8))
    out = tmp_path / file
    words = ("template", "learn", tmp_path / "grey.png", "-o", out)
    run(*words, code=4)
    for corners in ("1,2 3,4 5,6", "1,2 3,4 5,6 7,8,9", "upper left"):
        assert "give four points" in run(*words, "--corners", corners, code=2).err
    (tmp_path / "text.png").write_text("no picture")
    assert f"{tmp_path / 'text.png'}: " in run(*words, tmp_path / "text.png", code=3).err
    assert not out.exists()
