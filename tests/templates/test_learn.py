"""Templates learned from photos, from a pile, and with corners that a person gives."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan import learn_template, load_photos, read_photo
from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.errors import LayoutError, NoSheetFound
from kdscan.imaging.picture import GRID_CORNERS, Photo, lattice_to_photo
from kdscan.inference.store import Models, default_models
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.sheets.base import maps_of
from kdscan.templates.cells import centers_within, rectify_by_corners
from kdscan.templates.geometry import with_corners
from kdscan.templates.ink_by_subtraction import colour_distance, relight
from kdscan.templates.learn import merge
from kdscan.templates.pile import flat_sheet_at, learn_from_flat_sheets, shared_by_some
from kdscan.templates.template import TEMPLATE_MARGIN, TEMPLATE_PX
from tests.templates.pads import ENGRAVED, PAINTED, blank, found, learned, sheet

PAD = Path(__file__).parent.parent.parent / "samples/pad"
CORNERS = TEMPLATE_MARGIN + np.array([(0, 0), (COLS, 0), (COLS, ROWS), (0, ROWS)])
CORNERS = CORNERS * TEMPLATE_PX - 0.5
"""(4, 2): where a template's grid has its corners in its own picture."""


@pytest.mark.parametrize("seed", [PAINTED, ENGRAVED])
def test_blank_teaches_where_its_cells_lie(seed: int) -> None:
    template = learned(seed)
    assert template.residual < 0.01
    assert template.sheets == 1
    assert template.coverage.min() == 1


def test_sample_pad_is_learned_and_its_sheets_are_read() -> None:
    pad = learn_template(load_photos(PAD / "blank.jpg"), "pad")
    assert len(pad.cell.circles) == 2 and pad.lines == "ruled"
    for path in sorted(PAD.glob("0*.jpg")):
        truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
        (reading,) = maps_of(read_photo(next(iter(load_photos(path))), prints=[pad]))
        assert reading.layout == "pad" and reading.evidence.ink is not None
        coats = [
            c.content[0] == truth["board"].get("{},{}".format(*c.at), [None])[0]
            for c in reading.cells
        ]
        assert sum(coats) >= 30
        assert reading.review or reading.score.domain_points == truth["score"]


def test_unsuitable_photos_are_refused_by_name() -> None:
    bgr = sheet(ENGRAVED, 1).bgr
    again = [Photo(np.ascontiguousarray(np.rot90(bgr, n)), f"{n}.jpg") for n in range(4)]
    with pytest.raises(LayoutError, match="filled in"):
        learn_template(again, "pad")  # four photos of one sheet are one
    blurred = np.asarray(cv2.GaussianBlur(blank(PAINTED).bgr, (0, 0), 7), np.uint8)
    with pytest.raises(LayoutError, match=r"blank\.jpg.*photograph it again, sharp"):
        learn_template([Photo(blurred, "blank.jpg")], "pad")
    two = [Photo(blank(seed).bgr, f"{seed}.jpg") for seed in (PAINTED, ENGRAVED)]
    with pytest.raises(LayoutError, match=r"\.jpg.*another print"):
        learn_template(two, "pad")
    mirrored = Photo(np.ascontiguousarray(blank(PAINTED).bgr[:, ::-1]), "mirrored.jpg")
    with pytest.raises(LayoutError, match="mirrored, unlike"):
        learn_template([two[0], mirrored], "pad")
    with pytest.raises(NoSheetFound, match=r"table\.jpg"):
        learn_template([Photo(np.full((900, 1200, 3), 90, np.uint8), "table.jpg")], "pad")


def test_unsuitable_photos_among_enough_others_are_left_out_and_reported() -> None:
    bgr = blank(PAINTED).bgr
    photos = [Photo(np.ascontiguousarray(np.rot90(bgr, 2 * n)), f"{n}.jpg") for n in range(4)]
    table = Photo(np.full((900, 1200, 3), 90, np.uint8), "table.jpg")
    other = Photo(blank(ENGRAVED).bgr, "other.jpg")
    left_out: list[str] = []
    pad = learn_template([table, *photos, other], "pad", warn=lambda e: left_out.append(str(e)))
    assert pad.sheets == 4
    assert all(name in why for name, why in zip(("table", "other"), left_out, strict=True))


@pytest.mark.parametrize(
    ("surest", "shields", "why"), [(0.6, 34, ""), (0.95, 34, "filled in"), (0.95, 1, "drawn on")]
)
def test_shields_with_a_clear_coat_are_marks(surest: float, shields: int, why: str) -> None:
    """Hills look like strokes of no coat in particular."""
    models = Models(default_models().folder)

    def marking(*crops: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        logits = list(default_models().marks(*crops))
        rest = (0.999 - surest) / 5
        logits[0] = logits[0].copy()
        logits[0][0, :shields] = np.log([0.001, surest, rest, rest, rest, rest, rest])
        return tuple(logits)

    vars(models)["marks"] = marking
    photos = [Photo(blank(PAINTED).bgr, "blank.jpg")]
    if why:
        with pytest.raises(LayoutError, match=why):
            learn_template(photos, "pad", models)
    assert learn_template(photos, "pad", models, unmarked=bool(why)).sheets == 1


def test_template_is_learned_again_from_filled_sheets() -> None:
    template = learned(PAINTED)
    photos = [found(PAINTED, number) for number in (1, 2)]
    sheets = [flat_sheet_at(photo, at, "." * 34, template.name, photo.name) for photo, at in photos]
    better = learn_from_flat_sheets(sheets, template.name, default_models(), template, least=2)
    assert (better.name, better.sheets) == (template.name, 2)
    circles, before = (np.array(sorted(one.cell.circles)) for one in (better, template))
    assert circles == pytest.approx(before, abs=0.04)


def test_merge_leaves_out_ink_that_a_network_sees() -> None:
    rng = np.random.default_rng(3)
    ground = rng.integers(90, 220, (24, 32, 3)).repeat(8, 0).repeat(8, 1).astype(np.uint8)
    sheets, ink = [], []
    for i in range(4):
        drawn, probability = ground.copy(), np.zeros(ground.shape[:2], np.float32)
        if i != 2:  # pencil lighter than what is printed there, on three of four
            drawn[60:100, 80:120] = 235
            probability[60:100, 80:120] = 0.9
        sheets.append(drawn)
        ink.append(probability)
    inside = np.s_[66:94, 86:114]
    with_ink, coverage = merge(sheets, ink)
    without, _ = merge(sheets, [np.zeros_like(seen) for seen in ink])
    assert np.abs(with_ink.astype(int) - ground)[inside].mean() < 12
    assert np.abs(without.astype(int) - ground)[inside].mean() > 25
    assert coverage[10, 12] < 0.5 < coverage[0, 0]


def test_merge_ignores_shadows_and_glare_of_single_sheets() -> None:
    ground = np.random.default_rng(2).integers(60, 200, (46, 62, 3)).repeat(16, 0).repeat(16, 1)
    h, w = ground.shape[:2]
    down, across = np.mgrid[0 : 1 : h * 1j, 0 : 1 : w * 1j]
    sheets = []
    for i in range(6):
        light = 0.75 + 0.4 * (across if i % 2 else down) * (1 if i < 3 else -1) + 0.2 * (i >= 3)
        lit = ground * light[..., None]
        if i < 2:  # glare, elsewhere on each
            away = (across - 0.3 - 0.4 * i) ** 2 + (down - 0.5) ** 2
            lit += 150 * np.exp(-away / 0.02)[..., None]
        sheets.append(np.clip(lit, 0, 255).astype(np.uint8))
    merged, _ = merge(sheets, [np.zeros((h, w), np.float32)] * 6)
    bare = relight(merged, ground.astype(np.uint8))
    assert np.quantile(colour_distance(merged, bare), 0.99) < 7


@pytest.mark.slow
def test_four_sheets_that_share_a_print_are_found_among_others() -> None:
    numbers = [(PAINTED, 1), (ENGRAVED, 1), (PAINTED, 2), (PAINTED, 3)]
    sheets = [
        flat_sheet_at(*found(seed, n), "." * 34, UNKNOWN_LAYOUT, f"{seed}-{n}")
        for seed, n in numbers
    ]
    assert shared_by_some(sheets) == []
    more = flat_sheet_at(*found(PAINTED, 4), "." * 34, UNKNOWN_LAYOUT, f"{PAINTED}-4")
    assert [one.key for one in shared_by_some([more, *sheets])] == [
        f"{PAINTED}-{n}" for n in (1, 2, 3, 4)
    ]


@pytest.mark.slow
def test_corners_by_a_person_place_the_grid_and_can_be_corrected() -> None:
    photo, corners = (
        Photo(blank(PAINTED).bgr, "blank.jpg"),
        lattice_to_photo(blank(PAINTED).centers_xy, GRID_CORNERS[None])[0],
    )
    # Half a cell to the right, where no finder would look for it: the geometry goes along.
    step = (corners[1] - corners[0]) / COLS / 2
    warnings: list[LayoutError] = []
    aside = learn_template(
        [photo], "pad", unmarked=True, corners_xy=corners + step, warn=warnings.append
    )
    found_alone = learned(PAINTED)
    away = np.abs(aside.bgr.astype(int) - found_alone.bgr).mean()
    assert away > 5
    back = with_corners(aside, CORNERS - (TEMPLATE_PX / 2, 0))
    inside = np.s_[64:-64, 128:-64]
    assert np.abs(back.bgr.astype(int) - found_alone.bgr)[inside].mean() < away / 2
    assert np.array(back.cell.circles) == pytest.approx(
        np.array(found_alone.cell.circles), abs=0.04
    )


def test_impossible_corners_are_refused() -> None:
    photo = Photo(np.zeros((300, 400, 3), np.uint8))
    outside = np.array([(10, 10), (401, 10), (390, 290), (10, 290)], np.float64)
    with pytest.raises(LayoutError, match="400 × 300"):
        rectify_by_corners(photo, outside)
    for corners, why in (
        (CORNERS[[0, 2, 1, 3]], "clockwise"),
        (CORNERS[::-1], "clockwise"),
        (CORNERS / 20, "too close"),
    ):
        with pytest.raises(LayoutError, match=why):
            centers_within(corners)
