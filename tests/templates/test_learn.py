import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.errors import LayoutError, NoSheetFound
from kdscan.imaging.picture import Photo
from kdscan.inference.store import Models, default_models
from kdscan.templates.divide import colour_distance, relight
from kdscan.templates.flat import flat_sheet_at
from kdscan.templates.learn import learn_flat_sheets, learn_print
from kdscan.templates.merge import merge
from tests.templates.pads import ENGRAVED, PAINTED, blank, found, learned, sheet


@pytest.mark.parametrize("seed", [PAINTED, ENGRAVED])
def test_a_blank_shows_where_its_cells_lie(seed: int) -> None:
    known = learned(seed)
    assert known.residual < 0.01
    assert known.sheets == 1
    assert known.known.min() == 1


def test_a_single_filled_sheet_is_no_print() -> None:
    filled = Photo(sheet(ENGRAVED, 1).bgr, "filled.jpg")
    with pytest.raises(LayoutError, match="filled in"):
        learn_print([filled], "pad", default_models())


def test_a_blurred_blank_is_no_print() -> None:
    blurred = np.asarray(cv2.GaussianBlur(blank(PAINTED).bgr, (0, 0), 7), np.uint8)
    photos = [Photo(blurred, "blank.jpg")]
    with pytest.raises(LayoutError, match=r"blank\.jpg.*photograph it again, sharp"):
        learn_print(photos, "pad", default_models())


def test_four_photos_of_one_filled_sheet_are_no_print() -> None:
    """Its ink would be taken for print."""
    bgr = sheet(ENGRAVED, 1).bgr
    photos = [Photo(np.ascontiguousarray(np.rot90(bgr, n)), f"{n}.jpg") for n in range(4)]
    with pytest.raises(LayoutError, match="filled in"):
        learn_print(photos, "pad", default_models())


@pytest.mark.parametrize(("surest", "filled"), [(0.6, False), (0.95, True)])
def test_hills_that_look_like_strokes_of_no_coat_in_particular_fill_no_sheet(
    surest: float, filled: bool
) -> None:
    """No shield looks empty; what counts is whether one coat is clear."""
    models = Models(default_models().folder)

    def marking(*crops: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        said = list(default_models().marks(*crops))
        rest = (0.999 - surest) / 5
        said[0] = np.log([0.001, surest, rest, rest, rest, rest, rest], dtype=np.float32)
        said[0] = np.tile(said[0], (1, 34, 1))
        return tuple(said)

    vars(models)["marks"] = marking
    photos = [Photo(blank(PAINTED).bgr, "blank.jpg")]
    if filled:
        with pytest.raises(LayoutError, match="filled in"):
            learn_print(photos, "pad", models)
    else:
        assert learn_print(photos, "pad", models).sheets == 1


def test_a_sheet_of_another_pad_is_named() -> None:
    two = [Photo(blank(seed).bgr, f"{seed}.jpg") for seed in (PAINTED, ENGRAVED)]
    with pytest.raises(LayoutError, match="another print"):
        learn_print(two, "pad", default_models())


def test_a_known_print_is_learned_again_from_filled_sheets() -> None:
    known = learned(PAINTED)
    photos = [found(PAINTED, number) for number in (1, 2)]
    sheets = [flat_sheet_at(photo, at, "", known.name, photo.name) for photo, at in photos]
    again = learn_flat_sheets(sheets, known.name, default_models().ink, known, least=2)
    assert (again.name, again.sheets) == (known.name, 2)
    circles, before = (np.array(sorted(one.cell.circles)) for one in (again, known))  # in a row
    assert circles == pytest.approx(before, abs=0.04)


def test_a_photo_without_a_sheet_is_named() -> None:
    table = Photo(np.full((900, 1200, 3), 90, np.uint8), "table.jpg")
    with pytest.raises(NoSheetFound) as refused:
        learn_print([table], "pad", default_models())
    assert "table.jpg" in str(refused.value)


def test_what_some_sheets_show_bare_is_known() -> None:
    rng = np.random.default_rng(1)
    ground = rng.integers(90, 220, (12, 16, 3)).repeat(8, 0).repeat(8, 1)
    sheets, ink = [], []
    for i in range(6):
        drawn, seen = (
            ground + rng.normal(0, 2, ground.shape),
            np.zeros(ground.shape[:2], np.float32),
        )
        if i != 3:  # five of six have ink in the middle
            drawn[32:64, 40 + i : 80 + i] = 30
            seen[32:64, 40 + i : 80 + i] = 0.9
        sheets.append(np.clip(drawn, 0, 255).astype(np.uint8))
        ink.append(seen)
    bgr, known = merge(sheets, ink)
    assert np.abs(bgr.astype(int) - ground)[36:60, 48:76].max() < 25
    assert known[5, 7] < 0.5 < known[0, 0]


def test_shadows_and_glare_of_single_sheets_are_not_of_the_print() -> None:
    rng = np.random.default_rng(2)
    ground = rng.integers(60, 200, (46, 62, 3)).repeat(16, 0).repeat(16, 1)
    h, w = ground.shape[:2]
    down, across = np.mgrid[0 : 1 : h * 1j, 0 : 1 : w * 1j]
    sheets = []
    for i in range(6):
        light = 0.75 + 0.4 * (across if i % 2 else down) * (1 if i < 3 else -1) + 0.2 * (i >= 3)
        lit = ground * light[..., None]
        if i < 2:  # glare, elsewhere on each
            lit += (
                150 * np.exp(-((across - 0.3 - 0.4 * i) ** 2 + (down - 0.5) ** 2) / 0.02)[..., None]
            )
        sheets.append(np.clip(lit, 0, 255).astype(np.uint8))
    nothing = [np.zeros((h, w), np.float32)] * 6
    merged, _ = merge(sheets, nothing)
    bare = relight(merged, ground.astype(np.uint8))
    assert np.quantile(colour_distance(merged, bare), 0.99) < 7


def test_where_a_network_sees_ink_nothing_is_taken_for_print() -> None:
    rng = np.random.default_rng(3)
    ground = rng.integers(90, 220, (24, 32, 3)).repeat(8, 0).repeat(8, 1).astype(np.uint8)
    sheets, ink = [], []
    for i in range(4):
        drawn, seen = ground.copy(), np.zeros(ground.shape[:2], np.float32)
        if i != 2:  # pencil lighter than what is printed there, on three of four
            drawn[60:100, 80:120] = 235
            seen[60:100, 80:120] = 0.9
        sheets.append(drawn)
        ink.append(seen)
    inside = np.s_[66:94, 86:114]
    with_ink, _ = merge(sheets, ink)
    without, _ = merge(sheets, [np.zeros_like(seen) for seen in ink])
    assert np.abs(with_ink.astype(int) - ground)[inside].mean() < 12
    assert np.abs(without.astype(int) - ground)[inside].mean() > 25
